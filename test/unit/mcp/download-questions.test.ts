import { afterEach, beforeEach, describe, expect, test as base, vi } from 'vitest';
import { type InEnglish, inEnglish } from '#test/fixtures/audit.ts';
import type { HeldDownload } from '#protocol/link.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { nullLog } from '#companion/lib/log.ts';
import { Consent } from '#companion/mcp/consent.ts';
import { DownloadQuestions } from '#companion/mcp/download-questions.ts';
import { BrowserId, SessionId } from '#protocol/ids.ts';

const browserId = BrowserId.parse('browser_1');
const sessionId = SessionId.parse('session_1');

const aDownload = (over: Partial<HeldDownload> = {}): HeldDownload => ({
  downloadId: 1,
  name: 'report.pdf',
  sizeBytes: 40,
  mimeType: 'application/pdf',
  url: 'https://shop.example/report.pdf?secret=1',
  origin: 'https://shop.example',
  ...over,
});

const createStage = () => {
  const asked: RequestBody[] = [];
  const audited: InEnglish[] = [];
  const decided: { ids: number[]; isAllowed: boolean }[] = [];
  let answer: (request: RequestBody) => Promise<RequestAnswer | null> = () => Promise.resolve({ optionId: 'once' });
  const consent = new Consent({
    ask: (_, request) => {
      asked.push(request);
      return answer(request);
    },
  });
  const questions = new DownloadQuestions(consent, {
    log: nullLog,
    audit: { add: (...records) => void audited.push(...records.map(inEnglish)) },
  });
  /** `taken`: which of them the browser has kept for the answer; null where it has gone. */
  const hold = (downloads: HeldDownload[], taken: 'all' | 'none' | null = 'all'): Promise<void> =>
    questions.held({
      sessionId,
      browserId,
      downloads,
      decide: (ids, isAllowed) => {
        if (taken === null) return Promise.reject(new Error('the connection was lost'));
        decided.push({ ids, isAllowed });
        return Promise.resolve(taken === 'all' ? ids : []);
      },
    });
  return { questions, asked, audited, decided, hold, answerWith: (next: typeof answer) => (answer = next) };
};

const test = base.extend<{ stage: ReturnType<typeof createStage> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => use(createStage()),
});

beforeEach(() => {
  vi.useFakeTimers({ now: 3_600_000, toFake: ['Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const no = (): Promise<RequestAnswer> => Promise.resolve({ optionId: 'reject' });

describe('a download that the browser holds', () => {
  test('is asked for with name, size, kind, site and whole address, and written down', async ({ stage }) => {
    await stage.hold([aDownload()]);

    expect(stage.asked).toEqual([
      {
        kind: 'consent',
        title: 'Download from https://shop.example',
        saying: { code: 'download', values: { count: '1', site: 'https://shop.example', sites: '1' } },
        where: 'https://shop.example',
        detail: [
          'File, as the page names it: report.pdf',
          'Size: 40 bytes',
          'Kind, as the page says: application/pdf',
          'Address: https://shop.example/report.pdf?secret=1',
        ].join('\n'),
        told: expect.any(Array),
        options: [expect.objectContaining({ kind: 'allow_once' }), expect.objectContaining({ kind: 'reject' })],
      },
    ]);
    expect(stage.decided).toEqual([{ ids: [1], isAllowed: true }]);
    expect(stage.audited).toMatchObject([
      {
        kind: 'decision',
        what: 'download',
        toolClass: 'download',
        origin: 'https://shop.example',
        element: 'report.pdf',
        result: 'allowed: the user allowed it',
      },
    ]);
  });

  test('is dropped when the person says no, and when the question is withdrawn', async ({ stage }) => {
    for (const answer of [no, () => Promise.resolve(null), () => Promise.reject(new Error('no such session'))]) {
      stage.questions.callBegins(sessionId);
      stage.answerWith(answer);
      await stage.hold([aDownload()]);
    }

    expect(stage.decided).toEqual(Array(3).fill({ ids: [1], isAllowed: false }));
    expect(stage.audited.map(({ result }) => result)).toEqual([
      'denied: the user did not allow it',
      expect.stringMatching(/^denied: CALL_CANCELLED: .*The question was withdrawn/),
      expect.stringMatching(/^denied: INTERNAL: /),
    ]);
  });

  test('is one question with all that came with it', async ({ stage }) => {
    await stage.hold(Array.from({ length: 100 }, (_, index) => aDownload({ downloadId: index, name: `file-${index}.bin` })));

    expect(stage.asked.map(({ title }) => title)).toEqual(['100 downloads from https://shop.example']);
    expect(stage.asked[0]?.detail?.split('\n')).toHaveLength(11);
    expect(stage.decided.map(({ ids }) => ids.length)).toEqual([100]);
  });

  test('waits for the question that is open, and shares the next one', async ({ stage }) => {
    const first = Promise.withResolvers<RequestAnswer>();
    stage.answerWith(() => first.promise);
    const all = [
      stage.hold([aDownload()]),
      stage.hold([aDownload({ downloadId: 2, name: 'two' })]),
      stage.hold([aDownload({ downloadId: 3, name: 'three' })]),
    ];

    stage.answerWith(() => Promise.resolve({ optionId: 'once' }));
    first.resolve({ optionId: 'once' });
    await Promise.all(all);

    expect(stage.asked.map(({ title }) => title)).toEqual(['Download from https://shop.example', '2 downloads from https://shop.example']);
  });

  test('that the browser had dropped before the yes is kept at the next attempt, once, and not for ever, whatever the clock says', async ({
    stage,
  }) => {
    await stage.hold([aDownload()], 'none');
    await stage.hold([aDownload({ downloadId: 2 })]);
    expect(stage.asked).toHaveLength(1);
    expect(stage.decided.at(-1)).toEqual({ ids: [2], isAllowed: true });

    await stage.hold([aDownload({ downloadId: 3 })], 'none');
    expect(stage.asked).toHaveLength(2);
    vi.advanceTimersByTime(11 * 60_000);
    vi.setSystemTime(0);
    await stage.hold([aDownload({ downloadId: 4 })]);
    expect(stage.asked).toHaveLength(3);
  });

  test('that it tells of again after its connection was lost is asked for once, and answered there', async ({ stage }) => {
    const first = Promise.withResolvers<RequestAnswer>();
    stage.answerWith(() => first.promise);
    const all = [stage.hold([aDownload()], null), stage.hold([aDownload(), aDownload({ downloadId: 2, name: 'two' })])];

    first.resolve({ optionId: 'once' });
    await Promise.all(all);

    expect(stage.asked.map(({ detail = '' }) => detail.split('\n', 1)[0])).toEqual([
      'File, as the page names it: report.pdf',
      'File, as the page names it: two',
    ]);
    expect(stage.decided).toEqual([
      { ids: [1], isAllowed: true },
      { ids: [2], isAllowed: true },
    ]);
  });

  test('that was answered while the connection was lost is decided when it is back, and asked for no more', async ({ stage }) => {
    await stage.hold([aDownload()], null);
    await stage.hold([aDownload()]);
    expect(stage.decided).toEqual([{ ids: [1], isAllowed: true }]);

    stage.answerWith(no);
    await stage.hold([aDownload({ downloadId: 2 })], null);
    await stage.hold([aDownload({ downloadId: 2 })]);
    expect(stage.decided.at(-1)).toEqual({ ids: [2], isAllowed: false });
    expect(stage.asked).toHaveLength(2);
  });

  test('of a site that was refused asks no more until the agent does something', async ({ stage }) => {
    stage.answerWith(no);
    await stage.hold([aDownload()]);
    await stage.hold([aDownload({ downloadId: 2 })]);
    expect(stage.asked).toHaveLength(1);
    expect(stage.decided).toEqual([
      { ids: [1], isAllowed: false },
      { ids: [2], isAllowed: false },
    ]);

    stage.questions.callBegins(sessionId);
    await stage.hold([aDownload({ downloadId: 3 })]);
    expect(stage.asked).toHaveLength(2);
  });
});
