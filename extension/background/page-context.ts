/** What the user attaches to a prompt from the page in front of them. */
import { CompanionError, toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { PickedElement, SelectedText } from '#extension/content/api.ts';
import { checkPage } from '#extension/shared/addresses.ts';
import type { CaptureAnswer, CaptureKind } from '#extension/shared/messages.ts';
import { renderSnapshot } from '#extension/tools/snapshot-text.ts';
import { readPageLog } from './page-log.ts';
import type { World } from './world.ts';

/** Twice a tool's: the user has chosen to send all of it. */
const PAGE_TOKENS = 20_000;

export interface PageContext {
  /** Never rejects: what fails is an answer too. */
  capture(kind: CaptureKind, windowId: number): Promise<CaptureAnswer>;
  /** Ends a capture that waits for the user. */
  cancel(windowId: number): void;
}

export const createPageContext = (world: World): PageContext => {
  const underWay = new Map<number, AbortController>();

  const isAllowed = (url: string): boolean => {
    try {
      checkPage(url, world.ownPort());
      return true;
    } catch {
      return url === 'about:srcdoc';
    }
  };

  const take = async (kind: CaptureKind, tabId: number, signal: AbortSignal): Promise<CaptureAnswer> => {
    const page = world.pageOf(tabId, signal);
    const { url, title } = await page.info();
    checkPage(url, world.ownPort());
    switch (kind) {
      case 'selection': {
        const selected = await selectionIn(tabId, signal);
        return selected === null ? { state: 'nothing' } : { state: 'text', url, title, text: selectionText(selected) };
      }
      case 'screenshot': {
        const { mimeType, data } = await page.capture({ type: 'jpeg', box: null, fullPage: false });
        return { state: 'picture', url, title, mimeType, dataBase64: data };
      }
      case 'element': {
        const picked = await pickIn(tabId, signal);
        return picked === null ? { state: 'nothing' } : { state: 'text', url, title, text: elementText(picked) };
      }
      case 'page': {
        const { text } = renderSnapshot(await page.frames({ aim: null, urls: true }), { maxTokens: PAGE_TOKENS, page: 1 });
        return { state: 'text', url, title, text: `page: ${url}\ntitle: ${title}\n\n${text}` };
      }
      case 'console':
      case 'network': {
        const lines = (await readPageLog(tabId, signal))[kind];
        return lines.length === 0
          ? { state: 'nothing' }
          : { state: 'text', url, title, text: `page: ${url}\ntitle: ${title}\n\n${lines.join('\n')}` };
      }
    }
  };

  /** The page itself first, then the frames that may be read. */
  const framesOf = async (tabId: number): Promise<number[]> => {
    const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
    return [0, ...frames.filter(({ frameId, url }) => frameId !== 0 && isAllowed(url)).map(({ frameId }) => frameId)];
  };

  const selectionIn = async (tabId: number, signal: AbortSignal): Promise<SelectedText | null> => {
    const page = world.pageOf(tabId, signal);
    const read = async (frameId: number): Promise<SelectedText | null> => {
      const asked = page.call('selection', null, frameId);
      // A frame that cannot be reached has nothing to tell.
      return frameId === 0 ? asked : asked.catch(() => null);
    };
    const found = await Promise.all((await framesOf(tabId)).map(read));
    return found.find((selected) => selected !== null && selected.text !== '') ?? null;
  };

  /** The pointer may be in any frame; whichever hears of it first ends it for all. */
  const pickIn = async (tabId: number, signal: AbortSignal): Promise<PickedElement | null> => {
    const over = new AbortController();
    const page = world.pageOf(tabId, AbortSignal.any([signal, over.signal]));
    const answers = (await framesOf(tabId)).map(
      (frameId) =>
        new Promise<PickedElement | null>((resolve, reject) => {
          // Frames come and go while the user looks around; only the page itself counts.
          page.call('pick', null, frameId).then(resolve, (error: unknown) => {
            if (frameId === 0) reject(error);
          });
        }),
    );
    try {
      return await Promise.race(answers);
    } finally {
      over.abort();
    }
  };

  return {
    capture: async (kind, windowId) => {
      underWay.get(windowId)?.abort();
      const abort = new AbortController();
      underWay.set(windowId, abort);
      try {
        const [tab] = await chrome.tabs.query({ active: true, windowId });
        if (tab?.id === undefined) throw new CompanionError('TAB_NOT_FOUND');
        return await take(kind, tab.id, abort.signal);
      } catch (error) {
        return abort.signal.aborted ? { state: 'nothing' } : { state: 'refused', error: forUser(error) };
      } finally {
        if (underWay.get(windowId) === abort) underWay.delete(windowId);
      }
    },
    cancel: (windowId) => underWay.get(windowId)?.abort(),
  };
};

/** The catalogue's remedies for tools are written for a model. */
const forUser = (error: unknown): ErrorBody => {
  const body = toErrorBody(error);
  return {
    ...body,
    remedy: body.code === 'TAB_RESTRICTED' ? 'Go to an ordinary web page, then try again.' : 'Look at the page, then try again.',
  };
};

const selectionText = ({ url, title, text }: SelectedText): string => `page: ${url}\ntitle: ${title}\n\n${text}`;

const elementText = ({ url, title, selector, role, name, text, html }: PickedElement): string =>
  [`page: ${url}`, `title: ${title}`, `selector: ${selector}`, `role: ${role}`, `name: ${name}`, `text: ${text}`, '', html].join('\n');
