/** Observes the page around an action: how much changed, when it last changed, which dialogs appeared. */
import { toSystemTime } from '#extension/shared/clock.ts';
import type { Activity, Change, Kept, LaterChange, Passed, SnapNode } from './api.ts';
import { MOST_ELEMENTS, contains, focusedElement, forgetSearch, shadowOf, shadowsIn } from './composed.ts';
import { hearHeld, noteHeld } from './held-secrets.ts';
import { type Held, heldByFields, holdOther, otherFields } from './held-fields.ts';
import { catchesKeys } from './key-catcher.ts';
import { clean, nameOf, shorten, textOf } from './name.ts';
import { Gone } from './gone.ts';
import { isOwn } from './own.ts';
import { Passing } from './passing.ts';
import { plain } from './plain.ts';
import { refOf } from './refs.ts';
import { isSensitive } from './sensitive.ts';
import { describe, isPage, noteToldNow, readParts } from './snapshot.ts';
import { isEditingHost, isTextField, labelledBy, roleOf } from './roles.ts';
import { valueOf } from './states.ts';
import { Touched } from './touched.ts';
import { forgetRefused, hearRefused, refusedFields } from './validity.ts';
import { boxesOf, isVisible } from './visibility.ts';

/** After this time without a call the page is no longer observed. */
const WATCH_MS = 10_000;

/** An animation that runs longer than this is decoration. */
const ANIMATION_MS = 1_000;

/** A page that has changed again and again within this has not come to rest between. */
const CALM_MS = 100;

/** A page that is still being loaded then is read as it is. */
const STREAM_MS = 10_000;

/** In a large page the browser asks most elements so much only. */
const ANNOUNCING =
  'dialog[open], [popover]:popover-open, output, [role]:is([role="dialog"], [role="alertdialog"], [role="alert"], [role="status"], [role="log"]), [aria-live]:is([aria-live="assertive"], [aria-live="polite"])';
const MAX_APPEARED = 5;
/** What says more is not told again as a whole. */
const MAX_SAID_AGAIN = 200;

let mutations = 0;
let lastMutationAt = -Infinity;
let restlessSince = -Infinity;
let lastCallAt = 0;
let observer: MutationObserver | null = null;
/** What shows without a change of the document: the end of a fade, a value, a picture. */
let shown = 0;
/** What may lead to more with the next frame, without a change of the document: something opened, loaded, chosen or was scrolled. */
let moves = 0;
const waiting = new Set<() => void>();
const roots = new Set<Document | ShadowRoot>();

interface Before {
  /** As `performance.now()` tells it. */
  readonly beganAt: number;
  readonly mutations: number;
  readonly moves: number;
  readonly title: string;
  readonly announcing: ReadonlyMap<Element, string>;
  readonly focused: Element | null;
  readonly held: Held;
}
let before: Before = { beganAt: 0, mutations: 0, moves: 0, title: '', announcing: new Map(), focused: null, held: new Map() };
const touched = new Touched();
const passing = new Passing();
const gone = new Gone();
let hasActed = false;
/** What fields held when the last receipt was written. */
let told: Held = new Map();
/** An animation has ended since then. */
let hasEnded = false;
/** When the page last began to load another one, by the same clock. */
let leftAt = Number.NEGATIVE_INFINITY;
/** The field for which the page asked for files since the last action began. */
let fileField: HTMLInputElement | null = null;
let downloadsAt: readonly number[] = [];
const MAX_DOWNLOADS = 50;
/** Finds out what has become of the text that the last action wrote; null when it wrote none that the page should keep. */
let readKept: (() => Kept) | null = null;

// This event comes before the request, so that no receipt is written about a page that is being left.
globalThis.navigation?.addEventListener('navigate', (event) => {
  if (event.downloadRequest !== null) downloadsAt = [...downloadsAt, performance.now()].slice(-MAX_DOWNLOADS);
  else if (!event.destination.sameDocument) leftAt = performance.now();
});

for (const type of ['transitionend', 'animationend', 'input', 'change', 'toggle', 'load'])
  addEventListener(
    type,
    ({ target }) => {
      if (isOwn(target)) return;
      shown += 1;
      // Text in a field moves nothing.
      if (!(type === 'input' || type === 'change') || !(target instanceof Element && isTextField(target))) moves += 1;
      tellWaiting();
    },
    { capture: true, passive: true },
  );

for (const type of ['animationstart', 'animationend', 'animationcancel'])
  addEventListener(
    type,
    (event) => {
      const [element] = event.composedPath();
      if (!(event instanceof AnimationEvent) || !(element instanceof Element)) return;
      passing.noteAnimation(element, type === 'animationstart' ? event.animationName : '', performance.now());
    },
    { capture: true, passive: true },
  );

// Also without a file dialog, which opens only after real input.
addEventListener(
  'click',
  (event) => {
    const [field] = event.composedPath();
    if (field instanceof HTMLInputElement && field.type === 'file') fileField = field;
  },
  { capture: true, passive: true },
);

const tellWaiting = (): void => {
  for (const tell of waiting) tell();
};

/** Scrolls an element into view, at once. */
export const intoView = (element: Element, where: Omit<ScrollIntoViewOptions, 'behavior'>): void => {
  const from = plain(element).getBoundingClientRect();
  plain(element).scrollIntoView({ ...where, behavior: 'instant' });
  const to = plain(element).getBoundingClientRect();
  if (from.x !== to.x || from.y !== to.y) noteMove();
};

export const noteMove = (): void => {
  moves += 1;
};

/** Where the page is: another one than before means that something has changed or was scrolled. */
const standing = (): string => [mutations, moves, scrollX, scrollY].join(' ');

/** Runs `work`; `hasMoved` says whether anything has changed or was scrolled since the last action began, or meanwhile: then more may follow with the next frame. */
export const whileMoving = async <T>(work: () => Promise<T>): Promise<{ value: T; hasMoved: boolean }> => {
  const from = standing();
  const value = await work();
  return { value, hasMoved: standing() !== from || mutations !== before.mutations || moves !== before.moves };
};

/** The same, with what shows without a change of the document. */
const standingShown = (): string => `${standing()} ${shown}`;

/** Where the page stood when it had answered last; null where it was not observed since. */
let answeredAt: string | null = null;

/** It has answered. */
export const noteAnswer = (): void => {
  lastCallAt = performance.now();
  answeredAt = standingShown();
};

/** Whether nothing has changed since it answered last. */
export const isAsAnswered = (): boolean => {
  note(observer?.takeRecords() ?? []);
  return answeredAt === standingShown();
};

/** A count of changes. With `since`, an earlier count, it resolves at the first change after it: no timer, which a hidden page would hold back. */
export const changeCount = (since: number | undefined, signal: AbortSignal): number | Promise<number> => {
  if (since === undefined || since !== mutations + shown) return mutations + shown;
  return new Promise((resolve) => {
    const tell = (): void => {
      waiting.delete(tell);
      resolve(mutations + shown);
    };
    waiting.add(tell);
    signal.addEventListener('abort', tell);
  });
};

/** Called with every call from the worker. */
export const watchPage = (): void => {
  lastCallAt = performance.now();
  if (observer !== null) return;
  observer = new MutationObserver((records) => {
    if (waiting.size === 0 && performance.now() - lastCallAt > WATCH_MS) stopWatching();
    else note(records);
  });
  // What changed before that is not known.
  answeredAt = null;
  lastMutationAt = lastCallAt;
  restlessSince = lastCallAt;
  observe(document);
};

/** How long nothing has changed, how much has since the last action, and what still moves. */
export const activity = (): Activity => ({
  quietMs: Math.min(performance.now() - lastMutationAt, 1e9),
  restlessMs: lastMutationAt - restlessSince,
  mutations: mutations - before.mutations,
  looksOther: hasEnded || holdOther(told),
  // What has been coming for longer comes in pieces, without an end.
  isLoading: document.readyState === 'loading' && performance.now() < STREAM_MS && !wasLoaded(),
  leftAt: leftAt < 0 ? 0 : toSystemTime(leftAt),
  downloadsAt: downloadsAt.map(toSystemTime),
  // They stand still in a page that nobody sees.
  animations: document.hidden ? 0 : runningAnimations(),
});

/** A script may open the document again after its load, and need not close it: https://html.spec.whatwg.org/multipage/dynamic-markup-insertion.html#dom-document-open */
const wasLoaded = (): boolean => {
  const [entry] = performance.getEntriesByType('navigation');
  return entry instanceof PerformanceNavigationTiming && entry.domContentLoadedEventStart > 0;
};

/** Whether nothing goes on, and nothing has for this long. */
export const isStill = (forMs: number): boolean => {
  const { quietMs, isLoading, animations } = activity();
  return quietMs >= forMs && !isLoading && animations === 0;
};

/** Those that will soon be over, until the page has heard of their end: that comes with a frame, and then the page does what it has put off until it. */
const running = new Set<Animation>();

/** So much later a page hears of an end whose frame is held up; of the end of what is no longer on the page it may never hear. */
const HEARD_MS = 250;

const runningAnimations = (): number => {
  for (const animation of document.getAnimations()) {
    // One without a duration has ended before it has begun.
    if (!(animation.playState === 'running' || animation.pending) || leftOf(animation) >= ANIMATION_MS || running.has(animation)) continue;
    running.add(animation);
    const isOver = (): void => {
      if (!running.delete(animation)) return;
      hasEnded = true;
      noteMove();
    };
    for (const type of ['finish', 'cancel', 'remove']) animation.addEventListener(type, isOver, { once: true });
  }
  for (const animation of running)
    if (leftOf(animation) < -HEARD_MS || !/running|finished/.test(animation.playState)) running.delete(animation);
  return running.size;
};

/** How long until the end of an animation; after it a negative time. */
export const leftOf = ({ effect, startTime, playbackRate, currentTime, timeline }: Animation): number => {
  const endMs = Number(effect?.getComputedTiming().endTime);
  const passedMs = startTime === null ? Number(currentTime) : (Number(timeline?.currentTime) - Number(startTime)) * playbackRate;
  return endMs - passedMs;
};

/** Remembers the state of the page before an action. */
export const beginChange = (): void => {
  noteHeld();
  fileField = null;
  forgetRefused();
  readKept = null;
  told = new Map();
  hasEnded = false;
  note(observer?.takeRecords() ?? []);
  touched.begin();
  passing.begin();
  gone.begin(standingShown());
  hasActed = true;
  before = {
    beganAt: performance.now(),
    mutations,
    moves,
    title: document.title,
    announcing: announcing(),
    focused: focusedElement(),
    held: heldByFields(roots),
  };
};

/** An action begins of which no receipt tells: what has moved before it is not its doing. */
export const beginUntold = (): void => {
  before = { ...before, mutations, moves };
};

export const askedFileField = (): HTMLInputElement | null => fileField;

/** The browser was about to show its file dialog for this field. */
export const asksForFiles = (field: Node): void => {
  if (field instanceof HTMLInputElement) fileField = field;
};

/** What the last action was done to. */
let changed: Element | null = null;

/** Of a press that got no click; what shows that it acts as soon as it is pressed goes away with that. */
export const unclicked = (): Pick<Change, 'isUnclicked'> => (changed !== null && isVisible(changed) ? { isUnclicked: true } : {});

/** From now on the last action is one that wrote a text. */
export const noteText = (read: () => Kept): void => {
  readKept = read;
};

/** What has changed since the last action began, as it is now; without what it was done to, where that has gone. */
export const changedLater = (): LaterChange | null => {
  if (changed === null) return null;
  const { element, value, ...change } = changeOf(changed, null);
  if (!plain(changed).isConnected) return change;
  return { ...change, element, value, ...(readKept === null ? {} : { kept: readKept() }) };
};

/** What has come and gone since the last action began, and was not told yet. */
export const passedSince = (isFrame: boolean): readonly Passed[] => {
  note(observer?.takeRecords() ?? []);
  const passed = passing.tell(performance.now());
  return isFrame && !hasActed ? [] : passed;
};

/** What has changed since then. */
export const changeOf = (given: Element, opens: string | null): Change => {
  note(observer?.takeRecords() ?? []);
  const element = plain(given).isConnected ? given : (touched.twinOf(given) ?? given);
  changed = element;
  told = heldByFields(roots);
  hasEnded = false;
  const appeared = [...announcing()].filter(([shown, text]) => {
    const said = before.announcing.get(shown);
    // Of what has said much already, as a log, what is other in it is told as of any part of the page.
    return said !== text && (said === undefined || text.length <= MAX_SAID_AGAIN);
  });
  const fields = otherFields(before.held, element);
  const messages = appeared.map(([shown]) => shown);
  gone.noteReturned();
  noteToldNow(element);
  // What was done to the page as a whole was done to nothing in it.
  const { parts, hasMore } = touched.shown(isPage(element) ? null : element, messages, fields, element !== given);
  const focused = focusedElement();
  const toldOf: readonly Element[] = [labelledBy(element), ...messages];
  // A page may look at all of a form with each letter that is typed.
  const refused = readKept === null ? refusedFields() : [];
  const isField = isTextField(element) || element instanceof HTMLSelectElement || isEditingHost(element);
  const value = isField && !isSensitive(element) && !catchesKeys(element) ? (valueOf(element) ?? '') : null;
  // That a page says again what was typed is no news.
  const news = appeared.filter(([, text]) => text !== value);
  const said = passing.said(performance.now(), ANNOUNCING).filter((text) => !appeared.some(([, now]) => now.includes(text)));
  return {
    element: withClasses(describe(element), touched.classesOf(element)),
    mutations: mutations - before.mutations,
    title: document.title === before.title ? null : clean(document.title),
    parts: readParts(parts),
    hasMoreParts: hasMore,
    appeared: news.slice(0, MAX_APPEARED).map(([shown, text]) => toMessage(shown, shorten(text))),
    inParts: news.flatMap(([shown, text]) => (isToldIn(parts, shown, text) ? [refOf(shown)] : [])),
    focused:
      focused !== null && focused !== before.focused && !toldOf.includes(focused) && !isFrameOf(parts, focused) ? describe(focused) : null,
    opens,
    isLeaving: leftAt >= before.beganAt,
    fields: fields.map(describe),
    asksForFiles: fileField === null || fileField === element ? null : describe(fileField),
    gone: gone.shown(parts, standingShown()),
    said,
    mayDraw: mutations === before.mutations && hasCanvas(),
    value,
    ...(refused.length === 0 ? {} : { refused }),
  };
};

/** What turns over by its class alone, as a switch that is made of a box, says so by that. */
const withClasses = (
  node: SnapNode,
  { gained, lost }: { readonly gained: readonly string[]; readonly lost: readonly string[] },
): SnapNode => {
  const { states = [] } = node;
  const isSaid = states.some((state) => SAYS_ITS_STATE.test(state));
  const more = [...gained, ...lost.map((word) => `not ${word}`)].filter((word) => !states.includes(word));
  return isSaid || more.length === 0 ? node : { ...node, states: [...states, ...more] };
};

const SAYS_ITS_STATE = /^(?:(?:un)?checked|pressed|selected|expanded|collapsed|current|gone|mixed)$|^\.(?:active|sel|on)/;

/** Whether it only holds what is told, as what is around a dialog and gets the keys for it: its name would be all of that again. */
const isFrameOf = (parts: readonly Element[], element: Element): boolean =>
  roleOf(element) === '' &&
  plain(element).childElementCount > 0 &&
  parts.some((part) => contains(part, element) || contains(element, part));

/** Whether all that it says is among what is told of the page, with what can be operated in it. */
const isToldIn = (parts: readonly Element[], shown: Element, text: string): boolean =>
  parts.some((part) => contains(part, shown) || (contains(shown, part) && textOf(part) === text));

/** What is drawn in one is no part of the document. */
const hasCanvas = (): boolean => [...document.querySelectorAll('canvas')].some(isVisible);

/** A change of our own, which does not count as one of the page. */
export const unnoticed = (change: () => void): void => {
  note(observer?.takeRecords() ?? []);
  change();
  observer?.takeRecords();
};

const note = (records: readonly MutationRecord[]): void => {
  if (records.length === 0) return;
  const now = performance.now();
  if (now - lastMutationAt > CALM_MS) restlessSince = now;
  mutations += records.length;
  lastMutationAt = now;
  touched.note(records);
  passing.note(records, now);
  gone.note(records);
  let left = MOST_ELEMENTS;
  for (const { addedNodes } of records)
    for (let at = 0; at < addedNodes.length && left > 0; at += 1, left -= 1) {
      const node = addedNodes.item(at);
      if (node instanceof Element) observeShadows(node);
    }
  if (left === 0) forgetSearch();
  tellWaiting();
};

const stopWatching = (): void => {
  observer?.disconnect();
  observer = null;
  roots.clear();
  forgetSearch();
};

const observe = (root: Document | ShadowRoot): void => {
  if (roots.has(root)) return;
  roots.add(root);
  hearRefused(root);
  if (root instanceof ShadowRoot && root.mode === 'closed') hearHeld(root);
  observer?.observe(root, { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true });
  for (const shadow of shadowsIn(root)) observe(shadow);
};

/** An observer does not see into shadow trees by itself. */
const observeShadows = (element: Element): void => {
  const shadow = shadowOf(element);
  if (shadow !== null) observe(shadow);
  if (plain(element).firstElementChild === null) return;
  if (plain(element).querySelectorAll('*').length > MOST_ELEMENTS) forgetSearch();
  for (const inner of shadowsIn(element)) observe(inner);
};

const toMessage = (element: Element, text: string): SnapNode => {
  const role = roleOf(element) || 'message';
  const name = nameOf(element, role);
  return { role, ref: refOf(element), ...(name === '' || name === text ? {} : { name: shorten(name) }), value: text };
};

/** Elements that address the user now, with their text. */
const announcing = (): Map<Element, string> => {
  const found = [...roots]
    .flatMap((root) => [...root.querySelectorAll(ANNOUNCING)])
    .filter((element) => !isOwn(element) && boxesOf(element).some(isVisible));
  return new Map(found.map((element) => [element, textOf(element)] as const).filter(([, text]) => text !== ''));
};
