/** What a trace of Chrome says about how a page loaded and reacted. Pure. */
import * as z from 'zod';

/** One of a trace; times are in microseconds. https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU */
export const TraceEvent = z.looseObject({
  name: z.string(),
  ph: z.string(),
  ts: z.number(),
  dur: z.number().optional(),
  pid: z.number(),
  tid: z.number(),
  args: z.record(z.string(), z.unknown()).optional(),
});
export type TraceEvent = z.infer<typeof TraceEvent>;

/** The names that can be asked for. */
export const INSIGHTS = ['Metrics', 'LongTasks', 'RenderBlocking', 'CLSCulprits', 'Network'] as const;
export type Insight = (typeof INSIGHTS)[number];

/** The names under which DevTools knows the same. */
const OTHER_NAMES = new Map<string, Insight>([
  ['lcpbreakdown', 'Metrics'],
  ['lcpdiscovery', 'Metrics'],
  ['documentlatency', 'Metrics'],
  ['inpbreakdown', 'LongTasks'],
  ['slowcssselector', 'LongTasks'],
  ['networkdependencytree', 'Network'],
  ['thirdparties', 'Network'],
]);

const LONG_TASK_MS = 50;
const MAX_LINES = 10;

/** The insight that a name means; null for none. */
export const insightNamed = (name: string): Insight | null =>
  INSIGHTS.find((insight) => insight.toLowerCase() === name.toLowerCase()) ?? OTHER_NAMES.get(name.toLowerCase()) ?? null;

/** In lines, each insight under its name. */
export const readTrace = (events: readonly TraceEvent[], wanted: readonly Insight[]): string => {
  const page = pageIn(events);
  if (page === null) return 'The trace holds no page.';
  const lines = {
    Metrics: () => metricsOf(page),
    LongTasks: () => longTasksOf(page),
    RenderBlocking: () => blockingOf(page),
    CLSCulprits: () => shiftsOf(page),
    Network: () => networkOf(page),
  } as const satisfies Record<Insight, () => string[]>;
  return wanted.flatMap((insight) => [`${insight}:`, ...lines[insight]().map((line) => `- ${line}`)]).join('\n');
};

/** The events of the page's own process, from the last load on if there was one. */
interface TracedPage {
  readonly events: readonly TraceEvent[];
  readonly mainThread: number | null;
  /** When the load began, or the trace; both in microseconds. */
  readonly start: number;
  readonly end: number;
  readonly hasLoad: boolean;
}

const Data = z.record(z.string(), z.unknown()).catch({});
const dataOf = ({ args }: TraceEvent): Record<string, unknown> => Data.parse(args?.['data']);
const numberIn = (data: Record<string, unknown>, name: string): number => z.number().catch(0).parse(data[name]);
const textIn = (data: Record<string, unknown>, name: string): string => z.string().catch('').parse(data[name]);

const pageIn = (events: readonly TraceEvent[]): TracedPage | null => {
  const begun = events.findLast(
    (event) =>
      event.name === 'navigationStart' &&
      dataOf(event)['isOutermostMainFrame'] !== false &&
      /^https?:/.test(textIn(dataOf(event), 'documentLoaderURL')),
  );
  const pid = begun?.pid ?? busiest(events);
  if (pid === null) return null;
  const times = events.filter(({ ts }) => ts > 0).map(({ ts }) => ts);
  const start = begun?.ts ?? times.reduce((a, b) => Math.min(a, b), Infinity);
  const thread = events.find(({ name, pid: of, args }) => name === 'thread_name' && of === pid && args?.['name'] === 'CrRendererMain');
  return {
    events: events.filter(({ pid: of, ts }) => of === pid && ts >= start),
    mainThread: thread?.tid ?? null,
    start,
    end: times.reduce((a, b) => Math.max(a, b), start),
    hasLoad: begun !== undefined,
  };
};

/** The renderer with the most events. */
const busiest = (events: readonly TraceEvent[]): number | null => {
  const renderers = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.['name'] === 'CrRendererMain').map(({ pid }) => pid),
  );
  const counts = Map.groupBy(
    events.filter(({ pid }) => renderers.has(pid)),
    ({ pid }) => pid,
  );
  return [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? null;
};

const ms = (microseconds: number): string => `${Math.round(microseconds / 1000)} ms`;

const MARKS = [
  ['firstPaint', 'first paint'],
  ['firstContentfulPaint', 'first contentful paint'],
  ['largestContentfulPaint::Candidate', 'largest contentful paint'],
  ['MarkDOMContent', 'DOM ready'],
  ['MarkLoad', 'load event'],
] as const;

const metricsOf = (page: TracedPage): string[] => {
  const marks = !page.hasLoad
    ? ['No load of the page was traced: there are no paint times.']
    : MARKS.flatMap(([name, words]) => {
        const event = page.events.findLast((candidate) => candidate.name === name);
        return event === undefined ? [] : [`${words}: ${ms(event.ts - page.start)}`];
      });
  const blocked = longTasksIn(page).reduce((sum, { dur = 0 }) => sum + dur - LONG_TASK_MS * 1000, 0);
  return [
    `traced: ${ms(page.end - page.start)}`,
    ...marks,
    `total blocking time: ${ms(blocked)}`,
    `cumulative layout shift: ${shiftsIn(page)
      .reduce((sum, { score }) => sum + score, 0)
      .toFixed(3)}`,
    ...['Layout', 'UpdateLayoutTree', 'Paint', 'EvaluateScript', 'FunctionCall', 'ParseHTML'].flatMap((name) => {
      const spent = outermost(page, name);
      return spent === 0 ? [] : [`${name}: ${ms(spent)}`];
    }),
  ];
};

/** The time in events of a name, of which none is counted inside another. */
const outermost = ({ events, mainThread }: TracedPage, name: string): number => {
  let [sum, end] = [0, 0];
  for (const event of events.filter(({ name: of, tid }) => of === name && tid === mainThread).toSorted((a, b) => a.ts - b.ts)) {
    if (event.ts < end) continue;
    sum += event.dur ?? 0;
    end = event.ts + (event.dur ?? 0);
  }
  return sum;
};

const longTasksIn = ({ events, mainThread }: TracedPage): TraceEvent[] =>
  events.filter(({ name, tid, dur = 0 }) => name === 'RunTask' && tid === mainThread && dur > LONG_TASK_MS * 1000);

const longTasksOf = (page: TracedPage): string[] => {
  const tasks = longTasksIn(page).toSorted((a, b) => (b.dur ?? 0) - (a.dur ?? 0));
  if (tasks.length === 0) return ['none above 50 ms'];
  return tasks.slice(0, MAX_LINES).map((task) => {
    const inside = page.events.filter(({ ts, tid }) => tid === task.tid && ts >= task.ts && ts <= task.ts + (task.dur ?? 0));
    const scripts = new Set(inside.map((event) => textIn(dataOf(event), 'url')).filter((url) => url !== ''));
    return `${ms(task.dur ?? 0)} at ${ms(task.ts - page.start)}${scripts.size === 0 ? '' : ` in ${[...scripts].slice(0, 3).join(', ')}`}`;
  });
};

const blockingOf = ({ events }: TracedPage): string[] => {
  const blocking = events
    .filter(
      (event) => event.name === 'ResourceSendRequest' && /^(?:in_body_parser_)?blocking$/.test(textIn(dataOf(event), 'renderBlocking')),
    )
    .map((event) => textIn(dataOf(event), 'url'));
  return blocking.length === 0 ? ['nothing holds back the first paint'] : [...new Set(blocking)].slice(0, MAX_LINES);
};

const shiftsIn = ({ events }: TracedPage): { readonly score: number; readonly ts: number }[] =>
  events
    .filter((event) => event.name === 'LayoutShift' && dataOf(event)['had_recent_input'] !== true)
    .map((event) => ({ score: numberIn(dataOf(event), 'score'), ts: event.ts }));

const shiftsOf = (page: TracedPage): string[] => {
  const shifts = shiftsIn(page).toSorted((a, b) => b.score - a.score);
  return shifts.length === 0
    ? ['nothing moved']
    : shifts.slice(0, MAX_LINES).map(({ score, ts }) => `${score.toFixed(4)} at ${ms(ts - page.start)}`);
};

const networkOf = ({ events, start }: TracedPage): string[] => {
  const ends = new Map(events.filter(({ name }) => name === 'ResourceFinish').map((event) => [textIn(dataOf(event), 'requestId'), event]));
  const requests = events
    .filter(({ name }) => name === 'ResourceSendRequest')
    .map((event) => {
      const end = ends.get(textIn(dataOf(event), 'requestId'));
      const bytes = end === undefined ? 0 : numberIn(dataOf(end), 'encodedDataLength');
      return { url: textIn(dataOf(event), 'url'), at: event.ts - start, took: end === undefined ? null : end.ts - event.ts, bytes };
    });
  const total = requests.reduce((sum, { bytes }) => sum + bytes, 0);
  const slowest = requests.toSorted((a, b) => (b.took ?? Infinity) - (a.took ?? Infinity)).slice(0, MAX_LINES);
  return [
    `${requests.length} requests, ${total} bytes`,
    ...slowest.map(
      ({ url, at, took, bytes }) => `${took === null ? 'unfinished' : ms(took)} at ${ms(at)}, ${bytes} bytes: ${url.slice(0, 200)}`,
    ),
  ];
};
