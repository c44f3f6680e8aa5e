import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { nullLog } from '#companion/lib/log.ts';
import { Audit } from '#companion/store/audit.ts';
import type { CallPage } from '#protocol/audit.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { SessionId } from '#protocol/ids.ts';

const COUNT = 12;

const test = base.extend<{ file: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  file: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
    await use(path.join(folder, 'audit.jsonl'));
    rmSync(folder, { recursive: true });
  },
});

const fill = (file: string, count = COUNT, maxBytes?: number): Audit => {
  const audit = new Audit(file, nullLog, { maxBytes });
  for (let index = 0; index < count; index += 1) {
    audit.add({ kind: 'decision', by: 'agent', what: `browser_click ${index}`, origin: 'https://shop.example', result: 'allowed' });
  }
  return audit;
};

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
const write = (file: string, lines: readonly string[]): void => writeFileSync(file, lines.map((line) => `${line}\n`).join(''));

type Change = (lines: readonly string[], index: number) => string[];

const CHANGES: Readonly<Record<string, Change>> = {
  'edited in place': (lines, index) => lines.map((line, at) => (at === index ? line.replace('allowed', 'denied!') : line)),
  'given another hash': (lines, index) => lines.map((line, at) => (at === index ? line.replace(/"hash":"./, '"hash":"z') : line)),
  deleted: (lines, index) => lines.filter((_, at) => at !== index),
  'exchanged with the next': (lines, index) => {
    const other = (index + 1) % lines.length;
    return lines.map((line, at) => (at === index ? (lines[other] ?? '') : at === other ? (lines[index] ?? '') : line));
  },
  doubled: (lines, index) => lines.flatMap((line, at) => (at === index ? [line, line] : [line])),
  'made unreadable': (lines, index) => lines.map((line, at) => (at === index ? line.slice(1) : line)),
};

describe('the audit', () => {
  test('is whole, and shows the newest entries in order', ({ file }) => {
    const { entries, entryCount, fault } = fill(file).report(3);

    expect({ entryCount, fault }).toEqual({ entryCount: COUNT, fault: null });
    expect(entries.map(({ seq, what }) => ({ seq, what }))).toEqual([
      { seq: 10, what: 'browser_click 9' },
      { seq: 11, what: 'browser_click 10' },
      { seq: 12, what: 'browser_click 11' },
    ]);
  });

  test('reads entries from before it was kept how much an agent was given, beside those that say it', ({ file }) => {
    fill(file, 1);
    const call = { by: 'agent', what: 'browser_click', result: 'done' } as const;
    const audit = new Audit(file, nullLog);
    audit.add({ ...call, kind: 'outcome', durationMs: 7 }, { ...call, kind: 'outcome', durationMs: 8, answerBytes: 1200 });

    const { entries, fault } = audit.report(COUNT);

    expect(fault).toBeNull();
    expect(entries.map(({ durationMs, answerBytes }) => [durationMs, answerBytes])).toEqual([
      [undefined, undefined],
      [7, undefined],
      [8, 1200],
    ]);
  });

  test('shows that its end was written anew by the same rule, unless the note of its end was, too', ({ file }) => {
    fill(file);
    const notes = readdirSync(path.dirname(file)).filter((name) => name !== path.basename(file));
    const before = notes.map((name) => [name, readFileSync(path.join(path.dirname(file), name))] as const);
    const other = path.join(path.dirname(file), 'other', 'audit.jsonl');
    mkdirSync(path.dirname(other));
    const audit = new Audit(other, nullLog);
    for (let index = 0; index < COUNT; index += 1) audit.add({ kind: 'act', by: 'panel', what: `another ${index}`, result: '200' });

    writeFileSync(file, readFileSync(other));
    for (const [name, bytes] of before) writeFileSync(path.join(path.dirname(file), name), bytes);

    expect(new Audit(file, nullLog).report(1).fault).toMatch(/^The audit ends with entry 12, and ended with 12/);
  });

  test('is read page by page from its end, also while it grows', ({ file }) => {
    const audit = fill(file);
    const pages: number[][] = [];

    for (let cursor: number | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const { entries, next } = audit.report(5, cursor);
      pages.push(entries.map(({ seq }) => seq));
      audit.add({ kind: 'act', by: 'panel', what: 'one more', result: '200' });
      cursor = next;
    }

    expect(pages).toEqual([
      [8, 9, 10, 11, 12],
      [3, 4, 5, 6, 7],
      [1, 2],
    ]);
    expect(audit.report(2, 1_000_000).entries.map(({ seq }) => seq)).toEqual([14, 15]);
    expect(audit.report(2, 1)).toMatchObject({ entries: [], entryCount: 15, fault: null });
  });

  test.for(Object.entries(CHANGES).flatMap(([how, change]) => Array.from({ length: COUNT }, (_, index) => [how, index, change] as const)))(
    'shows a line that was %s (%i), at once and after the next start',
    ([, index, change], { file }) => {
      const audit = fill(file);
      write(file, change(linesOf(file), index));
      const atOnce = audit.report(0).fault;
      audit.close();

      const later = fill(file, 2).report(0).fault;

      expect(atOnce).not.toBeNull();
      expect(later).not.toBeNull();
    },
  );

  test('shows that all of it, or the file that knows its end, was removed', ({ file }) => {
    fill(file).close();
    rmSync(file);
    expect(fill(file, 2).report(0).fault).toContain('comes entry 13');

    rmSync(`${file}.head`);
    expect(new Audit(file, nullLog).report(0).fault).not.toBeNull();
  });

  test('goes on over a restart, and over a crash between its two files or in the middle of a line', ({ file }) => {
    fill(file).close();
    const head = readFileSync(`${file}.head`);
    fill(file, 1).close();
    writeFileSync(`${file}.head`, head);
    appendFileSync(file, '{"hash":"half');

    const { entryCount, fault } = fill(file, 1).report(0);

    expect({ entryCount, fault }).toEqual({ entryCount: COUNT + 2, fault: null });
  });

  test('stays whole when a daemon that was suspended writes after another one took its place, over full files too', ({ file }) => {
    const audits = [1, 2, 3].map(() => new Audit(file, nullLog, { maxBytes: 1_000 }));
    const say = (audit: Audit, what: string): void => audit.add({ kind: 'act', by: 'panel', what, result: 'done' });

    for (let round = 0; round < COUNT; round += 1) {
      for (const [index, audit] of audits.entries()) if (round % (index + 1) === 0) say(audit, `${index} in ${round}`);
      for (const audit of audits) expect(audit.report(0).fault).toBeNull();
    }

    expect(new Audit(file, nullLog).report(1)).toMatchObject({ fault: null, entries: [{ seq: 22, what: '0 in 11' }] });
  });

  test('keeps a bounded size, and stays whole when the oldest entries go', ({ file }) => {
    const audit = fill(file, 200, 4_000);
    const { entryCount, fault, entries } = audit.report(1000);
    audit.close();

    expect(fault).toBeNull();
    expect(entryCount).toBeLessThan(50);
    expect(entries.at(-1)?.seq).toBe(200);
    truncateSync(`${file}.1`, 0);
    expect(new Audit(file, nullLog, { maxBytes: 4_000 }).report(0).fault).not.toBeNull();
  });

  test('gives the calls of one session or of all, page by page from the newest on, and what came since without a gap', ({ file }) => {
    const [one, other] = ['s1', 's2'].map((id) => SessionId.parse(id));
    const audit = new Audit(file, nullLog, { maxBytes: 1_500 });
    for (let index = 1; index <= 4; index += 1) {
      const call = { by: 'agent', what: `call ${index}`, sessionId: index === 3 ? other : one } as const;
      audit.add({ ...call, kind: 'decision', result: 'allowed' });
      audit.add({ kind: 'act', by: 'the person', what: 'POST "kind":"decision"', result: '200', sessionId: one });
      audit.add({ ...call, kind: 'outcome', result: 'done' });
    }
    const told = ({ entries }: CallPage): string[] => entries.map(({ what, kind }) => `${what} ${kind}`);

    const newest = audit.calls({ sessionId: one, last: 3 });
    expect(told(newest)).toEqual(['call 2 outcome', 'call 4 decision', 'call 4 outcome']);
    const before = audit.calls({ sessionId: one, last: 3, cursor: newest.next });
    expect(told(before)).toEqual(['call 1 decision', 'call 1 outcome', 'call 2 decision']);
    expect(before.next).toBeUndefined();
    expect(told(audit.calls({ last: 100 }))).toHaveLength(8);
    const since = audit.calls({ last: 2, after: 4 });
    expect(told(since)).toEqual(['call 2 outcome', 'call 3 decision']);
    expect(told(audit.calls({ last: 2, after: since.entries.at(-1)?.seq }))).toEqual(['call 3 outcome', 'call 4 decision']);
    expect(audit.calls({ last: 2, after: 12 })).toEqual({ entries: [] });
  });

  test('ends the calls that a daemon left under way when it died, once, and not those that ended or were refused', ({ file }) => {
    const rule = inAudit('rule_reading');
    const call = (callId: string) => ({ by: inAudit('who_agent', { name: 'A' }), what: 'browser_click', callId }) as const;
    const died = new Audit(file, nullLog);
    for (const callId of ['ended', 'twice', 'left', 'twice'])
      died.add({ ...call(callId), kind: 'decision', result: inAudit('allowed_by', { rule }) });
    died.add({ ...call('ended'), kind: 'outcome', result: inAudit('came_done') });
    died.add({ ...call('refused'), kind: 'decision', result: inAudit('denied_by', { rule }) });
    died.add({ by: 'agent', what: 'download', kind: 'decision', toolClass: 'download', result: inAudit('allowed_by', { rule }) });

    const next = new Audit(file, nullLog);
    next.endCutCalls();
    next.endCutCalls();

    const { entries, fault } = next.report(100);
    expect(fault).toBeNull();
    expect(entries.slice(7).map(({ kind, by, callId, says }) => [kind, by, callId, says?.result?.code])).toEqual([
      ['outcome', 'the agent A', 'left', 'came_cut'],
      ['outcome', 'the agent A', 'twice', 'came_cut'],
    ]);
  });
});
