/** Calls into pages by `chrome.scripting`; content-page.js is injected on first use, into the isolated world. */
import { CompanionError } from '#protocol/errors.ts';
import { EXTENSION_ORIGIN, VERSION } from '#protocol/version.ts';
import { tellInternals } from '#extension/content/tell-internals.ts';
import type { PageAnswer, PageFault, PageMethod, PageMethods, PageReply } from '#extension/content/api.ts';
import { clean } from '#extension/content/name.ts';
import { withoutValues } from '#extension/shared/hide-values.ts';
import { DocumentChangedError, DocumentGoneError, ErrorPageError, NoPageError, PageError } from '#extension/toolkit/page-error.ts';

const FILE = 'content-page.js';

/** Sent with each question to a page. */
export interface Envelope {
  readonly askId: string;
  readonly refBase: number;
  /** The question is for a page in which nothing has gone on for this long; another one throws PageBusyError. */
  readonly stillMs?: number;
  /** What secret fields of other documents of its origin hold: a search does not tell of that either. */
  readonly besides?: readonly string[];
}

/** Something goes on in the page, so it was not asked. */
export class PageBusyError extends Error {}

/**
 * One document in a frame of a tab. Chrome takes a script for a document that it keeps for going back, and runs it in the one that the
 * frame shows instead; so each question says by what its document is known, and another one does not hear it.
 */
export interface PageDocument {
  readonly frameId: number;
  readonly documentId: string;
  readonly url: string;
  /** By what it was known when it was first asked; without it the document is asked as it is. */
  readonly mark?: string | undefined;
}

export interface FrameAnswer<N extends PageMethod> {
  readonly frameId: number;
  readonly value: PageMethods[N]['result'];
  readonly refTop: number;
  /** By what the document is known that answered. */
  readonly mark: string;
  readonly hasMoved: boolean;
  /** What secret fields of the document hold. */
  readonly secrets: readonly string[];
  /** The origin of the document, where it told some. */
  readonly origin: string;
}

/**
 * Runs inside the page, so it may use nothing from outside itself. Returns an empty text when this is not the document that was meant; of a frame
 * that goes away before it has answered Chrome gives null, and it may have done what it was asked. The reply comes as a text, because of a value
 * Chrome leaves out what lies deeper than a hundred levels:
 * https://source.chromium.org/chromium/chromium/src/+/main:content/renderer/v8_value_converter_impl.cc
 */
const ask = async <N extends PageMethod>(
  mark: string,
  name: N,
  options: PageMethods[N]['options'],
  envelope: Envelope,
): Promise<string> => {
  const door = globalThis.pilotfishPage;
  return door?.mark() === mark ? JSON.stringify(await door.answer(name, options, envelope)) : '';
};

/** Runs inside the page, so it may use nothing from outside itself. Returns null when our script is not there yet. */
const readMark = (version: string): string | null => {
  const door = globalThis.pilotfishPage;
  return door === undefined || door.version !== version ? null : door.mark();
};

/** By what a document is known; its script comes into it with the first question. */
const findMark = async (tabId: number, { documentId }: Pick<PageDocument, 'documentId'>): Promise<string> => {
  const target = { tabId, documentIds: [documentId] };
  const read = async (): Promise<string | null> => {
    const [injected] = await guarded(chrome.scripting.executeScript({ target, func: readMark, args: [VERSION], injectImmediately: true }));
    if (injected === undefined) throw new DocumentGoneError();
    if (injected.documentId !== documentId) throw new DocumentChangedError();
    return injected.result ?? null;
  };
  return (await read()) ?? inject(tabId, documentId);
};

/** The script ends with the mark, see installer/build-extension.ts. */
const inject = async (tabId: number, documentId: string): Promise<string> => {
  const target = { tabId, documentIds: [documentId] };
  const [injected] = await guarded(chrome.scripting.executeScript<[], unknown>({ target, files: [FILE], injectImmediately: true }));
  if (typeof injected?.result !== 'string') throw new DocumentGoneError();
  if (injected.documentId !== documentId) throw new DocumentChangedError();
  return injected.result;
};

const cancelInPage = (askId: string): void => globalThis.pilotfishPage?.cancel(askId);

/** By what documents were known when they were last asked. */
const marks = new Map<string, string>();
const MAX_MARKS = 1_000;

/** Asks one document, the one that is known by its mark if it has one; a fault inside the page is thrown as a CompanionError. */
export const askDocument = async <N extends PageMethod>(
  tabId: number,
  asked: PageDocument,
  name: N,
  options: PageMethods[N]['options'],
  envelope: Envelope,
): Promise<FrameAnswer<N>> => {
  const askAs = (mark: string): Promise<FrameAnswer<N>> => askMarked(tabId, { ...asked, mark }, name, options, envelope);
  if (asked.mark !== undefined) return askAs(asked.mark);
  const last = marks.get(asked.documentId);
  const answer = last === undefined ? null : await askAs(last).catch(nullWhenChanged);
  if (answer !== null) return answer;
  return askAs(await learnMark(tabId, asked));
};

const learnMark = async (tabId: number, asked: Pick<PageDocument, 'documentId'>): Promise<string> => {
  const mark = await findMark(tabId, asked);
  marks.set(asked.documentId, mark);
  const [oldest] = marks.keys();
  if (marks.size > MAX_MARKS && oldest !== undefined) marks.delete(oldest);
  return mark;
};

const nullWhenChanged = (error: unknown): null => {
  if (error instanceof DocumentChangedError) return null;
  throw error;
};

const askMarked = async <N extends PageMethod>(
  tabId: number,
  asked: PageDocument & { readonly mark: string },
  name: N,
  options: PageMethods[N]['options'],
  envelope: Envelope,
): Promise<FrameAnswer<N>> => {
  const { frameId, documentId, mark } = asked;
  const target = { tabId, documentIds: [documentId] };
  const [injected] = await guarded(
    chrome.scripting.executeScript({ target, func: ask<N>, args: [mark, name, options, envelope], injectImmediately: true }),
  );
  const reply = injected?.result;
  if (reply === '') throw new DocumentChangedError();
  if (reply === undefined || reply === null) throw new DocumentGoneError();
  const { answer, refTop, hasMoved, script, unanswered, secrets = [], origin = '' }: PageReply<N> = JSON.parse(reply);
  if (unanswered !== undefined) {
    await runInPage(tabId, documentId, tellInternals, unanswered);
    if (LOOKING.has(name) || isNotFound(answer)) return askMarked(tabId, asked, name, options, envelope);
  }
  if (script !== undefined) await runInPage(tabId, documentId, goTo, script.address, ...script.origins);
  if ('fault' in answer) throw toError(answer.fault, secrets);
  if ('isBusy' in answer) throw new PageBusyError();
  return { frameId, value: answer.value, refTop, mark, hasMoved, secrets, origin };
};

/** What does nothing to a page, and may be asked once more. */
const LOOKING = new Set<PageMethod>(['describe', 'fieldKind', 'isThere', 'listOptions', 'seek', 'snapshot']);

/** Nothing was done to what was not found. */
const isNotFound = (answer: PageAnswer): boolean => 'fault' in answer && answer.fault.code === 'TARGET_NOT_FOUND';

/** An address that is a script runs in the page's own world, as a press of a person does. A page of another site that has come by then does not get it. */
const goTo = (address: string, ofAddress: string, own: string): void => {
  if (location.origin === ofAddress && origin === own) location.href = address;
};

/** In its own world; what runs there may use nothing from outside itself. */
const runInPage = async <A extends string[]>(tabId: number, documentId: string, func: (...args: A) => void, ...args: A): Promise<void> => {
  const target = { tabId, documentIds: [documentId] };
  // It may have gone.
  await chrome.scripting.executeScript({ target, world: 'MAIN', func, args, injectImmediately: true }).catch(() => null);
};

/** What every document tells of itself, before it is made ready to be asked. */
export interface Glance {
  readonly url: string;
  readonly title: string;
  /** HTTP status; 0 when there is none. */
  readonly status: number;
  readonly isLoading: boolean;
  /** Its server has not sent all of it. */
  readonly isComing: boolean;
  readonly hasText: boolean;
  /** How long it has been there whole. */
  readonly loadedMs: number;
}

/**
 * Runs inside the page, so it may use nothing from outside itself. With `restMs` it answers when the page has been there whole for so long; a page
 * may keep it from hearing of that.
 */
const glance = async (restMs: number | null): Promise<Glance> => {
  const [entry] = performance.getEntriesByType('navigation');
  const isTold = entry instanceof PerformanceNavigationTiming;
  // A script may open the document again after its load, and need not close it.
  const isComingIn = (): boolean => document.readyState === 'loading' && !(isTold && entry.domContentLoadedEventStart > 0);
  if (restMs !== null) {
    if (isComingIn()) await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
    // Timers of a hidden page are held back.
    const { port1, port2 } = new MessageChannel();
    const wholeAt = isTold ? entry.domContentLoadedEventStart : 0;
    await new Promise<void>((resolve) => {
      port1.onmessage = () => (performance.now() - wholeAt < restMs ? port2.postMessage(null) : resolve());
      port2.postMessage(null);
    });
    port1.close();
  }
  // To take all of its text together would have a page laid out that is still coming, as often as it is looked at.
  const showsText = (): boolean => {
    const texts = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const { parentElement: around } = text;
      const isRead = around !== null && around.closest('head, script, style, noscript, template') === null;
      if (isRead && (text.textContent ?? '').trim() !== '' && around.checkVisibility({ visibilityProperty: true })) return true;
    }
    return false;
  };
  const isLoading = isComingIn();
  return {
    url: location.href,
    title: document.title,
    status: isTold ? entry.responseStatus : 0,
    isLoading,
    isComing: isTold && entry.responseEnd === 0,
    hasText: isLoading && showsText(),
    loadedMs: performance.now() - (isTold ? entry.domContentLoadedEventStart : 0),
  };
};

/** Looks at a document without doing anything to it; with `restMs` when it has been there whole for so long. */
export const glanceAt = async (
  tabId: number,
  { documentId }: Pick<PageDocument, 'documentId'>,
  restMs: number | null = null,
): Promise<Glance> => {
  const target = { tabId, documentIds: [documentId] };
  const [injected] = await guarded(chrome.scripting.executeScript({ target, func: glance, args: [restMs], injectImmediately: true }));
  if (injected?.result === undefined || injected.result === null || injected.documentId !== documentId) throw new DocumentGoneError();
  return { ...injected.result, title: clean(injected.result.title) };
};

/** Makes a document ready to be asked, so that the first question finds it so. */
export const prepareDocument = async (tabId: number, documentId: string): Promise<void> => {
  // The caller is told what is wrong.
  await learnMark(tabId, { documentId }).catch(() => null);
};

/** Tells the page to stop; a page that hangs does not get the message. */
export const cancelInDocument = async (tabId: number, { documentId }: PageDocument, askId: string): Promise<void> => {
  await chrome.scripting
    .executeScript({ target: { tabId, documentIds: [documentId] }, func: cancelInPage, args: [askId], injectImmediately: true })
    .catch(() => null);
};

/** Whether the page that a tab shows runs scripts, whichever it is: to find that out first is a question of its own. */
export const pingTab = async (tabId: number): Promise<void> => {
  await chrome.scripting.executeScript({ target: { tabId }, func: () => true, injectImmediately: true }).catch(() => null);
};

/** Whether the page still runs scripts. */
export const pingDocument = async (tabId: number, { documentId }: PageDocument): Promise<void> => {
  await chrome.scripting
    .executeScript({ target: { tabId, documentIds: [documentId] }, func: () => true, injectImmediately: true })
    .catch(() => null);
};

const guarded = async <T>(injection: Promise<T>): Promise<T> => {
  try {
    return await injection;
  } catch (error) {
    throw translate(error instanceof Error ? error.message : String(error));
  }
};

/** Chrome's texts, see extensions/browser/api/scripting and extensions/common/manifest_handlers/content_scripts. */
const translate = (text: string): Error => {
  if (/No tab with id/i.test(text)) return new CompanionError('TAB_NOT_FOUND');
  if (/showing error page/i.test(text)) return new ErrorPageError();
  if (/No document with id/i.test(text)) return new DocumentChangedError();
  if (/No frame with id/i.test(text)) return new CompanionError('TARGET_NOT_FOUND', 'The frame of this ref is gone.');
  if (/Cannot access contents of the page\./i.test(text)) return new NoPageError();
  // An empty page that a tab came back to is told as the extension's own, for that had opened it.
  if (['about:blank', `${EXTENSION_ORIGIN}/`].some((address) => text.includes(`contents of url "${address}"`)))
    return new CompanionError('TAB_RESTRICTED', 'The tab is empty.', { remedy: 'Open an address in it with browser_navigate.' });
  if (/Cannot access|cannot be scripted|extensions gallery|Cannot script/i.test(text)) return new PageError('TAB_RESTRICTED', '', text);
  if (/was removed|was closed|No document|frame.*(?:detached|removed)/i.test(text)) return new DocumentGoneError();
  return new PageError('TOOL_FAILED', '', text);
};

const toError = ({ code, detail, fromPage, remedy }: PageFault, secrets: readonly string[]): CompanionError =>
  new PageError(code, detail, withoutValues(fromPage, secrets), remedy === undefined ? {} : { remedy });
