/** Entry of `content-page.js`: everything the extension does inside a page. Injected once per document, into the isolated world, where the page cannot see it. */
import { VERSION } from '#protocol/version.ts';
import type { PageAnswer, PageApi, PageMethod, PageMethods } from './api.ts';
import { activity, beginChange, changeOf, reaction, watchPage } from './changes.ts';
import { click, refuseNative } from './click.ts';
import { FaultError } from './fault.ts';
import { nextFrame, probeFrames } from './frames.ts';
import { mask, unmask } from './mask.ts';
import { clean } from './name.ts';
import { pickElement } from './pick.ts';
import { makeReady, waitForSomething } from './ready.ts';
import { beginRefs, refTop } from './refs.ts';
import { readSelection } from './selection.ts';
import { describe, takeSnapshot } from './snapshot.ts';
import { findTarget } from './target.ts';
import { type } from './type.ts';

const api: PageApi = {
  snapshot: ({ target, urls }) => takeSnapshot(target === undefined ? null : findTarget(target), urls),
  describe: ({ target }) => describe(findTarget(target)),
  activity: () => activity(),
  click,
  type,
  waitForSomething: ({ limitMs }, signal) => waitForSomething(limitMs, signal),
  reaction: () => reaction(),
  aim: async ({ target }) => {
    const element = findTarget(target);
    refuseNative(element);
    const ready = await makeReady(element);
    if ('notReady' in ready) return ready;
    beginChange();
    return { point: ready.point };
  },
  receipt: ({ target }) => changeOf(findTarget(target), null),
  box: ({ target }) => {
    const element = findTarget(target);
    element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const { x, y, width, height, right, bottom } = element.getBoundingClientRect();
    return { x, y, width, height, isInView: x >= 0 && y >= 0 && right <= innerWidth && bottom <= innerHeight };
  },
  size: () => ({
    width: innerWidth,
    height: innerHeight,
    scale: devicePixelRatio,
    fullWidth: document.documentElement.scrollWidth,
    fullHeight: document.documentElement.scrollHeight,
    scrollX,
    scrollY,
  }),
  mask: async () => {
    const hidden = mask();
    // The picture is of what is drawn, so a frame has to pass.
    if (hidden) await nextFrame();
    return { hidden };
  },
  unmask: () => unmask(),
  back: () => history.back(),
  selection: () => readSelection(),
  pick: (_, signal) => pickElement(signal),
  document: () => ({
    url: location.href,
    title: clean(document.title),
    status: statusOf(performance.getEntriesByType('navigation')[0]),
    isReady: document.readyState !== 'loading',
  }),
};

const statusOf = (entry: PerformanceEntry | undefined): number => (entry instanceof PerformanceNavigationTiming ? entry.responseStatus : 0);

const running = new Map<string, AbortController>();

// A page that is kept for going back would go on where it was, long after the call has ended.
addEventListener('pagehide', () => {
  for (const abort of running.values()) abort.abort();
});

globalThis.pilotfishPage = {
  version: VERSION,
  answer: async (name, options, { askId, refBase }) => {
    beginRefs(refBase);
    watchPage();
    probeFrames();
    const abort = new AbortController();
    running.set(askId, abort);
    const answer = await answerCall(name, options, abort.signal);
    running.delete(askId);
    return { answer, refTop: refTop() };
  },
  cancel: (askId) => running.get(askId)?.abort(),
};

const answerCall = async <N extends PageMethod>(
  name: N,
  options: PageMethods[N]['options'],
  signal: AbortSignal,
): Promise<PageAnswer<N>> => {
  try {
    return { value: await api[name](options, signal) };
  } catch (error) {
    if (error instanceof FaultError) return { fault: { code: error.code, detail: error.message, fromPage: error.fromPage } };
    return { fault: { code: 'TOOL_FAILED', detail: '', fromPage: error instanceof Error ? error.message : String(error) } };
  }
};
