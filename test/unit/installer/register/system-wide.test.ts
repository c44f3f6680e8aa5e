import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import { manifestProblem } from '#installer/register/manifest-check.ts';
import { finish } from '#installer/register/steps.ts';
import { installingForAll, systemManifestFiles, uninstallingForAll } from '#installer/register/system-wide.ts';
import { isThere, modeOf, test, type Stage } from './stage.ts';

/** In the place of the administrator's folders. */
const filesOf = (stage: Stage): string[] => systemManifestFiles('linux').map((file) => stage.at(file));

const remedyOf = (work: () => unknown): string => {
  try {
    work();
    return '';
  } catch (error) {
    return error instanceof CompanionError ? `${error.code}: ${error.remedy}` : String(error);
  }
};

describe('install for all users', () => {
  test('is where the vendors say, on each system that has such folders', () => {
    expect(systemManifestFiles('linux')).toEqual([
      '/etc/opt/chrome/native-messaging-hosts/com.pilotfish.host.json',
      '/etc/chromium/native-messaging-hosts/com.pilotfish.host.json',
      '/etc/opt/edge/native-messaging-hosts/com.pilotfish.host.json',
    ]);
    expect(systemManifestFiles('darwin')).toContain('/Library/Google/Chrome/NativeMessagingHosts/com.pilotfish.host.json');
    expect(remedyOf(() => finish(installingForAll('C:\\pilotfish.exe', systemManifestFiles('win32'))))).toContain('as each user');
  });

  test('writes manifests that every user may read, once, and takes them away again', ({ stage }) => {
    const files = filesOf(stage);
    const { executable } = stage.context;

    expect(finish(installingForAll(executable, files))).toMatchObject({ isComplete: true });

    for (const file of files) {
      expect(manifestProblem(file, executable)).toBeNull();
      expect(modeOf(file)).toBe(0o644);
    }
    expect(finish(installingForAll(executable, files)).manifests.map(({ state }) => state)).toEqual(files.map(() => 'unchanged'));
    expect(finish(uninstallingForAll(executable, files))).toMatchObject({ removed: files, isComplete: true });
    expect(files.filter(isThere)).toEqual([]);
    expect(finish(uninstallingForAll(executable, files))).toMatchObject({ removed: [] });
  });

  test('leaves each manifest old or new where it is cut off, and the next one repairs it', ({ stage }) => {
    const files = filesOf(stage);
    const { executable } = stage.context;
    for (let steps = 1; ; steps += 1) {
      for (const file of files) stage.write(file, 'old');
      const work = installingForAll(executable, files);
      let isDone = false;
      for (let step = 0; step < steps && !isDone; step += 1) isDone = work.next().done === true;

      for (const file of files) expect(readFileSync(file, 'utf8') === 'old' || manifestProblem(file, executable) === null).toBe(true);
      finish(installingForAll(executable, files));
      for (const file of files) expect(manifestProblem(file, executable)).toBeNull();
      if (isDone) break;
    }
  });

  test('says what to do where the folder is not to be written, and registers elsewhere', ({ stage }) => {
    const [blocked = '', ...others] = filesOf(stage);
    // Where a folder would have to be is a file.
    stage.write(stage.at('etc', 'opt', 'chrome'), '');

    const { manifests, isComplete } = finish(installingForAll(stage.context.executable, [blocked, ...others]));

    expect(isComplete).toBe(false);
    expect(manifests[0]?.error?.remedy).toBe(`Only the administrator may write there: sudo '${stage.context.executable}' install --system`);
    expect(others.every(isThere)).toBe(true);
  });

  test('names no program that a user could change, and removes no manifest of another program', ({ stage }) => {
    const files = filesOf(stage);
    chmodSync(stage.context.executable, 0o777);

    expect(remedyOf(() => finish(installingForAll(stage.context.executable, files)))).toMatch(/^INSTALL_FAILED: .*sudo install -D/u);

    mkdirSync(stage.at('etc', 'chromium', 'native-messaging-hosts'), { recursive: true });
    const foreign = files.find((file) => file.includes('/etc/chromium/')) ?? '';
    writeFileSync(foreign, JSON.stringify({ name: 'com.other', path: '/x', type: 'stdio', allowed_origins: [] }));
    finish(uninstallingForAll(stage.context.executable, files));
    expect(isThere(foreign)).toBe(true);
  });
});
