import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { startChild, type Child, type Exit } from '#companion/process/child.ts';
import { isGroupAlive } from '#companion/process/group.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';

/** Elsewhere nobody says which process a command that left its group came from. */
const NEEDS_PROC = 'only Linux has /proc';

interface Run {
  readonly child: Child;
  readonly lines: string[];
  readonly exits: Exit[];
  /** Resolves with the first line that starts so. */
  readonly line: (start: string) => Promise<string>;
}

/** Starts small real programs and stops what is left of them. */
const test = base.extend<{ dir: string; run: (source: string, options?: { cwd?: string; maxLineBytes?: number }) => Run }>({
  // oxlint-disable-next-line no-empty-pattern
  dir: async ({}, use) => {
    const dir = mkdtempSync(join(tmpdir(), 'pilotfish-child-'));
    await use(dir);
    rmSync(dir, { recursive: true });
  },
  run: async ({ dir }, use) => {
    const started: Child[] = [];
    await use((source, options = {}) => {
      const lines: string[] = [];
      const exits: Exit[] = [];
      const waiting = new Map<string, (line: string) => void>();
      const take = (line: string): void => {
        lines.push(line);
        for (const [start, resolve] of waiting) if (line.startsWith(start)) resolve(line);
      };
      const child = startChild({
        command: process.execPath,
        args: ['-e', source],
        cwd: options.cwd ?? dir,
        env: { PATH: process.env['PATH'] ?? '' },
        ...(options.maxLineBytes === undefined ? {} : { maxLineBytes: options.maxLineBytes }),
        onLine: take,
        onOverflow: () => take('overflow'),
        onExit: (exit) => exits.push(exit),
      });
      started.push(child);
      return {
        child,
        lines,
        exits,
        line: async (start) => lines.find((line) => line.startsWith(start)) ?? new Promise((resolve) => waiting.set(start, resolve)),
      };
    });
    await Promise.all(started.map((child) => child.stop({ graceMs: 0 })));
  },
});

const STAY = 'setInterval(() => {}, 1000);';
/** A grandchild that ignores SIGTERM, keeps our stdout open and writes its process id. */
const GRANDCHILD = `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); console.log('grandchild ' + process.pid); setInterval(() => {}, 1000)"], { stdio: ['ignore', 'inherit', 'ignore'] });
`;

const isRunning = (pid: number): boolean => {
  try {
    // A zombie still has an id but runs no more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('child', () => {
  test('sends lines, gets lines, and tells the exit after the last line', async ({ run }) => {
    const { child, lines, exits } = run(
      `process.stdin.on('data', (data) => process.stdout.write('got ' + data)).on('end', () => process.stdout.write('end'))`,
    );

    expect(child.write('{"a":1}')).toBe(true);
    child.closeStdin();

    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(lines).toEqual(['got {"a":1}', 'end']);
    expect(exits).toHaveLength(1);
  });

  test('a program that does not exist ends with the reason, not with a throw', async ({ dir }) => {
    const child = startChild({ command: join(dir, 'none'), args: [], cwd: dir, env: {}, onLine: () => {}, onOverflow: () => {} });

    expect(child.pid).toBeNull();
    expect(child.write('x')).toBe(false);
    expect((await child.exited).startError?.message).toContain('ENOENT');
    await child.stop();
  });

  test('a folder that does not exist and a NUL in an argument end the same way', async ({ dir, run }) => {
    const inNowhere = run('', { cwd: join(dir, 'none') });
    const withNul = startChild({ command: 'node', args: ['a\0b'], cwd: dir, env: {}, onLine: () => {}, onOverflow: () => {} });

    expect((await inNowhere.child.exited).startError?.message).toContain('ENOENT');
    expect((await withNul.exited).startError).toBeInstanceOf(Error);
  });

  test('an argument is never a shell command, in two hundred and more spellings', async ({ dir }) => {
    const commands = ['touch canary', '--version', '%PATH%', '/bin/touch canary', 'touch${IFS}canary'];
    const around = [
      ...[
        ';',
        '|',
        '||',
        '&',
        '&&',
        '\n',
        '\r\n',
        '> canary;',
        '< /dev/null;',
        '2>&1;',
        ') ;',
        '} ;',
        '-',
        '--',
        '-c ',
        '@',
        '\t;',
        '\u2028;',
      ].map((before) => [before, ''] as const),
      ...(['$()', '``', '""', "''", '"$()"', "'`'", '${}', '$(())', '<()', '>()', '{,}', '%%', '^&', '"&"', "';'"] as const).map(
        (pair) => [pair.slice(0, Math.ceil(pair.length / 2)), pair.slice(Math.ceil(pair.length / 2))] as const,
      ),
      ...['.bat"&', '.cmd|', '\\";', "\\';", '"^\n', '!', '~/', '*', '?'].map((after) => ['x', after] as const),
    ];
    const hostile = around.flatMap(([before, after]) => commands.map((command) => `${before}${command}${after}`));
    expect(hostile.length).toBeGreaterThanOrEqual(200);
    const lines: string[] = [];
    const child = startChild({
      command: process.execPath,
      args: ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...hostile],
      cwd: dir,
      env: {},
      onLine: (line) => lines.push(line),
      onOverflow: () => {},
    });

    await child.exited;

    expect(JSON.parse(lines[0] ?? '')).toEqual(hostile);
    expect(() => readFileSync(join(dir, 'canary'))).toThrow('ENOENT');
  });

  test('stop ends a program that waits for stdin by closing it', async ({ run }) => {
    const { child, line } = run(`process.stdin.resume(); console.log('up')`);
    await line('up');

    await child.stop();

    expect(await child.exited).toEqual({ code: 0, signal: null });
  });

  test('a program that ignores stdin and SIGTERM is killed', async ({ run }) => {
    const { child, line } = run(`process.on('SIGTERM', () => {}); console.log('up'); ${STAY}`);
    await line('up');

    await child.stop();

    expect((await child.exited).signal).toBe('SIGKILL');
  });

  test('by force, such a program is killed at once, also when it was given time before', async ({ run }) => {
    const { child, line } = run(`process.on('SIGTERM', () => {}); console.log('up'); ${STAY}`);
    await line('up');
    const load = new MachineLoad();
    const startedAt = performance.now();

    const stopping = child.stop();
    await child.stop({ isForced: true });
    await stopping;
    const tookMs = performance.now() - startedAt;

    expect((await child.exited).signal).toBe('SIGKILL');
    if (load.isQuiet) expect(tookMs).toBeLessThan(600);
  });

  test('stop takes grandchildren that ignore SIGTERM with it', async ({ run }) => {
    const { child, line } = run(`${GRANDCHILD} ${STAY}`);
    const pid = Number((await line('grandchild')).split(' ')[1]);

    await child.stop({ graceMs: 100 });

    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test('a program that ends by itself leaves no grandchild behind, and its exit is told although the pipe was held', async ({ run }) => {
    const { child, line } = run(`${GRANDCHILD} process.stdin.once('data', () => process.exit(3));`);
    const pid = Number((await line('grandchild')).split(' ')[1]);

    child.write('end');
    expect((await child.exited).code).toBe(3);
    await child.stop();

    await expect.poll(() => isRunning(pid)).toBe(false);
    await expect.poll(() => child.pid !== null && isGroupAlive(child.pid) && isRunning(child.pid)).toBe(false);
  });

  test('a killed agent takes a command with it that left its group', async ({ run, skip }) => {
    skip(process.platform !== 'linux', NEEDS_PROC);
    const { child, line } = run(`
      const { spawn } = require('node:child_process');
      const command = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); console.log('command ' + process.pid); setInterval(() => {}, 1000)"], { stdio: ['ignore', 'inherit', 'ignore'], detached: true });
      ${STAY}`);
    const pid = Number((await line('command')).split(' ')[1]);

    process.kill(Number(child.pid), 'SIGKILL');
    await child.exited;
    await child.stop();

    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test('an agent that is stopped in its work takes such a command with it, though it ends well', async ({ run, skip }) => {
    skip(process.platform !== 'linux', NEEDS_PROC);
    const { child, line } = run(`
      const { spawn } = require('node:child_process');
      const command = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); console.log('command ' + process.pid); setInterval(() => {}, 1000)"], { stdio: ['ignore', 'inherit', 'ignore'], detached: true });
      command.unref();
      process.stdin.resume().on('end', () => process.exit(0));`);
    const pid = Number((await line('command')).split(' ')[1]);

    await child.stop({ isCut: true });

    expect(await child.exited).toMatchObject({ code: 0 });
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test('what an agent that ended well left running on purpose stays', async ({ run, skip }) => {
    skip(process.platform !== 'linux', NEEDS_PROC);
    const { child, line } = run(`
      const { spawn } = require('node:child_process');
      const server = spawn(process.execPath, ['-e', "setTimeout(() => {}, 60_000)"], { stdio: 'ignore', detached: true });
      console.log('server ' + server.pid);
      server.unref();`);
    const pid = Number((await line('server')).split(' ')[1]);

    await child.exited;
    await child.stop();

    expect(isRunning(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  test('a flood on stderr does not stop the program, and only its end is kept', async ({ run }) => {
    const { child, lines } = run(
      `const flood = 'x'.repeat(65536); for (let i = 0; i < 400; i++) process.stderr.write(flood); process.stderr.write('the reason\\n', () => console.log('done'))`,
    );

    await child.exited;

    expect(lines).toEqual(['done']);
    expect(child.stderrTail().length).toBeLessThanOrEqual(16 * 1024);
    expect(child.stderrTail().endsWith('the reason')).toBe(true);
  });

  test('writing to a program that has closed its stdin does no harm', async ({ run }) => {
    const { child, line } = run(`process.stdin.destroy(); require('node:fs').closeSync(0); console.log('closed'); ${STAY}`);
    await line('closed');

    for (let count = 0; count < 50; count++) child.write('x'.repeat(10_000));
    await child.stop({ graceMs: 0 });

    expect(child.write('late')).toBe(false);
  });

  test('stop is asked for twice and done once', async ({ run }) => {
    const { child, exits } = run(STAY);

    await Promise.all([child.stop({ graceMs: 0 }), child.stop({ graceMs: 0 })]);

    expect(exits).toHaveLength(1);
  });

  test('an endless line is told while it still comes', async ({ run }) => {
    const { line } = run(`const write = () => process.stdout.write('x'.repeat(65536), write); write();`, { maxLineBytes: 1_000_000 });

    expect(await line('overflow')).toBe('overflow');
  });
});
