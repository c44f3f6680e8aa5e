import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, test as base } from 'vitest';
import { AgentServices } from '#companion/runs/agent-services.ts';
import { codeOf } from '#test/unit/sessions/stage.ts';

/** Puts a link where a folder is, and the folder back, for ever; what is made in its place meanwhile is taken away. */
const SWAP = `
  const { renameSync, rmSync } = require('node:fs');
  const { folder, link, kept } = require('node:worker_threads').workerData;
  const put = (from, to) => {
    for (;;) {
      try { return renameSync(from, to); } catch {}
      // Somebody may write into it meanwhile.
      try { rmSync(to, { recursive: true, force: true }); } catch {}
    }
  };
  for (;;) {
    renameSync(folder, kept);
    put(link, folder);
    renameSync(folder, link);
    put(kept, folder);
  }`;

const test = base.extend<{ root: string; call: (method: string, params: Record<string, unknown>) => Promise<unknown> }>({
  // eslint-disable-next-line no-empty-pattern
  root: async ({}, use) => {
    const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'pilotfish-')));
    mkdirSync(path.join(home, 'root'));
    await use(path.join(home, 'root'));
    rmSync(home, { recursive: true, force: true });
  },
  call: async ({ root }, use) => {
    const services = new AgentServices(root, { PATH: process.env['PATH'] ?? '' });
    await use(async (method, params) => services.call(method, { sessionId: 's', ...params }));
    services.close();
  },
});

describe('files of an agent', () => {
  test('are read and written inside the project', async ({ root, call }) => {
    await call('fs/write_text_file', { path: path.join(root, 'deep', 'note.txt'), content: 'one\ntwo\nthree' });

    const part = await call('fs/read_text_file', { path: path.join(root, 'deep', 'note.txt'), line: 2, limit: 1 });

    expect(readFileSync(path.join(root, 'deep', 'note.txt'), 'utf8')).toBe('one\ntwo\nthree');
    expect(part).toEqual({ content: 'two' });
  });

  test('are never outside, by dots or by links', async ({ root, call }) => {
    const outside = path.join(root, '..', 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'secret'), 'x');
    symlinkSync(outside, path.join(root, 'link'));
    symlinkSync(path.join(outside, 'secret'), path.join(root, 'file-link'));

    for (const way of ['../outside/secret', 'link/secret', 'file-link']) {
      expect(await codeOf(call('fs/read_text_file', { path: path.join(root, way) })), way).toBe('WORKSPACE_OUTSIDE_ROOTS');
    }
    expect(await codeOf(call('fs/write_text_file', { path: path.join(root, 'link/new'), content: '' }))).toBe('WORKSPACE_OUTSIDE_ROOTS');
    expect(await codeOf(call('fs/write_text_file', { path: path.join(root, 'file-link'), content: '' }))).not.toBe('none');
    expect(readFileSync(path.join(outside, 'secret'), 'utf8')).toBe('x');
    expect(existsSync(path.join(outside, 'new'))).toBe(false);
  });

  test('that are links stay links, and lead to files of the project only', async ({ root, call }) => {
    writeFileSync(path.join(root, 'real'), 'old');
    symlinkSync(path.join(root, 'real'), path.join(root, 'link'));
    symlinkSync(path.join(root, '..', 'nowhere'), path.join(root, 'dangling'));

    await call('fs/write_text_file', { path: path.join(root, 'link'), content: 'new' });

    expect(readFileSync(path.join(root, 'real'), 'utf8')).toBe('new');
    expect(await codeOf(call('fs/write_text_file', { path: path.join(root, 'dangling'), content: '' }))).toBe('INPUT_INVALID');
    expect(existsSync(path.join(root, '..', 'nowhere'))).toBe(false);
  });

  test('that are none are told apart, and a pipe nobody writes to is not waited for', async ({ root, call }) => {
    execFileSync('mkfifo', [path.join(root, 'pipe')]);

    expect(await codeOf(call('fs/read_text_file', { path: path.join(root, 'none') }))).toBe('FILE_NOT_FOUND');
    expect(await codeOf(call('fs/read_text_file', { path: path.join(root, 'none', 'deeper') }))).toBe('FILE_NOT_FOUND');
    expect(await codeOf(call('fs/read_text_file', { path: root }))).toBe('INPUT_INVALID');
    expect(await codeOf(call('fs/read_text_file', { path: path.join(root, 'pipe') }))).toBe('INPUT_INVALID');
    expect(await codeOf(call('fs/write_text_file', { path: path.join(root, 'pipe'), content: '' }))).toBe('INPUT_INVALID');
  });

  test('of more than ten megabytes are neither read nor written', async ({ root, call }) => {
    writeFileSync(path.join(root, 'big'), Buffer.alloc(10 * 1024 * 1024 + 1));

    expect(await codeOf(call('fs/read_text_file', { path: path.join(root, 'big') }))).toBe('INPUT_TOO_LARGE');
    expect(await codeOf(call('fs/write_text_file', { path: path.join(root, 'new'), content: 'x'.repeat(10 * 1024 * 1024 + 1) }))).toBe(
      'INPUT_TOO_LARGE',
    );
    expect(existsSync(path.join(root, 'new'))).toBe(false);
  });

  test('stay inside while a folder turns into a link and back', async ({ root, call, skip }) => {
    skip(process.platform !== 'linux', 'only Linux tells where an open file lies');
    const outside = path.join(root, '..', 'outside');
    for (const dir of [outside, path.join(root, 'folder')]) mkdirSync(dir);
    writeFileSync(path.join(outside, 'note'), 'the secret');
    writeFileSync(path.join(root, 'folder', 'note'), 'ours');
    symlinkSync(outside, path.join(root, 'link'));
    const [folder, link, kept] = ['folder', 'link', 'kept'].map((name) => path.join(root, name));
    const swapping = new Worker(SWAP, { eval: true, workerData: { folder, link, kept } });
    await once(swapping, 'online');

    const note = path.join(root, 'folder', 'note');
    const tries = Array.from({ length: 2000 }, async (_, index) => {
      if (index % 2 === 0) return call('fs/write_text_file', { path: note, content: 'ours' });
      return call('fs/read_text_file', { path: note });
    });
    const read = (await Promise.allSettled(tries)).flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    await swapping.terminate();

    expect(read).not.toContainEqual({ content: 'the secret' });
    expect(readFileSync(path.join(outside, 'note'), 'utf8')).toBe('the secret');
  });

  test('that are asked for in a wrong way are refused by name', async ({ call }) => {
    expect(await codeOf(call('fs/read_text_file', {}))).toBe('INPUT_INVALID');
    expect(await codeOf(call('fs/read_text_file', { path: 'relative' }))).toBe('INPUT_INVALID');
    expect(await codeOf(call('fs/format_disk', {}))).toBe('ENGINE_UNSUPPORTED');
    expect(await codeOf(call('constructor', {}))).toBe('ENGINE_UNSUPPORTED');
  });
});

describe('a terminal of an agent', () => {
  const create = async (
    call: (method: string, params: Record<string, unknown>) => Promise<unknown>,
    params: Record<string, unknown>,
  ): Promise<string> => String(((await call('terminal/create', params)) as { terminalId: string }).terminalId);

  test('runs a command line or words that no shell parses, and gives both streams', async ({ root, call }) => {
    const line = await create(call, { command: 'echo out; echo err >&2; pwd; exit 3' });
    const words = await create(call, { command: 'printf', args: ['%s', '$(id) ; x'] });

    expect(await call('terminal/wait_for_exit', { terminalId: line })).toEqual({ exitCode: 3, signal: null });
    await call('terminal/wait_for_exit', { terminalId: words });
    expect(await call('terminal/output', { terminalId: line })).toMatchObject({ output: `out\nerr\n${root}\n`, truncated: false });
    expect(await call('terminal/output', { terminalId: words })).toMatchObject({ output: '$(id) ; x\n', exitStatus: { exitCode: 0 } });
  });

  test('keeps the end of a long output, and is stopped when asked', async ({ call }) => {
    const long = await create(call, { command: 'seq 1 1000', outputByteLimit: 20 });
    const endless = await create(call, { command: 'sleep', args: ['1000'] });
    await call('terminal/wait_for_exit', { terminalId: long });

    await call('terminal/kill', { terminalId: endless });
    await call('terminal/release', { terminalId: long });

    expect(await call('terminal/output', { terminalId: endless })).toMatchObject({ exitStatus: { exitCode: null, signal: 'SIGTERM' } });
    expect(await codeOf(call('terminal/output', { terminalId: long }))).toBe('INPUT_INVALID');
  });

  test('keeps whole characters at the start of what is left', async ({ call }) => {
    const terminalId = await create(call, { command: "printf 'ääää'", outputByteLimit: 4 });

    await call('terminal/wait_for_exit', { terminalId });

    expect(await call('terminal/output', { terminalId })).toMatchObject({ output: 'ä\n', truncated: true });
  });

  test('that floods costs its limit, and each line the same', async ({ call }) => {
    const lines = 3_000_000;
    const started = process.cpuUsage();
    const flood = await create(call, { command: `yes | head -n ${lines}` });
    await call('terminal/wait_for_exit', { terminalId: flood });
    const { user, system } = process.cpuUsage(started);
    const { output, truncated } = (await call('terminal/output', { terminalId: flood })) as { output: string; truncated: boolean };

    expect(truncated).toBe(true);
    expect(output.length).toBe(1024 * 1024);
    expect((user + system) / lines).toBeLessThan(5);
  });

  test('has sixteen of its kind at most, those that are about to start included', async ({ call }) => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(call('terminal/create', { command: 'sleep 1000' }))));

    expect(codes.filter((code) => code === 'none')).toHaveLength(16);
    expect(codes.filter((code) => code === 'INPUT_TOO_LARGE')).toHaveLength(4);
  });

  test('that was asked for before the end of the session does not start after it', async ({ root }) => {
    const services = new AgentServices(root, { PATH: process.env['PATH'] ?? '' });

    const late = codeOf(services.call('terminal/create', { command: 'touch late' }));
    services.close();

    expect(await late).toBe('INPUT_INVALID');
    expect(existsSync(path.join(root, 'late'))).toBe(false);
  });
});
