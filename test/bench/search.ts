/** What is typed is looked for in a million messages, in the index that the daemon has. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nullLog } from '#companion/lib/log.ts';
import { type SearchChange, SearchIndex } from '#companion/store/search-index.ts';
import { readWanted } from '#companion/store/search-words.ts';
import { ItemId, SessionId, TurnId } from '#protocol/ids.ts';
import { createRandom } from '#test/fixtures/random.ts';
import type { Row } from './bench.ts';
import { figures } from './stats.ts';

const MESSAGES = 1_000_000;
const SESSIONS = 1_000;
/** Messages that are taken in at once. */
const BATCH = 1_000;
const WORDS_EACH = 20;
const VOCABULARY = 30_000;
const ROUNDS = 20;
const LIMIT_MS = 50;
/** So many messages later it is told again how far this is. */
const TOLD_EACH = 250_000;

/** As it is typed: beginnings, whole words, several, in Chinese, what is everywhere and what is nowhere. */
const TYPED = ['w', 'w1', 'w29', 'w2999', 'w29990', 'w1 w2', 'w17 w291 w3', '登录', '登', 'nowhere', 'w29990 w1'];

export const benchSearch = async (report: (line: string) => void): Promise<Row[]> => {
  report(`a search over ${MESSAGES.toLocaleString('en')} messages of ${SESSIONS.toLocaleString('en')} sessions`);
  const folder = mkdtempSync(path.join(tmpdir(), 'pf-search-'));
  const index = new SearchIndex(path.join(folder, 'search.db'), nullLog);
  try {
    fill(index, report);
    const sessionIds = new Set(Array.from({ length: SESSIONS }, (_, at) => SessionId.parse(`s${at}`)));
    const scope = { sessionIds, kind: null, since: 0, until: Number.MAX_SAFE_INTEGER, limit: 30, cursor: null };
    const samples = TYPED.flatMap((typed) => Array.from({ length: ROUNDS }, () => look(() => index.find(readWanted(typed), scope))));
    const { p50, p99 } = figures(samples);
    const row = (what: string, ms: number): Row => ({
      area: 'search',
      what,
      ours: `${ms.toFixed(1)} ms`,
      reference: `the limit: ${LIMIT_MS} ms`,
      ratio: ms / LIMIT_MS,
      goal: 1,
    });
    return [row('first page over 1,000,000 messages, p50', p50), row('the same, p99', p99)];
  } finally {
    index.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const look = (work: () => unknown): number => {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
};

/** Few words are frequent and many are rare, as in what people say; the words of each message are those of a seed. */
const fill = (index: SearchIndex, report: (line: string) => void): void => {
  const random = createRandom(5);
  const word = (): string => `w${Math.floor(VOCABULARY ** (random(10_000) / 10_000))}`;
  for (let first = 0; first < MESSAGES; first += BATCH) {
    if (first % TOLD_EACH === 0) report(`${first.toLocaleString('en')} of ${MESSAGES.toLocaleString('en')} messages are there`);
    const sessionId = SessionId.parse(`s${(first / BATCH) % SESSIONS}`);
    const changes = Array.from({ length: BATCH }, (_, offset): SearchChange => {
      const at = first + offset;
      const text = `${Array.from({ length: WORDS_EACH }, word).join(' ')}${at % 50 === 0 ? ' 请修复登录页面' : ''}`;
      const entry = { itemId: ItemId.parse(`i${at}`), turnId: TurnId.parse(`t${at}`), at, kind: 'answer' as const, title: null, text };
      return { type: 'put', entry };
    });
    index.note({ sessionId, changes, doneSeq: first + BATCH });
    index.flush();
  }
};
