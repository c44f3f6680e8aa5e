import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { browserTargets, findBrowsers, findSandboxed } from '#installer/register/browsers.ts';
import { test } from './world.ts';

const machineOf = ({ context }: { context: { env: NodeJS.ProcessEnv; paths: { root: string } } }, platform: NodeJS.Platform = 'linux') => ({
  env: context.env,
  platform,
  root: context.paths.root,
});

describe('findBrowsers', () => {
  test('finds a browser by its profile folder and one by its executable', ({ world }) => {
    const found = findBrowsers(machineOf(world));

    expect(found.map(({ id, evidence, manifestFile }) => ({ id, evidence, manifestFile }))).toEqual([
      {
        id: 'chrome',
        evidence: world.at('.config/google-chrome'),
        manifestFile: world.at('.config/google-chrome/NativeMessagingHosts/com.pilotfish.host.json'),
      },
      {
        id: 'chromium',
        evidence: world.at('path/chromium'),
        manifestFile: world.at('.config/chromium/NativeMessagingHosts/com.pilotfish.host.json'),
      },
    ]);
  });

  test('does not take a folder that only holds native messaging hosts for a browser', ({ world }) => {
    mkdirSync(world.at('.config/vivaldi/NativeMessagingHosts'), { recursive: true });

    expect(findBrowsers(machineOf(world)).map(({ id }) => id)).not.toContain('vivaldi');
  });

  test('looks below XDG_CONFIG_HOME when it is absolute and ignores it when it is not', ({ world }) => {
    mkdirSync(world.at('conf/microsoft-edge/Default'), { recursive: true });
    const machine = machineOf(world);

    expect(findBrowsers({ ...machine, env: { ...machine.env, XDG_CONFIG_HOME: world.at('conf') } }).map(({ id }) => id)).toEqual([
      'chromium',
      'edge',
    ]);
    expect(findBrowsers({ ...machine, env: { ...machine.env, XDG_CONFIG_HOME: 'conf' } }).map(({ id }) => id)).toEqual([
      'chrome',
      'chromium',
    ]);
  });

  test("registers Opera in Chrome's folder too, because it reads that one", ({ world }) => {
    mkdirSync(world.at('.config/opera/Default'), { recursive: true });

    const opera = findBrowsers(machineOf(world)).find(({ id }) => id === 'opera');

    expect(opera?.otherManifestFiles).toEqual([world.at('.config/google-chrome/NativeMessagingHosts/com.pilotfish.host.json')]);
  });

  test('finds macOS profiles below Application Support', ({ world }) => {
    mkdirSync(world.at('Library/Application Support/Arc/User Data/Default'), { recursive: true });

    const arc = findBrowsers(machineOf(world, 'darwin')).find(({ id }) => id === 'arc');

    expect(arc?.manifestFile).toBe(world.at('Library/Application Support/Arc/User Data/NativeMessagingHosts/com.pilotfish.host.json'));
  });

  test('points every Windows browser at the one manifest in our folder', ({ world }) => {
    const targets = browserTargets(machineOf(world, 'win32'));

    expect(new Set(targets.map(({ manifestFile }) => manifestFile))).toEqual(
      new Set([path.win32.join(world.context.paths.root, 'com.pilotfish.host.json')]),
    );
    expect(targets.find(({ id }) => id === 'edge')?.registryKey).toBe('Software\\Microsoft\\Edge\\NativeMessagingHosts');
    expect(targets.every(({ registryKey }) => registryKey !== null)).toBe(true);
  });

  test('names browsers in a sandbox, which cannot start the executable', ({ world }) => {
    mkdirSync(world.at('snap/chromium/common'), { recursive: true });

    expect(findSandboxed(machineOf(world))).toEqual(['Chromium (Snap)']);
  });
});
