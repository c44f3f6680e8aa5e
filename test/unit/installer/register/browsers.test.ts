import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { browserTargets, findBrowsers, findSandboxed } from '#installer/register/browsers.ts';
import { test } from './stage.ts';

const machineOf = ({ context }: { context: { env: NodeJS.ProcessEnv; paths: { root: string } } }, platform: NodeJS.Platform = 'linux') => ({
  env: context.env,
  platform,
  root: context.paths.root,
});

describe('findBrowsers', () => {
  test('finds a browser by its profile folder and one by its executable', ({ stage }) => {
    const found = findBrowsers(machineOf(stage));

    expect(found.map(({ id, evidence, manifestFile }) => ({ id, evidence, manifestFile }))).toEqual([
      {
        id: 'chrome',
        evidence: stage.at('.config/google-chrome'),
        manifestFile: stage.at('.config/google-chrome/NativeMessagingHosts/com.pilotfish.host.json'),
      },
      {
        id: 'chromium',
        evidence: stage.at('path/chromium'),
        manifestFile: stage.at('.config/chromium/NativeMessagingHosts/com.pilotfish.host.json'),
      },
    ]);
  });

  test('does not take a folder that only holds native messaging hosts for a browser', ({ stage }) => {
    mkdirSync(stage.at('.config/vivaldi/NativeMessagingHosts'), { recursive: true });

    expect(findBrowsers(machineOf(stage)).map(({ id }) => id)).not.toContain('vivaldi');
  });

  test('looks below XDG_CONFIG_HOME when it is absolute and ignores it when it is not', ({ stage }) => {
    mkdirSync(stage.at('conf/microsoft-edge/Default'), { recursive: true });
    const machine = machineOf(stage);

    expect(findBrowsers({ ...machine, env: { ...machine.env, XDG_CONFIG_HOME: stage.at('conf') } }).map(({ id }) => id)).toEqual([
      'chromium',
      'edge',
    ]);
    expect(findBrowsers({ ...machine, env: { ...machine.env, XDG_CONFIG_HOME: 'conf' } }).map(({ id }) => id)).toEqual([
      'chrome',
      'chromium',
    ]);
  });

  test("registers Opera in Chrome's folder too, because it reads that one", ({ stage }) => {
    mkdirSync(stage.at('.config/opera/Default'), { recursive: true });

    const opera = findBrowsers(machineOf(stage)).find(({ id }) => id === 'opera');

    expect(opera?.otherManifestFiles).toEqual([stage.at('.config/google-chrome/NativeMessagingHosts/com.pilotfish.host.json')]);
  });

  test('finds macOS profiles below Application Support', ({ stage }) => {
    mkdirSync(stage.at('Library/Application Support/Arc/User Data/Default'), { recursive: true });

    const arc = findBrowsers(machineOf(stage, 'darwin')).find(({ id }) => id === 'arc');

    expect(arc?.manifestFile).toBe(stage.at('Library/Application Support/Arc/User Data/NativeMessagingHosts/com.pilotfish.host.json'));
  });

  test('points every Windows browser at the one manifest in our folder', ({ stage }) => {
    const targets = browserTargets(machineOf(stage, 'win32'));

    expect(new Set(targets.map(({ manifestFile }) => manifestFile))).toEqual(
      new Set([path.win32.join(stage.context.paths.root, 'com.pilotfish.host.json')]),
    );
    expect(targets.find(({ id }) => id === 'edge')?.registryKey).toBe('Software\\Microsoft\\Edge\\NativeMessagingHosts');
    expect(targets.every(({ registryKey }) => registryKey !== null)).toBe(true);
  });

  test('names browsers in a sandbox, which cannot start the executable', ({ stage }) => {
    mkdirSync(stage.at('snap/chromium/common'), { recursive: true });

    expect(findSandboxed(machineOf(stage))).toEqual(['Chromium (Snap)']);
  });
});
