import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { FileLog } from '#companion/lib/log.ts';

const test = base.extend<{ file: string }>({
  // eslint-disable-next-line no-empty-pattern
  file: async ({}, use) => {
    const home = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
    await use(path.join(home, 'logs', 'daemon.log'));
    rmSync(home, { recursive: true, force: true });
  },
});

describe('the log', () => {
  test('is one line per event, whatever the fields hold', ({ file }) => {
    const lines: string[] = [];
    const log = new FileLog({ file, maxBytes: 1e6 });
    log.subscribe((line) => lines.push(line));
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;

    log.info('text', { text: 'a\r\nb\u001b[31mc\u009b\u2028d\u202e' });
    log.warn('circular', { circular });
    log.error('error', { error: Object.assign(new Error('broken\nhere'), { code: 'EIO' }), big: 10n, long: 'x'.repeat(100_000) });
    log.close();

    const written = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(written).toEqual(lines);
    expect(written).toHaveLength(3);
    // oxlint-disable-next-line no-control-regex
    expect(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/.test(written.join(''))).toBe(false);
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ level: 'info', event: 'text', text: 'a\r\nb\u001b[31mc\u009b\u2028d\u202e' });
    expect(JSON.parse(written[2] ?? '')).toMatchObject({ error: { message: 'broken\nhere', code: 'EIO' }, big: '10' });
    expect(JSON.parse(written[2] ?? '').error.stack).toContain('log.test.ts');
    expect(written[2]?.length).toBeLessThan(10_000);
  });

  test('stays within its bounds', ({ file }) => {
    const log = new FileLog({ file, maxBytes: 10_000 });

    for (let index = 0; index < 1000; index += 1) log.info('event', { index });
    log.close();

    expect(statSync(file).size).toBeLessThan(11_000);
    expect(statSync(`${file}.1`).size).toBeLessThan(11_000);
    expect(existsSync(`${file}.2`)).toBe(false);
  });

  test('does not stop what it is about when it cannot be written', () => {
    const lines: string[] = [];
    const log = new FileLog({ file: '/dev/null/x.log', maxBytes: 1 });
    log.subscribe((line) => lines.push(line));

    log.info('event');
    log.close();

    expect(lines).toHaveLength(1);
  });
});
