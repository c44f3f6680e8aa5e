import { describe, expect, test } from 'vitest';
import { type ActFilter, type BrowserAct, browserActs, isWanted } from '#display/browser-acts.ts';
import { errorTitle } from '#display/error-text.ts';
import { inLanguage, words } from '#display/words.ts';
import { faultInAudit, inAudit } from '#protocol/audit-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { tools } from '#extension/tools/index.ts';
import { SessionId } from '#protocol/ids.ts';
import { asItCame, type Said } from '#protocol/said.ts';
import type { AuditEntry } from '#protocol/audit.ts';

const [english, chinese] = [inLanguage(words, 'en'), inLanguage(words, 'zh-CN')];
const entry = (seq: number, kind: AuditEntry['kind'], result: Said | string, over: Partial<AuditEntry> = {}): AuditEntry => ({
  hash: '',
  seq,
  at: '2026-01-31T12:00:00Z',
  kind,
  by: 'claude',
  what: 'browser_click',
  sessionId: SessionId.parse('s1'),
  argsHash: 'a',
  origin: 'https://tides.example',
  ...(typeof result === 'string' ? { result } : { result: result.text, says: { result } }),
  ...over,
});

const allowed = (rule: string): Said => inAudit('allowed_by', { rule: asItCame(rule) });
const refused = inAudit('denied_by', { rule: inAudit('rule_user_denied') });
const [done, failed] = [inAudit('came_done'), inAudit('came_failed')];
const timeout = faultInAudit('came_fault', new CompanionError('TOOL_TIMEOUT', 'it took too long').toBody());

describe('what agents did in the browser', () => {
  test('is a decision and how it ended as one act, the newest first', () => {
    const other = { argsHash: 'b' };
    const acts = browserActs(
      [
        entry(1, 'decision', allowed('the user allowed it (once)')),
        entry(2, 'decision', refused, other),
        entry(3, 'outcome', done),
        entry(4, 'act', '200', { what: 'POST /api/shutdown' }),
        entry(5, 'decision', allowed('looking'), { what: 'later_tool' }),
      ],
      english,
    );

    expect(acts.map(({ seq, what, results, state }) => [seq, what, results, state])).toEqual([
      [5, 'later_tool', ['allowed'], 'running'],
      [2, 'Click an element', ['denied: the user did not allow it'], 'refused'],
      [1, 'Clicked an element', ['allowed', 'done'], 'done'],
    ]);
  });

  test('has no hole where an argument would stand, for none is kept; a tool of a page is named', () => {
    for (const { name } of tools)
      for (const language of [english, chinese]) {
        const [act] = browserActs(
          [entry(1, 'decision', allowed('it was allowed'), { what: name }), entry(2, 'outcome', done, { what: name })],
          language,
        );
        expect(act?.what).not.toMatch(/[{}]|\s(?:as|by)$|[:：]$/);
      }
    const named = { what: 'browser_page_tool', element: 'f7:order' };
    expect(browserActs([entry(1, 'decision', allowed('it was allowed'), named)], english)).toMatchObject([
      { what: 'Use the tool “f7:order” of the page' },
    ]);
  });

  test('a download is one with its decision, by the name of its file', () => {
    const download = { what: 'download', toolClass: 'download', element: 'tides.pdf' };
    const entries = [
      entry(1, 'decision', allowed('the user allowed it'), download),
      entry(2, 'decision', refused, { ...download, element: undefined }),
    ];

    expect(browserActs(entries, english).map(({ what, state }) => [what, state])).toEqual([
      ['Download', 'refused'],
      ['Download “tides.pdf”', 'done'],
    ]);
    expect(browserActs(entries, chinese).map(({ what }) => what)).toEqual(['下载', '下载“tides.pdf”']);
  });

  test('says of a refused one too how long it took and how much the agent was told', () => {
    expect(browserActs([entry(1, 'decision', refused, { durationMs: 3000, answerBytes: 90 })], english)).toMatchObject([
      { state: 'refused', durationMs: 3000, answerBytes: 90 },
    ]);
  });

  test('names the element as the page does, says how long it took and how much the agent was given, also of a call that was kept at one go', () => {
    const acts = browserActs(
      [
        entry(1, 'decision', allowed('it was allowed'), { element: 'Show next week' }),
        entry(2, 'outcome', done, { element: 'Show next week', durationMs: 240, answerBytes: 1234 }),
        entry(3, 'decision', allowed('looking'), { what: 'browser_snapshot' }),
      ],
      english,
    );

    expect(acts.map(({ what, durationMs, answerBytes }) => [what, durationMs, answerBytes])).toEqual([
      ['Look at the page', null, null],
      ['Clicked “Show next week”', 240, 1234],
    ]);
  });

  test('is known by its call, under which its pictures are kept', () => {
    const acts = browserActs(
      [entry(1, 'decision', allowed('reading'), { callId: 'call_1' }), entry(2, 'outcome', done, { callId: 'call_1' })],
      english,
    );

    expect(acts.map(({ callId }) => callId)).toEqual(['call_1']);
    expect(browserActs([entry(1, 'decision', allowed('reading'))], english)[0]?.callId).toBeNull();
  });

  test('is told apart from the same call of before by its id, and has no end whose beginning is not there', () => {
    const acts = browserActs(
      [
        entry(1, 'outcome', done, { callId: 'call_0' }),
        entry(2, 'decision', allowed('reading'), { callId: 'call_1' }),
        entry(3, 'decision', allowed('reading'), { callId: 'call_2' }),
        entry(4, 'outcome', timeout, { callId: 'call_1' }),
      ],
      english,
    );

    expect(acts.map(({ callId, state }) => [callId, state])).toEqual([
      ['call_2', 'running'],
      ['call_1', 'failed'],
    ]);
  });

  test('is one also where its page changed and it was decided about anew, allowed or refused', () => {
    const [there, elsewhere] = [{ callId: 'call_1' }, { callId: 'call_1', origin: 'https://other.example' }];
    const first = entry(1, 'decision', allowed('it was allowed there'), there);

    const acts = [
      browserActs([first, entry(2, 'decision', refused, elsewhere)], english),
      browserActs([first, entry(2, 'decision', allowed('it was allowed'), elsewhere), entry(3, 'outcome', done, elsewhere)], english),
    ];

    expect(acts.map((list) => list.map(({ seq, where, state }) => [seq, where, state]))).toEqual([
      [[1, 'https://other.example', 'refused']],
      [[1, 'https://other.example', 'done']],
    ]);
  });

  test('does not stand as running once the daemon that had it is gone, and has the end that the next one finds out', () => {
    const call = { callId: 'call_1' };
    const cut = [entry(1, 'decision', allowed('it was allowed'), call), entry(2, 'outcome', inAudit('came_cut'), call)];
    const told = (list: readonly BrowserAct[]) => list.map(({ state, results }) => [state, ...results]);

    expect(told(browserActs(cut, english))).toEqual([
      ['failed', 'allowed', 'cut off when Pilotfish ended; whether it was done is not known'],
    ]);
    expect(told(browserActs([...cut, entry(3, 'outcome', done, call)], english))).toEqual([['done', 'allowed', 'done']]);
  });

  test('is found by the words of its page, its tool, its agent and what was done, in any order, and by how it ended', () => {
    const acts = browserActs(
      [
        entry(1, 'decision', allowed('reading'), { callId: 'call_1', element: 'Show next week' }),
        entry(2, 'outcome', done, { callId: 'call_1', element: 'Show next week' }),
        entry(3, 'decision', refused, { callId: 'call_2', by: 'codex', origin: 'https://shop.example' }),
        entry(4, 'decision', allowed('reading'), { callId: 'call_3', what: 'browser_snapshot' }),
        entry(5, 'outcome', failed, { callId: 'call_3', what: 'browser_snapshot' }),
      ],
      english,
    );
    const found = (words: string, state: ActFilter['state'] = null): number[] =>
      acts.filter((act) => isWanted(act, { words, state })).map(({ seq }) => seq);

    expect(found('')).toEqual([4, 3, 1]);
    expect(found('WEEK tides')).toEqual([1]);
    expect(found('browser_snapshot')).toEqual([4]);
    expect(found(' codex ')).toEqual([3]);
    expect(found('', 'refused')).toEqual([3]);
    expect(found('', 'failed')).toEqual([4]);
    expect(found('codex', 'failed')).toEqual([]);
  });

  test('is said in the language of the reader, with why it came to nothing and neither a code nor the rule', () => {
    const entries = [
      entry(1, 'decision', allowed('it is Tuesday'), {
        says: { by: inAudit('who_agent', { name: 'claude' }), result: allowed('it is Tuesday') },
      }),
      entry(2, 'outcome', timeout),
    ];
    const [inChinese] = browserActs(entries, chinese);
    const [inEnglish] = browserActs(entries, english);

    expect([inChinese?.what, inChinese?.by, ...(inChinese?.results ?? [])]).toEqual([
      '点击一个元素',
      '智能体 claude',
      '已允许',
      errorTitle('TOOL_TIMEOUT', chinese).replace('。', ''),
    ]);
    expect(inEnglish?.results).toEqual(['allowed', errorTitle('TOOL_TIMEOUT', english).replace(/\.$/, '')]);
  });

  test('of entries from before they had codes is told in their English', () => {
    const acts = browserActs(
      [
        entry(1, 'decision', 'allowed: reading is allowed', { callId: 'call_1' }),
        entry(2, 'outcome', 'done', { callId: 'call_1' }),
        entry(3, 'decision', 'denied: the user did not allow it', { callId: 'call_2' }),
      ],
      chinese,
    );

    expect(acts.map(({ state, results }) => [state, results])).toEqual([
      ['refused', ['denied: the user did not allow it']],
      ['done', ['allowed: reading is allowed', 'done']],
    ]);
  });
});
