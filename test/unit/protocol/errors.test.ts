import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CompanionError, ErrorBody, ERRORS, fromErrorBody, isErrorCode, toErrorBody } from '#protocol/errors.ts';
import { SessionEvent } from '#protocol/events.ts';
import { asItCame } from '#protocol/said.ts';
import { ForeignDirectoryError } from '#companion/lib/paths.ts';

const root = path.join(import.meta.dirname, '../../..');

const sourcesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/u.test(name) && !name.endsWith(path.join('protocol', 'errors.ts')))
    .map((name) => readFileSync(path.join(root, folder, name), 'utf8'));

describe('the error codes', () => {
  test('are all in use', () => {
    const [, belowTheTable = ''] = readFileSync(path.join(root, 'companion/protocol/errors.ts'), 'utf8').split('as const satisfies');
    const sources = [...['companion', 'extension', 'installer'].flatMap(sourcesIn), belowTheTable].join('\n');
    const used = new Set(sources.match(/\b[A-Z]+(?:_[A-Z]+)*\b/gu));

    expect(Object.keys(ERRORS).filter((code) => !used.has(code))).toEqual([]);
  });

  test('each say what failed and what to do, as sentences', () => {
    for (const [code, { status, message, remedy }] of Object.entries(ERRORS)) {
      expect(message, code).toMatch(/^[A-Z].*\.$/u);
      expect(remedy, code).toMatch(/^[A-Z`].*\.$/u);
      expect(status, code).toBeGreaterThanOrEqual(400);
    }
  });

  test('are known by their names only, and none by the name of a method that every object has', () => {
    expect(isErrorCode('INTERNAL')).toBe(true);
    for (const name of ['constructor', '__proto__', 'toString', 'NOTHING', null, 7]) expect(isErrorCode(name), String(name)).toBe(false);
  });

  test('tell a fault of the disk by its true cause, wherever it is met', () => {
    const of = (fault: object): ErrorBody => toErrorBody(Object.assign(new Error('it failed'), fault));

    expect(of({ code: 'ENOSPC', syscall: 'write' })).toMatchObject({
      code: 'DISK_FAILED',
      message: expect.stringMatching(/The disk is full\. \(it failed\)/),
      remedy: expect.stringContaining('Free disk space'),
    });
    expect(of({ code: 'EROFS', syscall: 'open', path: '/data/run/mcp.json' })).toMatchObject({
      message: expect.stringContaining('The disk of /data/run/mcp.json can only be read'),
      remedy: expect.stringContaining('Make it writable'),
    });
    expect(of({ code: 'EACCES', syscall: 'open', path: '/data/run/mcp.json' })).toMatchObject({
      message: expect.stringContaining('/data/run/mcp.json cannot be written or read by you'),
      remedy: expect.stringContaining('Check the rights of /data/run'),
    });
    expect(of({ code: 'EMFILE', syscall: 'open' }).message).toContain('Too many files are open');
    // So it is with a link that leads nowhere.
    expect(of({ code: 'EEXIST', syscall: 'mkdir', path: '/data' }).message).toContain('/data is not what it should be');
    expect(of({ code: 'ENOENT', syscall: 'uv_cwd' })).toMatchObject({
      code: 'DISK_FAILED',
      message: expect.stringContaining('The folder in which pilotfish was started is gone'),
      remedy: expect.stringContaining('Go to another folder'),
    });
    expect(of({ code: 'EACCES', syscall: 'open', path: 'C:\\data\\key' }).remedy).toContain('C:\\data,');
    // A folder that is a link, or belongs to somebody else, comes with its own way out.
    expect(
      toErrorBody(new ForeignDirectoryError(asItCame('/home/me/data is a symbolic link (to /mnt).'), asItCame('Put a real folder there.'))),
    ).toMatchObject({
      code: 'DISK_FAILED',
      message: expect.stringContaining('/home/me/data is a symbolic link (to /mnt)'),
      remedy: 'Put a real folder there.',
    });
    // A port or a program is no file.
    for (const syscall of ['listen', 'spawn claude']) expect(of({ code: 'EACCES', syscall }).code).toBe('INTERNAL');
    expect(of({ code: 'constructor', syscall: 'open' }).code).toBe('INTERNAL');
  });

  test('arrive at another process as they were thrown', () => {
    const thrown = new CompanionError('ENGINE_RATE_LIMITED', 'Until noon.', { remedy: 'Wait.', retryAt: 12 });

    const arrived = fromErrorBody(ErrorBody.parse(JSON.parse(JSON.stringify(thrown.toBody()))));

    expect(arrived).toMatchObject({ name: 'CompanionError', code: thrown.code, message: thrown.message, remedy: 'Wait.', retryAt: 12 });
    expect(arrived.status).toBe(429);
  });

  test('of a later version arrive with what it says of them', () => {
    const told = { code: 'MOON_TOO_FULL', message: 'The moon is too full.', remedy: 'Wait a week.' };

    const arrived = fromErrorBody(ErrorBody.parse(told));

    expect(arrived).toMatchObject({ code: 'FAULT_UNKNOWN', message: told.message, remedy: told.remedy });
    const ended = SessionEvent.parse({
      ...told,
      sessionId: 's',
      seq: 1,
      at: 1,
      type: 'turn.completed',
      turnId: 't',
      outcome: 'failed',
      durationMs: 1,
      error: told,
    });
    expect(ended).toMatchObject({ error: { message: told.message } });
  });
});
