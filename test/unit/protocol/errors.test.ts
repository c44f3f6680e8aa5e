import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CompanionError, ErrorBody, ERRORS, fromErrorBody, isErrorCode } from '#protocol/errors.ts';

const root = path.join(import.meta.dirname, '../../..');

const sourcesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/u.test(name) && !name.endsWith(path.join('protocol', 'errors.ts')))
    .map((name) => readFileSync(path.join(root, folder, name), 'utf8'));

describe('the error codes', () => {
  test('are all in use', () => {
    const sources = ['companion', 'extension', 'installer'].flatMap(sourcesIn).join('\n');
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

  test('arrive at another process as they were thrown', () => {
    const thrown = new CompanionError('ENGINE_RATE_LIMITED', 'Until noon.', { remedy: 'Wait.', retryAt: 12 });

    const arrived = fromErrorBody(ErrorBody.parse(JSON.parse(JSON.stringify(thrown.toBody()))));

    expect(arrived).toMatchObject({ name: 'CompanionError', code: thrown.code, message: thrown.message, remedy: 'Wait.', retryAt: 12 });
    expect(arrived.status).toBe(429);
  });
});
