/** Calls into pages by `chrome.scripting`; content-page.js is injected on first use, into the isolated world. */
import { CompanionError } from '#protocol/errors.ts';
import { VERSION } from '#protocol/version.ts';
import type { PageAnswer, PageMethod, PageMethods, PageFault } from '#extension/content/api.ts';
import { clean } from '#extension/content/name.ts';
import { DocumentChangedError, DocumentGoneError, noPage, PageError } from '#extension/toolkit/page-error.ts';

const FILE = 'content-page.js';

/** Sent with each question to a page. */
export interface Envelope {
  readonly askId: string;
  readonly refBase: number;
  /** The question is for a page in which nothing has gone on for this long; another one throws PageBusyError. */
  readonly stillMs?: number;
}

/** Something goes on in the page, so it was not asked. */
export class PageBusyError extends Error {}

/** One document in a frame of a tab. Chrome runs a script in this document or not at all, whatever the frame shows by then. */
export interface PageDocument {
  readonly frameId: number;
  readonly documentId: string;
  readonly url: string;
}

export interface FrameAnswer<N extends PageMethod> {
  readonly frameId: number;
  readonly value: PageMethods[N]['result'];
  readonly refTop: number;
}

type Reply<N extends PageMethod> = { readonly answer: PageAnswer<N>; readonly refTop: number } | null;

/** Runs inside the page, so it may use nothing from outside itself. Returns null when our script is not there yet. */
const ask = <N extends PageMethod>(
  version: string,
  name: N,
  options: PageMethods[N]['options'],
  envelope: Envelope,
): Promise<Reply<N>> | null => {
  const door = globalThis.pilotfishPage;
  return door === undefined || door.version !== version ? null : door.answer(name, options, envelope);
};

const cancelInPage = (askId: string): void => globalThis.pilotfishPage?.cancel(askId);

/** Asks one document; a fault inside the page is thrown as a CompanionError. */
export const askDocument = async <N extends PageMethod>(
  tabId: number,
  { frameId, documentId }: PageDocument,
  name: N,
  options: PageMethods[N]['options'],
  envelope: Envelope,
): Promise<FrameAnswer<N>> => {
  const target = { tabId, documentIds: [documentId] };
  const attempt = async (): Promise<Reply<N> | undefined> => {
    const [injected] = await guarded(
      chrome.scripting.executeScript({ target, func: ask<N>, args: [VERSION, name, options, envelope], injectImmediately: true }),
    );
    return injected?.result;
  };
  let reply = await attempt();
  if (reply === null) {
    await guarded(inject(tabId, documentId));
    reply = await attempt();
  }
  if (reply === null || reply === undefined) throw new DocumentGoneError();
  const { answer, refTop } = reply;
  if ('fault' in answer) throw toError(answer.fault);
  if ('isBusy' in answer) throw new PageBusyError();
  return { frameId, value: answer.value, refTop };
};

/** What every document tells of itself, before it is made ready to be asked. */
export interface Glance {
  readonly url: string;
  readonly title: string;
  /** HTTP status; 0 when there is none. */
  readonly status: number;
  readonly isLoading: boolean;
  /** How long it has been there whole. */
  readonly loadedMs: number;
}

/** Runs inside the page, so it may use nothing from outside itself. */
const glance = (): Glance => {
  const [entry] = performance.getEntriesByType('navigation');
  const isTold = entry instanceof PerformanceNavigationTiming;
  return {
    url: location.href,
    title: document.title,
    status: isTold ? entry.responseStatus : 0,
    isLoading: document.readyState === 'loading',
    loadedMs: performance.now() - (isTold ? entry.domContentLoadedEventStart : 0),
  };
};

/** Looks at a document without doing anything to it. */
export const glanceAt = async (tabId: number, { documentId }: Pick<PageDocument, 'documentId'>): Promise<Glance> => {
  const [injected] = await guarded(
    chrome.scripting.executeScript({ target: { tabId, documentIds: [documentId] }, func: glance, injectImmediately: true }),
  );
  if (injected?.result === undefined || injected.result === null) throw new DocumentGoneError();
  return { ...injected.result, title: clean(injected.result.title) };
};

/** Makes a document ready to be asked, so that the first question finds it so. */
export const prepareDocument = async (tabId: number, documentId: string): Promise<void> => {
  // Whoever asks is told what is wrong.
  await inject(tabId, documentId).catch(() => null);
};

const inject = (tabId: number, documentId: string): Promise<unknown> =>
  chrome.scripting.executeScript({ target: { tabId, documentIds: [documentId] }, files: [FILE], injectImmediately: true });

/** Tells the page to stop; a page that hangs does not get the message. */
export const cancelInDocument = async (tabId: number, { documentId }: PageDocument, askId: string): Promise<void> => {
  await chrome.scripting
    .executeScript({ target: { tabId, documentIds: [documentId] }, func: cancelInPage, args: [askId], injectImmediately: true })
    .catch(() => null);
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
  if (/showing error page/i.test(text)) return new CompanionError('NAVIGATION_FAILED', 'The tab shows an error page.');
  if (/No document with id/i.test(text)) return new DocumentChangedError();
  if (/No frame with id/i.test(text)) return new CompanionError('TARGET_NOT_FOUND', 'The frame of this ref is gone.');
  if (/Cannot access contents of the page\./i.test(text)) return noPage();
  if (/Cannot access|cannot be scripted|extensions gallery|Cannot script/i.test(text)) return new PageError('TAB_RESTRICTED', '', text);
  if (/was removed|was closed|No document|frame.*(?:detached|removed)/i.test(text)) return new DocumentGoneError();
  return new PageError('TOOL_FAILED', '', text);
};

const toError = ({ code, detail, fromPage }: PageFault): CompanionError => new PageError(code, detail, fromPage);
