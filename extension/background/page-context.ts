/** What the user attaches to a prompt from the page in front of them. */
import { CompanionError, toErrorBody, withRemedy, type ErrorBody } from '#protocol/errors.ts';
import { explainInFront } from '#protocol/front-faults.ts';
import type { PickedElement, SelectedText } from '#extension/content/api.ts';
import { checkPage } from '#extension/shared/addresses.ts';
import type { CaptureAnswer, CaptureKind, KeptPicked, PickedPlace } from '#extension/shared/messages.ts';
import { DocumentChangedError } from '#extension/toolkit/page-error.ts';
import { renderSnapshot } from '#extension/toolkit/snapshot-text.ts';
import { documentIn } from './documents.ts';
import type { TabPage } from './tab-page.ts';
import type { ToolContexts } from './tool-contexts.ts';

/** Twice the limit of a tool, because the user has chosen to send all of it. */
const PAGE_TOKENS = 20_000;

/** The person waits for it before they can write on. */
const KEEP_MS = 5_000;

/** What is captured, and from where: the tab that the window shows, or another one that was named. */
interface Wanted {
  readonly kind: CaptureKind;
  readonly windowId: number;
  readonly tabId?: number | undefined;
}

type Contexts = Pick<ToolContexts, 'pageOf' | 'offLimits' | 'proofs' | 'secrets'>;

export class PageContext {
  readonly #contexts: Contexts;
  readonly #underWay = new Map<number, AbortController>();

  readonly #knowsLimits: Promise<unknown>;

  /** Nothing is captured before it is known what is off limits. */
  constructor(contexts: Contexts, knowsLimits: Promise<unknown>) {
    this.#contexts = contexts;
    this.#knowsLimits = knowsLimits;
  }

  /** Never rejects: a failure is an answer too. */
  async capture({ kind, windowId, tabId }: Wanted): Promise<CaptureAnswer> {
    this.cancel(windowId);
    const abort = new AbortController();
    this.#underWay.set(windowId, abort);
    try {
      await this.#knowsLimits;
      const tab = tabId === undefined ? (await chrome.tabs.query({ active: true, windowId }))[0] : await chrome.tabs.get(tabId);
      if (tab?.id === undefined) throw new CompanionError('TAB_NOT_FOUND');
      return await this.#take(kind, this.#contexts.pageOf(tab.id, abort.signal));
    } catch (error) {
      return abort.signal.aborted ? { state: 'nothing' } : { state: 'refused', error: forUser(error) };
    } finally {
      if (this.#underWay.get(windowId) === abort) this.#underWay.delete(windowId);
    }
  }

  /** What was just picked, as it looks before the prompt. Never rejects: without it the prompt goes as well. */
  async keep({ tabId, documentId, frame, ...mark }: PickedPlace): Promise<KeptPicked> {
    try {
      await this.#knowsLimits;
      const top = await documentIn(tabId, 0);
      if (top.documentId !== documentId) return null;
      return await this.#contexts.proofs.before(tabId, { top, frame }, mark, AbortSignal.timeout(KEEP_MS));
    } catch {
      return null;
    }
  }

  /** Ends a capture that waits for the user. */
  cancel(windowId: number): void {
    this.#underWay.get(windowId)?.abort();
  }

  /** Address, title and content are of one document: that which is there before the first and after the last. */
  async #take(kind: CaptureKind, page: TabPage): Promise<CaptureAnswer> {
    checkPage((await page.info()).url, this.#contexts.offLimits());
    const shown = await documentIn(page.tabId, 0);
    checkPage(shown.url, this.#contexts.offLimits());
    page.bind(shown);
    const [info] = await Promise.all([page.info(), page.lookForSecrets()]);
    const answer = this.#told(kind, await this.#read(kind, page, info, shown.documentId));
    if ((await documentIn(page.tabId, 0)).documentId !== shown.documentId) throw new DocumentChangedError();
    return answer;
  }

  /** What a prompt tells of a page is told without what its fields hold, but for the text that the person has selected themselves. */
  #told(kind: CaptureKind, answer: CaptureAnswer): CaptureAnswer {
    if (answer.state !== 'text' && answer.state !== 'picture') return answer;
    const { secrets } = this.#contexts;
    const head = { url: secrets.withoutInAddress(answer.url), title: secrets.without(answer.title) };
    return { ...answer, ...head, ...(answer.state === 'text' && kind !== 'selection' ? { text: secrets.without(answer.text) } : {}) };
  }

  async #read(
    kind: CaptureKind,
    page: TabPage,
    { url, title }: { url: string; title: string },
    documentId: string,
  ): Promise<CaptureAnswer> {
    const pageText = (text: string): CaptureAnswer => ({ state: 'text', url, title, text: `page: ${url}\ntitle: ${title}\n\n${text}` });
    switch (kind) {
      case 'selection': {
        const selected = (await page.selections()).find(({ text }) => text !== '');
        return selected === undefined ? { state: 'nothing' } : { state: 'text', url, title, text: this.#selectionText(selected) };
      }
      case 'screenshot': {
        const { picture } = await page.capture({ type: 'jpeg', target: null, fullPage: false });
        return { state: 'picture', url, title, mimeType: picture.mimeType, dataBase64: picture.data };
      }
      case 'region': {
        const box = await page.pickBox();
        if (box === null) return { state: 'nothing' };
        const { picture } = await page.capture({ type: 'jpeg', target: null, fullPage: false, box });
        return { state: 'picture', url, title, mimeType: picture.mimeType, dataBase64: picture.data };
      }
      case 'element': {
        const picked = await page.pick();
        if (picked === null) return { state: 'nothing' };
        const { element } = picked;
        const { ref, selector, role, name, hasNext } = element;
        const inner = picked.frameId === 0 ? {} : { frame: { frameId: picked.frameId, documentId: picked.documentId, url: picked.url } };
        const place = { tabId: page.tabId, url, documentId, ...inner, ref, selector, role, name };
        return { state: 'text', url, title, text: elementText(element), hasNext, picked: place };
      }
      case 'page':
        return pageText(renderSnapshot(await page.frames({ aim: null, urls: true }), { maxTokens: PAGE_TOKENS, page: 1 }).text);
      case 'console':
      case 'network': {
        const log = await page.console(false);
        const lines = log.filter(({ source }) => source === kind).map((entry) => `[${entry.kind}] ${entry.text}`);
        return lines.length === 0 ? { state: 'nothing' } : pageText(lines.join('\n'));
      }
    }
  }

  #selectionText({ url, title, text }: SelectedText): string {
    const { secrets } = this.#contexts;
    return `page: ${secrets.withoutInAddress(url)}\ntitle: ${secrets.without(title)}\n\n${text}`;
  }
}

/** The remedies of errors about tools are written for a model, so these are for a person. */
const forUser = (error: unknown): ErrorBody => {
  const body = toErrorBody(error);
  return withRemedy(body, explainInFront(body.code === 'TAB_RESTRICTED' ? 'go_to_ordinary' : 'look_then_try'));
};

const elementText = ({ url, title, selector, role, name, text, html, source }: PickedElement): string =>
  [
    `page: ${url}`,
    `title: ${title}`,
    `selector: ${selector}`,
    ...(source === '' ? [] : [`source: ${source}`]),
    `role: ${role}`,
    `name: ${name}`,
    `text: ${text}`,
    '',
    html,
  ].join('\n');
