/** Entry of `content-page.js`: everything the extension does inside a page. Injected once per document, into the isolated world, where the page cannot see it. */
import { VERSION } from '#protocol/version.ts';
import { keepNewest } from '#extension/shared/keep-newest.ts';
import { acting } from './acting.ts';
import type { PageAnswer, PageApi, PageDoor, PageMethod, PageMethods, Point } from './api.ts';
import { lookAgain } from './again.ts';
import { askPending } from './ask-pending.ts';
import {
  activity,
  asksForFiles,
  beginChange,
  beginUntold,
  changeCount,
  changedLater,
  changeOf,
  isStill,
  noteAnswer,
  passedSince,
  unclicked,
  watchPage,
  whileMoving,
} from './changes.ts';
import { aimedAt, click, readyFor, refuseNative } from './click.ts';
import { takeUnanswered } from './component-says.ts';
import { elementAt, searchLargeTrees } from './composed.ts';
import { FaultError } from './fault.ts';
import { beginBeside, findSecrets, forgetFound, secretsAtEnd, secretsBeside, tells } from './held-secrets.ts';
import { fromFrame, indexInParent, intoFrame, namesFrame } from './frame-place.ts';
import { drawnAgain, probeFrames } from './frames.ts';
import { hover, hovered, isReached } from './hover.ts';
import { mark } from './mark.ts';
import { secretsHere } from './markup.ts';
import { whileReading } from './memo.ts';
import { newName } from './new-name.ts';
import type { FrameMessage } from '#extension/shared/messages.ts';
import { beginPicture, endPicture } from './picture.ts';
import { beginDrag, bringEnd, dragByEvents, dragged, pressDrag, restDrag } from './drag.ts';
import { letGoOut, liftOut } from './drag-out.ts';
import { drop } from './drop.ts';
import { fileFieldOf, giveFiles, takePart } from './files.ts';
import { findHiding } from './plain.ts';
import { takeScript } from './script-address.ts';
import { scroll } from './scroll.ts';
import { fieldKind, slide } from './field-kind.ts';
import { closeList } from './close-list.ts';
import { seekOption } from './long-list.ts';
import { listOptions, select } from './options.ts';
import { callPageTool, offeredTools, onlyLooksByPageTool } from './page-tools.ts';
import { pickBox } from './pick-box.ts';
import { pickElement } from './pick.ts';
import { bringBack } from './pictured-parts.ts';
import { aimPress, endWatch, pressMet, watchPress } from './press-watch.ts';
import { beginPress, holdsPress, pressByEvents, pressed } from './press-key.ts';
import { readyNow } from './ready.ts';
import { beginRefs, refTop } from './refs.ts';
import { seek } from './seek.ts';
import { readSelection } from './selection.ts';
import { describe, takeSnapshot } from './snapshot.ts';
import { findTarget, isPlace, isThere, pointOf } from './target.ts';
import { hideLayers, showLayers } from './top-layer.ts';
import { beginKeys, endKeys, holdsFocus, typable, type } from './type.ts';

const api: PageApi = {
  snapshot: async ({ target, urls }) => {
    const snapshot = takeSnapshot(target === undefined ? null : findTarget(target), urls);
    if (target !== undefined || document.modelContext === undefined) return snapshot;
    const tools = await offeredTools();
    return tools.length === 0 ? snapshot : { ...snapshot, tools };
  },
  onlyLooksByPageTool,
  callPageTool,
  describe: async ({ target }) => {
    await bringBack(target);
    return describe(findTarget(target));
  },
  activity: (watched) => (watched === null ? activity() : { pending: askPending(watched), ...activity() }),
  drawnAgain,
  isThere,
  seek,
  changeCount: ({ since }, signal) => changeCount(since, signal),
  click,
  type,
  typable,
  beginKeys,
  holdsFocus,
  endKeys,
  aim: async ({ target }) => {
    await bringBack(target);
    const element = findTarget(target);
    refuseNative(element);
    const ready = await readyFor(target, element);
    if ('notReady' in ready) return ready;
    beginChange();
    lastAimed = element;
    if (isPlace(target)) endWatch();
    else watchPress(element, ready.point, ready.hit);
    return aimedAt(ready);
  },
  aimNow: ({ target }) => {
    const ready = readyNow(findTarget(target));
    if ('notReady' in ready) return ready;
    aimPress(ready.point);
    return aimedAt(ready);
  },
  pressMet: () => pressMet(),
  hover: ({ target, isReal }) => hover(target, isReal),
  hovered: () => hovered(),
  isReached: () => isReached(),
  beginPress,
  holdsPress: () => holdsPress(),
  pressByEvents,
  pressed: () => pressed(),
  select,
  listOptions,
  seekOption,
  closeList,
  scroll,
  beginDrag,
  pressDrag,
  dragByEvents,
  bringEnd,
  restDrag,
  dragged: () => dragged(),
  takePart,
  fileField: ({ target }) => {
    const field = fileFieldOf(target);
    return field === null ? null : describe(field);
  },
  giveFiles,
  drop,
  liftOut,
  letGoOut: () => letGoOut(),
  fieldKind,
  slide,
  passed: ({ isFrame }) => passedSince(isFrame),
  later: () => changedLater(),
  receipt: ({ target, at }) => {
    const change = changeOf(at === undefined ? findTarget(target) : aimedOrAt(at), null);
    return pressMet() === 'pressed' ? { ...change, ...unclicked() } : change;
  },
  mark,
  acting,
  makeWay: ({ isMade }) => void (isMade ? hideLayers('pointer') : showLayers('pointer')),
  beginPicture,
  endPicture,
  hold: ({ key, target }) => {
    held.set(key, target === undefined ? document : findTarget(target));
    keepNewest(held, MOST_HELD);
    beginUntold();
    return whileReading(() => {
      // What is told beside the answer is found in the same reading.
      findSecrets();
      return secretsHere();
    });
  },
  lookForSecrets: () => {},
  back: () => history.back(),
  forward: () => history.forward(),
  selection: () => readSelection(),
  pick: (options, signal) => pickElement(options, signal),
  pickBox: (_options, signal) => pickBox(signal),
  lookAgain,
  indexInParent: () => indexInParent(),
  namesFrame,
  placeInView: ({ point }) => pointOf(point),
  intoFrame,
  fromFrame,
};

/** What real input was last aimed at. */
let lastAimed: Element | null = null;

/** Words that meant it may fit to something else once it was pressed, and what it took away leaves what is behind it at its place. */
const aimedOrAt = ({ x, y }: Point): Element => lastAimed ?? elementAt(x, y) ?? document.documentElement;

/** They tell what fields hold although their answer has no text. A picture waits for the frame that is under way, and then for its own. */
const BEFORE_PICTURES = new Set<PageMethod>(['lookForSecrets', 'beginPicture']);

/** What is asked for is what fields hold, or is hidden there. */
const LOOKING = new Set<PageMethod>(['hold', ...BEFORE_PICTURES]);

/** Whether words of the page stand in it. */
const mayTell = <N extends PageMethod>(answer: PageAnswer<N>): boolean =>
  'fault' in answer ? answer.fault.fromPage !== '' : tells(answer);

const held = new Map<string, Node>();
/** Calls that come at once hold something each. */
const MOST_HELD = 10;
const running = new Map<string, AbortController>();

// A page that is kept for going back would go on where it was, long after the call has ended.
addEventListener('pagehide', () => {
  for (const abort of running.values()) abort.abort();
  tellSecrets();
});

// This event comes before the request, and the other one may come after the next page.
globalThis.navigation?.addEventListener('navigate', (event) => {
  if (!event.destination.sameDocument && event.downloadRequest === null) tellSecrets();
});

let toldSecrets = '';

/** The page that follows may tell what the fields of this one held. */
const tellSecrets = (): void => {
  const secrets = secretsAtEnd();
  const isTold = secrets.length === 0 || secrets.join('\n') === toldSecrets;
  // An extension that was updated has left this script behind.
  if (isTold || chrome.runtime?.id === undefined) return;
  toldSecrets = secrets.join('\n');
  void chrome.runtime.sendMessage({ type: 'secrets.held', secrets } satisfies FrameMessage).catch(() => null);
};

let marked = newName();
let root: Element | null = document.documentElement;

/** `document.open()` and an address that is a script put other content into the same document. */
const markOf = (): string => {
  const shown = document.documentElement;
  if (root !== null && shown !== null && shown !== root) marked = newName();
  root = shown ?? root;
  return marked;
};

const door: PageDoor = {
  version: VERSION,
  mark: markOf,
  answer: async (name, options, { askId, refBase, stillMs, besides = [] }) => {
    beginBeside(besides);
    findHiding();
    beginRefs(refBase);
    watchPage();
    // What only reads waits for no frame.
    if (!BEFORE_PICTURES.has(name) && name !== 'snapshot') probeFrames();
    if (stillMs !== undefined && !isStill(stillMs)) return { answer: { isBusy: true }, refTop: refTop(), hasMoved: true };
    const abort = new AbortController();
    running.set(askId, abort);
    if (LOOKING.has(name)) await searchLargeTrees(abort.signal);
    const { value: answer, hasMoved } = await whileMoving(() => answerCall(name, options, abort.signal));
    if (mayTell(answer) && (await searchLargeTrees(abort.signal))) forgetFound();
    running.delete(askId);
    const secrets = secretsBeside(answer, BEFORE_PICTURES.has(name));
    const script = takeScript();
    const unanswered = takeUnanswered();
    noteAnswer();
    return {
      answer,
      refTop: refTop(),
      hasMoved,
      ...(script === null ? {} : { script }),
      ...(unanswered === null ? {} : { unanswered }),
      ...(secrets.length === 0 ? {} : { secrets, origin }),
    };
  },
  cancel: (askId) => running.get(askId)?.abort(),
  release: (key) => {
    const node = held.get(key);
    held.delete(key);
    return node;
  },
  asksForFiles,
};

// A page that was kept for going back has its refs already.
if (globalThis.pilotfishPage?.version !== VERSION) {
  globalThis.pilotfishPage = door;
  watchPage();
}

const answerCall = async <N extends PageMethod>(
  name: N,
  options: PageMethods[N]['options'],
  signal: AbortSignal,
): Promise<PageAnswer<N>> => {
  try {
    return { value: await api[name](options, signal) };
  } catch (error) {
    if (error instanceof FaultError) {
      const { code, message: detail, fromPage, remedy } = error;
      return { fault: { code, detail, fromPage, remedy } };
    }
    return { fault: { code: 'TOOL_FAILED', detail: '', fromPage: error instanceof Error ? error.message : String(error) } };
  }
};
