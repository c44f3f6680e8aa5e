import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test as base } from 'vitest';
import { UNKNOWN_PROCESS, type Caller } from '#companion/lib/peer.ts';
import { identifyCaller } from '#companion/process/lineage.ts';
import { until } from '#test/fixtures/until.ts';

interface Daemon {
  readonly pid: number;
  /** Runs a shell command as an agent's; `CALL` in it stands for a program that calls. Resolves with what the daemon saw. */
  asAgent(command: string, options?: { env?: Record<string, string>; isNoted?: boolean }): Promise<Caller>;
  /** A call of this very process, which is the daemon's parent, as a person's terminal is. */
  asPerson(): Promise<Caller>;
}

/** Notes what it was told only when the whole answer is there. */
const CALL = `
  const { connect } = require('node:net');
  const { renameSync, writeFileSync } = require('node:fs');
  const [socket, answer] = process.argv.slice(2);
  setTimeout(() => {
    let text = '';
    connect(socket).on('data', (part) => (text += part)).on('end', () => {
      writeFileSync(answer + '.part', text);
      renameSync(answer + '.part', answer);
    });
  }, 150);
`;

const startDaemon = async (folder: string, kind: string): Promise<{ daemon: Daemon; stop: () => void }> => {
  const socket = path.join(folder, 's');
  const program = path.join(folder, 'call.cjs');
  writeFileSync(program, CALL);
  const child = spawn(process.execPath, [fileURLToPath(new URL('./lineage-daemon.ts', import.meta.url)), socket, kind], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  let calls = 0;
  const daemon: Daemon = {
    pid: child.pid ?? 0,
    asAgent: async (command, { env = {}, isNoted = false } = {}) => {
      const answer = path.join(folder, `answer-${(calls += 1)}`);
      const line = command.replaceAll('CALL', `${process.execPath} ${program} ${socket} ${answer}`);
      child.stdin.write(`${JSON.stringify({ command: line, env: { PATH: '/usr/bin:/bin', ...env }, isNoted })}\n`);
      return JSON.parse(await until(() => readFileSync(answer, 'utf8'), { what: command })) as Caller;
    },
    asPerson: () =>
      new Promise((resolve, reject) => {
        let text = '';
        connect(socket)
          .on('data', (part) => (text += String(part)))
          .on('end', () => resolve(JSON.parse(text) as Caller))
          .on('error', reject);
      }),
  };
  return { daemon, stop: () => child.kill('SIGKILL') };
};

const test = base.extend<{ kind: string; daemon: Daemon }>({
  kind: 'whole',
  daemon: async ({ kind }, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
    const { daemon, stop } = await startDaemon(folder, kind);
    await use(daemon);
    stop();
    rmSync(folder, { recursive: true, force: true });
  },
});

describe.skipIf(process.platform !== 'linux')('who calls over the private socket', () => {
  test('this user, from a terminal, is the person, with process and program', async ({ daemon }) => {
    expect(await daemon.asPerson()).toEqual({
      pid: process.pid,
      uid: process.getuid?.(),
      program: process.execPath,
      folder: process.cwd(),
      parent: { pid: process.ppid, program: readlinkSync(`/proc/${process.ppid}/exe`), folder: readlinkSync(`/proc/${process.ppid}/cwd`) },
      actsFor: 'person',
    });
  });

  test.for([
    ['a command', 'CALL'],
    ['a command in the background', 'CALL &'],
    ['a session of its own', 'setsid CALL'],
    ['a session of its own, without its parent', 'setsid --fork CALL; exit'],
    ['an ignored hangup', 'nohup CALL >/dev/null 2>&1 &'],
    ['an empty environment', 'env -i CALL'],
    ['a double fork', '(CALL &) & exit'],
    ['all of them at once', 'nohup env -i setsid --fork sh -c "(env -i setsid CALL &) & exit" >/dev/null 2>&1 & exit'],
  ] as const)('an agent is known by %s', async ([, command], { daemon }) => {
    expect(await daemon.asAgent(command)).toMatchObject({ actsFor: 'agent' });
  });

  test('a process that has ended by the time we look does not act for the person', () => {
    const beyondAnyPid = 0x7f_ff_ff_ff;

    expect(identifyCaller({ pid: beyondAnyPid, uid: 0 }, { isRun: () => false }).actsFor).toBe('unknown');
  });

  test('where the system does not tell, every caller is the person', () => {
    expect(identifyCaller(null, { isRun: () => true })).toEqual({ ...UNKNOWN_PROCESS, actsFor: 'person' });
  });
});

describe.skipIf(process.platform !== 'linux')('an agent of a daemon that is no longer there', () => {
  test.override({ kind: 'without-orphans' });

  const away = 'setsid --fork sh -c "(CALL &) & exit"; exit';

  test('is known by the mark of its run', async ({ daemon }) => {
    expect(await daemon.asAgent(away, { env: { PILOTFISH_RUN: 'run.1' } })).toMatchObject({ actsFor: 'agent' });
  });

  test('is known by the mark of an ancestor, with no environment itself', async ({ daemon }) => {
    const command = 'setsid --fork sh -c "env -i CALL; true"; exit';

    expect(await daemon.asAgent(command, { env: { PILOTFISH_RUN: 'run.1' } })).toMatchObject({ actsFor: 'agent' });
  });

  test('is known by the process group that was noted for it', async ({ daemon }) => {
    expect(await daemon.asAgent('(env -i CALL &) & exit', { isNoted: true })).toMatchObject({ actsFor: 'agent' });
  });
});

describe.skipIf(process.platform !== 'linux')('orphans', () => {
  const zombiesOf = (pid: number): string[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter((child) => {
        try {
          return /\) Z /.test(readFileSync(`/proc/${child}/stat`, 'utf8'));
        } catch {
          return false;
        }
      });

  test('that the daemon has adopted leave nothing behind when they end', async ({ daemon }) => {
    await daemon.asAgent('for n in 1 2 3 4 5 6 7 8 9; do (setsid sh -c "sleep 0.1" &); done; (CALL &) & exit');

    await until(() => zombiesOf(daemon.pid).length === 0, { what: 'the end of the orphans' });
  });
});
