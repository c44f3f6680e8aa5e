import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { createHostServices } from '#companion/sessions/host-services.ts';
import { codeOf } from './world.ts';

const test = base.extend<{ root: string; call: (method: string, params: Record<string, unknown>) => Promise<unknown> }>({
  // eslint-disable-next-line no-empty-pattern
  root: async ({}, use) => {
    const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'pilotfish-')));
    mkdirSync(path.join(home, 'root'));
    await use(path.join(home, 'root'));
    rmSync(home, { recursive: true, force: true });
  },
  call: async ({ root }, use) => {
    const services = createHostServices(root, { PATH: process.env['PATH'] ?? '' });
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
});
