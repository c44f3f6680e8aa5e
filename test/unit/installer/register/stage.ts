/** A home with two browsers, an executable that answers as a host does, and the installer bound to them. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test as base } from 'vitest';
import type { InstallContext } from '#installer/register/install.ts';
import { EXTENSION_ORIGIN, VERSION } from '#protocol/version.ts';
import { encodeFrame } from '#companion/lib/framing.ts';

export interface Stage {
  readonly home: string;
  readonly context: InstallContext;
  /** Every file below the home, sorted. */
  files(): string[];
  /** Below the home. */
  at(...parts: string[]): string;
  write(file: string, content: string, mode?: number): void;
}

/** A host that sends these frames at once. The shell starts in a tenth of the time that Node would take, and there are hundreds of starts. */
export const hostScript = (frames: readonly unknown[]): string =>
  ['#!/bin/sh', `[ "$1" = '${EXTENSION_ORIGIN}/' ] || exit 1`, `printf '${frames.map(toOctal).join('')}'`, 'exec /bin/cat >/dev/null'].join(
    '\n',
  );

/** As printf takes it. */
const toOctal = (frame: unknown): string =>
  Array.from(encodeFrame(JSON.stringify(frame)), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

const createStage = (): Stage => {
  const home = mkdtempSync(path.join(tmpdir(), 'pf-register-'));
  const at = (...parts: string[]): string => path.join(home, ...parts);
  const write = (file: string, content: string, mode = 0o644): void => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
  };
  const root = at('.local', 'share', 'pilotfish');
  write(
    at('bin', 'pilotfish'),
    hostScript([
      { type: 'host', version: VERSION, pid: 1 },
      { type: 'pong', at: 1 },
    ]),
    0o755,
  );
  write(at('path', 'chromium'), '#!/bin/sh\n', 0o755);
  write(at('.config', 'google-chrome', 'Local State'), '{}');
  return {
    home,
    at,
    write,
    files: () =>
      readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => path.relative(home, path.join(entry.parentPath, entry.name)))
        .toSorted(),
    context: {
      executable: at('bin', 'pilotfish'),
      extensionFiles: {
        'manifest.json': Buffer.from(JSON.stringify({ version: VERSION })),
        'background.js': Buffer.from('// worker'),
        'icons/128.png': Buffer.from('png'),
      },
      icon: Buffer.from('icon'),
      releaseKey: '',
      paths: {
        root,
        extensionDir: path.join(root, 'extension'),
        socket: at('run', 'pilotfish', 'pilotfish.sock'),
        socketDir: at('run', 'pilotfish'),
        keyFile: path.join(root, 'link.key'),
        logDir: path.join(root, 'logs'),
        runsDir: path.join(root, 'runs'),
        restingDir: path.join(root, 'resting'),
        updateTrialFile: path.join(root, 'update-trial.json'),
        defaultWorkspace: at('Pilotfish'),
        worktreesDir: path.join(root, 'worktrees'),
        isPortable: false,
      },
      env: { HOME: home, PATH: `${at('path')}:${at('.local', 'bin')}` },
      platform: 'linux',
    },
  };
};

export const test = base.extend<{ stage: Stage }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixtures a fixture needs from this pattern
  stage: async ({}, use) => {
    const stage = createStage();
    await use(stage);
    rmSync(stage.home, { recursive: true, force: true });
  },
});

/** The right bits of a file. */
export const modeOf = (file: string): number => statSync(file).mode & 0o777;

export const isThere = existsSync;
