/** The macOS application that opens the terminal UI in Terminal. Written from Apple's documentation, not tested on a Mac. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { homeOf } from './browsers.ts';
import { lookAt, writeWhole } from './files.ts';
import type { Steps } from './steps.ts';

/** The bundle's folder. */
export const applicationDir = (env: NodeJS.ProcessEnv): string => path.join(homeOf(env), 'Applications', 'Pilotfish.app');

/** An application whose launcher has Terminal open a `.command` file, which Terminal runs in a window of its own. */
export function* writeApplication(env: NodeJS.ProcessEnv, executable: string, version: string): Steps<'written' | 'unchanged'> {
  const contents = path.join(applicationDir(env), 'Contents');
  let state: 'written' | 'unchanged' = 'unchanged';
  for (const { place, text, isExecutable } of applicationFiles(`exec ${quoteShell(executable)}`, version)) {
    if ((yield* writeWhole(path.join(contents, ...place), text, isExecutable ? 0o755 : 0o644)) === 'written') state = 'written';
  }
  return state;
}

/** What the bundle consists of, below its folder Contents; `start` is the line of sh that starts the program. */
export const applicationFiles = (
  start: string,
  version: string,
): { readonly place: readonly string[]; readonly text: string; readonly isExecutable: boolean }[] => [
  { place: ['Resources', 'pilotfish.command'], text: `#!/bin/sh\n${start}\n`, isExecutable: true },
  {
    place: ['MacOS', 'pilotfish'],
    text: '#!/bin/sh\nexec /usr/bin/open -a Terminal "$(dirname "$0")/../Resources/pilotfish.command"\n',
    isExecutable: true,
  },
  { place: ['Info.plist'], text: propertyList(version), isExecutable: false },
];

/** Removes the bundle; returns what was there. */
export const removeApplication = (env: NodeJS.ProcessEnv): string[] => {
  const directory = applicationDir(env);
  if (lookAt(directory) === undefined) return [];
  rmSync(directory, { recursive: true });
  return [directory];
};

/** One word for sh: a quote inside single quotes is closed, escaped and opened again. */
export const quoteShell = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

const propertyList = (version: string): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    ...Object.entries({
      CFBundleIdentifier: 'com.pilotfish.terminal',
      CFBundleName: 'Pilotfish',
      CFBundleExecutable: 'pilotfish',
      CFBundlePackageType: 'APPL',
      CFBundleIconFile: 'Pilotfish',
      CFBundleShortVersionString: version,
      CFBundleVersion: version,
      LSMinimumSystemVersion: '13.5',
    }).map(([key, value]) => `  <key>${key}</key><string>${value}</string>`),
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
