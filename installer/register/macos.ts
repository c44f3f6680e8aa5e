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
  const states = [
    yield* writeWhole(path.join(contents, 'Resources', 'pilotfish.command'), `#!/bin/sh\nexec ${quoteShell(executable)}\n`, 0o755),
    yield* writeWhole(
      path.join(contents, 'MacOS', 'pilotfish'),
      '#!/bin/sh\nexec /usr/bin/open -a Terminal "$(dirname "$0")/../Resources/pilotfish.command"\n',
      0o755,
    ),
    yield* writeWhole(path.join(contents, 'Info.plist'), propertyList(version), 0o644),
  ];
  return states.includes('written') ? 'written' : 'unchanged';
}

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
      CFBundleShortVersionString: version,
    }).map(([key, value]) => `  <key>${key}</key><string>${value}</string>`),
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
