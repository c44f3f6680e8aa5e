/** A copy of the built executable in a throwaway home replaces itself, and comes back where the new one does not work. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { RUN_MARK } from '#protocol/environment.ts';
import { VERSION } from '#protocol/version.ts';
import type { Companion, RunResult } from '#test/fixtures/companion.ts';
import { executableOfVersion, packageOfVersion, strangersKey, writeRelease } from '#test/fixtures/release.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const NEWER = '0.9.0';
const OLDER = '0.0.9';

/** A build, and the compression of two packages, each time. */
const PACKAGE_MS = 30 * 60_000;

/** The person's own copy, with a daemon of it that has a project. */
const openStage = async (companion: Companion) => {
  const { home } = companion;
  const folder = path.join(home.dir, 'app');
  const own = path.join(folder, 'pilotfish');
  const releases = path.join(home.dir, 'releases');
  mkdirSync(folder);
  copyFileSync(companion.executable, own);
  chmodSync(own, 0o755);
  const runAs = (program: string, args: string[]): Promise<RunResult> =>
    new Promise((resolve) => {
      execFile(program, args, { env: companion.env, cwd: home.dir }, (error, stdout, stderr) =>
        resolve({
          code: error === null ? 0 : typeof error.code === 'number' ? error.code : null,
          stdout,
          stderr: stderr + (error?.signal ?? ''),
        }),
      );
    });
  const run = (...args: string[]): Promise<RunResult> => runAs(own, args);
  // Nobody is connected, and a slow machine takes longer than a daemon waits for somebody.
  companion.writeSettings({ keepAlive: true });
  await companion.startDaemon({ executable: own });
  const rootPath = path.join(home.dir, 'project');
  mkdirSync(rootPath);
  await companion.api.send('POST', '/agent/projects', { name: 'Kept', rootPath });
  return {
    own,
    folder,
    run,
    /** The program that an update has kept. */
    runKept: (...args: string[]): Promise<RunResult> => runAs(`${own}.old`, args),
    release: (name: string, content: Buffer, options: Parameters<typeof writeRelease>[3] = {}) =>
      writeRelease(releases, name, content, options),
    /** What a person would see to be as it was, or new. */
    look: async () => {
      const status = (await companion.api.send('GET', '/api/status')).json as { version: string; projects: { name: string }[] };
      return { program: (await run('--version')).stdout.trim(), daemon: status.version, projects: status.projects.map(({ name }) => name) };
    },
  };
};

const asBefore = { program: VERSION, daemon: VERSION, projects: ['Kept'] };

const scriptOf = (onDaemon: string, version: string = NEWER): Buffer =>
  Buffer.from(`#!/bin/sh\ncase "$1" in version) echo '{"version":"${version}"}';; daemon) ${onDaemon};; *) exit 9;; esac\n`);

describe('pilotfish update', () => {
  test(
    'replaces the program by a newer one whose daemon answers, and keeps the old one and the data of before',
    { tags: 'whole' },
    async ({ companion }) => {
      const stage = await openStage(companion);
      const from = stage.release(`pilotfish-${NEWER}-linux-x64`, executableOfVersion(NEWER));

      const { code, stdout, stderr } = await stage.run('update', '--from', from, '--json');

      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const report = JSON.parse(stdout) as { old: string; backup: string };
      expect(report).toMatchObject({ isUpdated: true, version: { before: VERSION, now: NEWER } });
      expect(await stage.look()).toEqual({ program: NEWER, daemon: NEWER, projects: ['Kept'] });
      expect(readFileSync(report.old).equals(readFileSync(companion.executable))).toBe(true);
      expect(existsSync(path.join(report.backup, 'pilotfish.db'))).toBe(true);
      expect(readdirSync(stage.folder).toSorted()).toEqual(['pilotfish', 'pilotfish.old']);

      // It is the newer one that is asked now, and nothing older takes its place.
      const back = stage.release(`pilotfish-${VERSION}-linux-x64`, readFileSync(report.old));
      expect(await stage.run('update', '--from', back)).toMatchObject({ code: 1, stderr: expect.stringContaining('older than this one') });
      expect(await stage.look()).toMatchObject({ program: NEWER, daemon: NEWER });
    },
  );

  test(
    'changes nothing for what is older, damaged, or signed by somebody else, nor for itself',
    { tags: 'whole' },
    async ({ companion }) => {
      const stage = await openStage(companion);
      const [before] = companion.daemons();
      const older = stage.release('pilotfish-older', scriptOf('exit 1', OLDER));
      expect(await stage.run('update', '--from', older)).toMatchObject({ code: 1, stderr: expect.stringContaining(OLDER) });
      const newer = scriptOf('exit 1');
      const cut = stage.release('pilotfish-cut', newer, { isDamaged: true });
      expect(await stage.run('update', '--from', cut)).toMatchObject({ code: 1, stderr: expect.stringContaining('damaged') });
      const foreign = stage.release('pilotfish-foreign', newer, { key: strangersKey() });
      const refused = await stage.run('update', '--from', foreign, '--json');
      expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'UPDATE_NOT_VERIFIED' } });
      const same = stage.release('pilotfish-same', readFileSync(companion.executable));
      expect(await stage.run('update', '--from', same, '--json')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"isUpdated": false'),
      });
      expect(await stage.run('update')).toMatchObject({ code: 2 });
      const byAgent = await companion.run(['update', '--from', same, '--json'], { env: { [RUN_MARK]: 'run' } });
      expect(JSON.parse(byAgent.stdout)).toMatchObject({ error: { code: 'PERSON_ONLY' } });

      expect(await stage.look()).toEqual(asBefore);
      expect(companion.daemons()).toEqual([before]);
      expect(readdirSync(stage.folder)).toEqual(['pilotfish']);
    },
  );

  test('goes back, with the data of before, when the new daemon does not come up', { tags: 'whole' }, async ({ companion }) => {
    const stage = await openStage(companion);
    const from = stage.release('pilotfish-broken', scriptOf('echo nonsense > "$PILOTFISH_HOME/pilotfish.db"; exit 7'));

    const { code, stderr } = await stage.run('update', '--from', from);

    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`The daemon of version ${NEWER} ended at once.`) });
    await expect.poll(() => stage.look().catch(() => null), { timeout: 120_000 }).toEqual(asBefore);
    expect(readdirSync(stage.folder)).toEqual(['pilotfish']);
  });

  test(
    'takes the archive that `npm run package` makes of newer sources, and refuses that of older ones',
    { timeout: PACKAGE_MS },
    async ({ companion, skip }) => {
      skip(!isWhole, 'a second version is built and packed: npm run test:whole');
      const stage = await openStage(companion);
      const older = await packageOfVersion(OLDER);
      expect(await stage.run('update', '--from', older)).toMatchObject({ code: 1, stderr: expect.stringContaining(OLDER) });
      expect(await stage.look()).toEqual(asBefore);
      const newer = await packageOfVersion(NEWER);

      expect(await stage.run('update', '--from', newer)).toMatchObject({ code: 0, stderr: '' });

      expect(await stage.look()).toEqual({ program: NEWER, daemon: NEWER, projects: ['Kept'] });
      expect(readdirSync(stage.folder).toSorted()).toEqual(['pilotfish', 'pilotfish.old']);
      // What the package manager installs is its own to replace.
      const deb = path.join(path.dirname(newer), `pilotfish_${NEWER}_${process.arch === 'x64' ? 'amd64' : process.arch}.deb`);
      expect(await stage.run('update', '--from', deb)).toMatchObject({ code: 1, stderr: expect.stringContaining('sudo apt install') });
    },
  );

  test('is gone back from with the program of before, where it was killed while it tried the new one', async ({ companion, skip }) => {
    skip(!isWhole, 'its parts are unit tests: npm run test:whole');
    const stage = await openStage(companion);
    const pidFile = path.join(stage.folder, 'pid');
    const broken = scriptOf(`echo nonsense > "$PILOTFISH_HOME/pilotfish.db"; echo $$ > '${pidFile}'; exec sleep 120`);
    const update = spawn(stage.own, ['update', '--from', stage.release('pilotfish-broken', broken)], {
      env: companion.env,
      cwd: companion.home.dir,
      stdio: 'ignore',
    });
    const ended = once(update, 'exit');
    const trial = await until(() => (existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim() || null : null));
    update.kill('SIGKILL');
    await ended;
    process.kill(Number(trial), 'SIGKILL');
    rmSync(pidFile);

    const fixed = await stage.runKept('doctor', '--fix');

    expect(fixed).toMatchObject({ code: 0, stdout: expect.stringContaining('the program and the data of before it are back') });
    await companion.startDaemon({ executable: stage.own });
    expect(await stage.look()).toEqual(asBefore);
    expect(readdirSync(stage.folder)).toEqual(['pilotfish']);
  });

  test('goes back when the new daemon hangs, and ends it', async ({ companion, skip }) => {
    skip(!isWhole, 'the limit is waited for: npm run test:whole');
    const stage = await openStage(companion);
    const from = stage.release('pilotfish-hangs', scriptOf('sleep 600'));

    expect(await stage.run('update', '--from', from)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not answer yet; after \d+ s the one of before is back.*does not answer\./su),
    });

    await expect.poll(() => stage.look().catch(() => null), { timeout: 120_000 }).toEqual(asBefore);
  });
});
