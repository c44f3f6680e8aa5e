/** Attaching from the page in front of the user. */
import type { Project } from '#protocol/api.ts';
import { fromErrorBody, toErrorBody } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { isLoopback } from '#protocol/loopback.ts';
import { routes } from '#protocol/routes.ts';
import type { ActPictures } from '#extension/shared/act-pictures.ts';
import type { OpenTab, PageCapture, SettingsPart } from '#extension/shared/capture.ts';
import type { Call } from '#extension/shared/wire.ts';
import type { CaptureKind, PickedPlace, SessionTabs, TabAnswer } from '#extension/shared/messages.ts';
import { textFile } from './attachments.ts';
import type { Attached } from './outbox.ts';
import type { Picked } from './picked.ts';
import { withOwnSource } from './source-path.ts';
import type { Store } from './state.ts';

/** What was taken from the page, and whether the user wants to point at another element. */
interface Taken {
  readonly attached: Attached;
  readonly hasNext: boolean;
}

/** Whose development server a page is from: all of it is known. */
export interface ServedPage {
  readonly folder: string;
  readonly root: string;
  readonly project: Project;
  readonly sessionId: SessionId | null;
}

export class ContextActions {
  readonly #store: Store;
  readonly #page: PageCapture;
  readonly #call: Call;

  constructor({ store, page, call }: { store: Store; page: PageCapture; call: Call }) {
    this.#store = store;
    this.#page = page;
    this.#call = call;
  }

  /** A refusal is shown as an error. `name` makes the attachment's name from the host of the page. */
  async capture(kind: CaptureKind, name: (host: string) => string, tabId?: number): Promise<Taken | 'nothing' | 'refused'> {
    try {
      const answer = await this.#page.capture(kind, tabId);
      if (answer.state === 'nothing') return 'nothing';
      if (answer.state === 'refused') throw fromErrorBody(answer.error);
      // Only the host is used, because the name stands outside the fence around the page's text.
      const url = URL.parse(answer.url);
      const served = url === null ? null : await this.servedAt(url);
      const named = `${name(url?.host ?? '')}${served === null ? '' : ` (${served.project.name})`}`;
      // A part of what is seen is a screenshot, too.
      const attachedKind = kind === 'region' ? 'screenshot' : kind;
      const isElement = answer.state === 'text' && kind === 'element' && url !== null && served !== null;
      const picked = isElement ? await this.#keep(answer.picked, served) : undefined;
      return answer.state === 'text'
        ? {
            attached: {
              ...(await textFile(
                attachedKind,
                named,
                isElement
                  ? withOwnSource(answer.text, { ...served, origin: url.origin, files: await this.#filesOf(served.project) })
                  : answer.text,
              )),
              ...(picked === undefined ? {} : { picked }),
            },
            hasNext: answer.hasNext === true,
          }
        : { attached: { kind: attachedKind, name: named, mimeType: answer.mimeType, dataBase64: answer.dataBase64 }, hasNext: false };
    } catch (error) {
      this.#store.set({ failure: toErrorBody(error) });
      return 'refused';
    }
  }

  /** How an element of a project's page looks before the prompt; nothing where that cannot be told. */
  async #keep(place: PickedPlace | undefined, { project, sessionId }: ServedPage): Promise<Picked | undefined> {
    const kept = place === undefined ? null : await this.#page.keep(place).catch(() => null);
    if (place === undefined || kept === null) return undefined;
    return { place, looks: kept.looks, before: kept.picture, projectId: project.id, sessionId };
  }

  /** None where not all of them can be told: then one may be missing that is meant. */
  async #filesOf({ id: projectId }: Project): Promise<readonly string[]> {
    const listed = await this.#call(routes.listFiles, { params: { projectId } }).catch(() => null);
    return listed === null || listed.isCut ? [] : listed.files;
  }

  /** Whose development server a page of this machine is from; null where it is from elsewhere, or that is not known. */
  async servedAt(url: URL): Promise<ServedPage | null> {
    const { connection } = this.#store.state;
    // A daemon on another machine knows nothing of the servers of this one.
    const isElsewhere = connection.state === 'connected' && connection.base !== undefined;
    if (isElsewhere || !isLoopback(url)) return null;
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    // A companion of an earlier version says less, or nothing.
    const served = await this.#call(routes.findServed, { query: { port, host: url.hostname } }).catch(() => null);
    if (served === null || served.project === null || served.folder === null || served.root === null) return null;
    const { folder, root, project, sessionId } = served;
    return { folder, root, project, sessionId };
  }

  openSettings(part: SettingsPart): void {
    void this.#page.openSettings(part);
  }

  /** The tabs that can be named; none where the browser does not tell. */
  async tabs(): Promise<OpenTab[]> {
    return this.#page.tabs().catch(() => []);
  }

  /** The tab in front of the user, now and after each change. Returns what ends it. */
  watchTab(onTab: (tab: OpenTab | null) => void): () => void {
    return this.#page.watchTab(onTab);
  }

  /** Whose the tab in front of the user is, for the session on screen, after handing it over or taking it back; null where that makes no sense. */
  async tab(act: 'look' | 'hand' | 'release'): Promise<TabAnswer['owner']> {
    const { sessionId } = this.#store.state;
    if (sessionId === null) return null;
    try {
      return await this.#page.tab(act, sessionId);
    } catch {
      // A worker that is just started again has no answer; the menu can be opened once more.
      return null;
    }
  }

  /** The tabs in which the session on screen works, after one of them was brought to the front or closed. */
  async sessionTabs(act?: { type: 'show' | 'close'; tabId: number }): Promise<SessionTabs['tabs']> {
    const { sessionId } = this.#store.state;
    // A worker that is just started again has no answer; the list is read again soon.
    return sessionId === null ? [] : this.#page.sessionTabs(sessionId, act).catch(() => []);
  }

  /** Pictures of what agents did, by call; none where the browser cannot tell. */
  async actPictures(callIds: readonly string[]): Promise<ReadonlyMap<string, ActPictures>> {
    return this.#page.actPictures(callIds).catch(() => new Map());
  }

  /** The user does not want to point at anything any more. */
  cancelCapture(): void {
    // A worker that does not get the message has no capture to end.
    void this.#page.cancel().catch(() => {});
  }
}
