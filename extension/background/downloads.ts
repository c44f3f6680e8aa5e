/**
 * Downloads that tabs of sessions begin. Each is held before it has a name on disk, the companion asks the person, and it is kept or dropped.
 * Downloads of the person's own go on as if nobody had looked.
 */
import type { SessionId } from '#protocol/ids.ts';
import type { HeldDownload, LinkMethods, SavedFile, UpFrame } from '#protocol/link.ts';
import * as z from 'zod';
import { originOf } from '#extension/shared/addresses.ts';
import { cutAddress } from '#extension/toolkit/cut.ts';
import { fitForDisk } from '#extension/toolkit/file-name.ts';
import { envelope } from '#extension/toolkit/result.ts';
import type { DownloadRow } from '#extension/toolkit/tool.ts';
import type { Crossed, Crossing } from './crossing.ts';
import { contentOf } from './download-content.ts';
import { DownloadOwners } from './download-owners.ts';
import { ownFiles } from './own-files.ts';
import { orAborted } from './queue.ts';
import type { SecretValues } from './secret-values.ts';
import type { SessionTabs } from './session-tabs.ts';
import { Stored } from './stored.ts';

/**
 * Chrome waits 15 s for a name, then it takes its own and finishes the file.
 * https://source.chromium.org/chromium/chromium/src/+/main:chrome/browser/extensions/api/downloads/downloads_api.cc
 */
const HOLD_MS = 13_500;

/** Downloads that begin within this time are asked for together. */
const GATHER_MS = 200;

/** A navigation that becomes a download fails before Chrome reports the download. */
const LATE_MS = 500;

/** How long the server may take for the beginning of a file that a page has asked for. */
const EXPECTED_MS = 5_000;

/** How long a receipt waits for the file after the person has allowed it; it does not wait for a large one. */
const FINISH_MS = 5_000;

/** How long a receipt waits until the companion on another machine has the file. */
const CROSS_MS = 10_000;

/** Where the companion on another machine has them, or why it has not, by the id of the download. */
const CrossedFiles = z
  .record(z.string(), z.object({ path: z.string().nullable(), problem: z.string().nullable() }))
  .transform((record) => new Map(Object.entries(record)));

/** The ids of downloads that are held: when the worker is killed, the next one drops them. */
const HELD_KEY = 'held downloads';

/** How many downloads of a session can be asked for later. */
const MAX_KEPT = 50;
const Kept = z.record(z.string(), z.array(z.number())).transform((record) => new Map(Object.entries(record)));

/** How many are remembered for a session that makes no call. */
const MAX_NOTES = 20;

interface DownloadParts {
  readonly sessionTabs: SessionTabs;
  readonly crossing: Crossing;
  readonly secrets: SecretValues;
  readonly send: (frame: UpFrame) => void;
  /** Finds out what the page in which the session works holds that is secret. */
  readonly look: (sessionId: SessionId) => Promise<void>;
}

interface Held {
  readonly download: HeldDownload;
  readonly sessionId: SessionId;
  readonly startedAt: number;
  /** Ends the hold, with or without the file. */
  release(isAllowed: boolean): void;
  /** Resolves when the agent can be told the result. */
  readonly ended: Promise<void>;
}

/** What an agent is told, in Pilotfish's words and then in those of the page. */
interface Note {
  readonly isKept: boolean;
  readonly words: string;
  readonly download: HeldDownload;
  /** The path of the file, or null while there is none. */
  readonly path: string | null;
}

export class Downloads {
  readonly #owners: DownloadOwners;
  readonly #parts: DownloadParts;
  readonly #crossed = new Stored<ReadonlyMap<string, Crossed>>(
    'session',
    'crossed downloads',
    CrossedFiles,
    () => new Map(),
    Object.fromEntries,
  );
  /** The ids of those that were kept, by session. */
  readonly #kept = new Stored<ReadonlyMap<string, readonly number[]>>(
    'session',
    'kept downloads',
    Kept,
    () => new Map(),
    Object.fromEntries,
  );
  /** Downloads that wait for the person. */
  readonly #held = new Map<number, Held>();
  /** When downloads of a session were first held, the newest last. */
  readonly #heldAt = new Map<SessionId, readonly number[]>();
  /** Tabs in which a call has begun one. */
  readonly #begunIn = new Set<number>();
  /** Sessions that are to be told that a file did not begin which a page has asked for. */
  readonly #missed = new Set<SessionId>();
  /** Downloads whose result the agent cannot be told yet. */
  readonly #open = new Set<Held>();
  readonly #notes = new Map<SessionId, Note[]>();
  /** Downloads that are held and that the companion was not told of yet. */
  readonly #untold = new Map<SessionId, HeldDownload[]>();
  readonly #wakers = new Set<() => void>();
  /** Tabs whose page has asked for files in the call that runs there, and how many; none where it may have asked for one. */
  readonly #expected = new Map<number, number>();

  constructor(parts: DownloadParts) {
    this.#owners = new DownloadOwners(parts.sessionTabs);
    this.#parts = parts;
    chrome.downloads.onDeterminingFilename.addListener((item, suggest) => {
      const filename = ownFiles.get(item.url);
      if (filename !== undefined) {
        suggest({ filename, conflictAction: 'uniquify' });
        return false;
      }
      void this.#decideFor(item, suggest);
      // Chrome waits for `suggest`.
      return true;
    });
    void dropLeftOvers();
  }

  /** A companion has come, or is back: nobody is asked for what waits but by it. */
  tellAgain(): void {
    const untold = new Set([...this.#untold.values()].flat());
    const told = [...this.#held.values()].filter(({ download }) => !untold.has(download));
    for (const [sessionId, held] of Map.groupBy(told, (one) => one.sessionId)) {
      const downloads = held.map(({ download }) => download);
      void this.#tell(sessionId, downloads);
    }
  }

  /** The companion reports the person's decision. */
  decide({
    downloadIds,
    isAllowed,
  }: LinkMethods['pilotfish/decide_downloads']['params']): LinkMethods['pilotfish/decide_downloads']['result'] {
    const taken = downloadIds.filter((downloadId) => this.#held.has(downloadId));
    for (const downloadId of taken) this.#held.get(downloadId)?.release(isAllowed);
    return { taken };
  }

  /** The downloads of a session: what the person allowed, and what still waits for them. Newest first. */
  async of(sessionId: SessionId): Promise<DownloadRow[]> {
    const ids = (await this.#kept.load()).get(sessionId) ?? [];
    const found = await Promise.all(ids.map((id) => chrome.downloads.search({ id })));
    const waiting = [...this.#held.values()].filter((held) => held.sessionId === sessionId).map(({ download }) => toWaitingRow(download));
    const crossed = await this.#crossed.load();
    return [
      ...waiting,
      ...found
        .flat()
        .map((item) => toCrossedRow(toRow(item), crossed.get(`${item.id}`)))
        .toReversed(),
    ];
  }

  /** Those that the person allowed and that lie on this machine's disk, the newest last. */
  async wholeOf(sessionId: SessionId): Promise<SavedFile[]> {
    const ids = (await this.#kept.load()).get(sessionId) ?? [];
    const found = await Promise.all(ids.map((id) => chrome.downloads.search({ id })));
    return found.flat().flatMap((item) => {
      const { path, name, origin } = toRow(item);
      const savedAt = Date.parse(item.endTime ?? '');
      return path === null || Number.isNaN(savedAt) ? [] : [{ path, name, origin, savedAt, sizeBytes: item.fileSize }];
    });
  }

  async forget(sessionId: SessionId): Promise<void> {
    this.#heldAt.delete(sessionId);
    this.#missed.delete(sessionId);
    await this.#kept.update((kept) => (kept.has(sessionId) ? new Map([...kept].filter(([id]) => id !== sessionId)) : kept));
  }

  /** The call in this tab has made its page ask for so many files: it ends when they were kept or dropped. */
  expect(tabId: number, count: number): void {
    this.#expected.set(tabId, count);
  }

  /** Whether a call has begun one in the tab. */
  hasBegunIn(tabId: number): boolean {
    return this.#begunIn.has(tabId);
  }

  /** The person has taken a tab back. */
  released(): Promise<void> {
    return this.#owners.released();
  }

  forgetTab(tabId: number): void {
    this.#begunIn.delete(tabId);
  }

  /** Follows one call: downloads that begin in this tab belong to its session, also when the tab is the person's. With `isKept` the next worker knows it, too. */
  during(sessionId: SessionId, tabId: number | null, isKept: boolean): CallDownloads {
    const stop = tabId === null ? (): void => {} : this.#owners.lend(tabId, sessionId, isKept);
    const startedAt = Date.now();
    const own = (): Held[] => [...this.#open].filter((held) => held.sessionId === sessionId && held.startedAt >= startedAt);
    const begun = (): number => (this.#heldAt.get(sessionId) ?? []).filter((at) => at >= startedAt).length;
    return {
      begins: async (signal) => {
        await orAborted(
          this.#next(() => begun() > 0, LATE_MS),
          signal,
        );
        return begun() > 0;
      },
      ended: async (signal) => {
        const expected = tabId === null ? undefined : this.#expected.get(tabId);
        if (tabId !== null && expected !== undefined) {
          this.#expected.delete(tabId);
          const haveBegun = (): boolean => begun() >= Math.max(1, expected);
          await orAborted(this.#next(haveBegun, expected > 0 ? EXPECTED_MS : LATE_MS), signal);
          if (expected > 0 && !haveBegun()) this.#missed.add(sessionId);
        }
        if (tabId !== null && begun() > 0) this.#begunIn.add(tabId);
        await orAborted(Promise.all(own().map((held) => held.ended)), signal);
      },
      drop: () => {
        for (const held of own()) held.release(false);
      },
      told: () => this.#take(sessionId),
      stop,
    };
  }

  /** What the person has allowed goes on when Chrome begins it again, as it does by itself after a fault. */
  async #decideFor(item: chrome.downloads.DownloadItem, suggestName: Suggest): Promise<void> {
    const name = nameIn(item.filename);
    const fitting = fitForDisk(name);
    const suggest = (): void => (fitting === name ? suggestName() : suggestName({ filename: fitting, conflictAction: 'uniquify' }));
    const sessionId = await this.#owners.sessionBehind(item);
    const isAllowed = sessionId !== null && (await this.#kept.load()).get(sessionId)?.includes(item.id) === true;
    if (sessionId === null || isAllowed) suggestName();
    else this.#hold(item, sessionId, suggest);
  }

  #hold(item: chrome.downloads.DownloadItem, sessionId: SessionId, suggest: () => void): void {
    const url = item.finalUrl === '' ? item.url : item.finalUrl;
    const origin = originOf(url) === 'null' ? originOf(item.referrer) : originOf(url);
    const name = fitForDisk(nameIn(item.filename));
    const download = { downloadId: item.id, name, sizeBytes: item.totalBytes || -1, mimeType: item.mime, url, origin };
    const ending = Promise.withResolvers<void>();
    const end = async (isAllowed: boolean | null): Promise<void> => {
      clearTimeout(timer);
      if (!this.#held.delete(item.id)) return;
      saveHeld([...this.#held.keys()]);
      if (isAllowed === true) await this.#keep(sessionId, item.id);
      this.#note(sessionId, await (isAllowed === true ? this.#finish(sessionId, download, suggest) : drop(download, isAllowed)));
      this.#open.delete(held);
      ending.resolve();
    };
    const timer = setTimeout(() => void end(null), HOLD_MS);
    const held: Held = {
      download,
      sessionId,
      startedAt: Date.now(),
      release: (isAllowed) => void end(isAllowed),
      ended: ending.promise,
    };
    this.#held.set(item.id, held);
    this.#heldAt.set(sessionId, [...(this.#heldAt.get(sessionId) ?? []), held.startedAt].slice(-MAX_KEPT));
    this.#open.add(held);
    saveHeld([...this.#held.keys()]);
    this.#gather(sessionId, download);
    for (const wake of this.#wakers) wake();
  }

  /** Lets Chrome finish it, and gives it to a companion on another machine; what takes longer is done after the receipt. */
  async #finish(sessionId: SessionId, download: HeldDownload, suggest: () => void): Promise<Note> {
    const { downloadId } = download;
    const crossed = this.#parts.crossing.isWanted ? this.#cross(sessionId, downloadId) : null;
    const note = await keep(download, suggest);
    if (crossed === null || !note.isKept) return note;
    const told = await Promise.race([crossed, new Promise<null>((resolve) => setTimeout(() => resolve(null), CROSS_MS))]);
    return toCrossedNote(note, told);
  }

  /** Waits until Chrome has the file; null when it was interrupted. */
  async #cross(sessionId: SessionId, downloadId: number): Promise<Crossed | null> {
    await untilEnded(downloadId, null);
    const [item] = await chrome.downloads.search({ id: downloadId });
    if (item?.state !== 'complete') return null;
    const crossed = await this.#offer(sessionId, item);
    await this.#crossed.update((all) => new Map([...all, [`${downloadId}`, crossed]]));
    return crossed;
  }

  async #offer(sessionId: SessionId, item: chrome.downloads.DownloadItem): Promise<Crossed> {
    try {
      const { ownTabs, handedTabs } = await this.#parts.sessionTabs.find(sessionId);
      const content = await contentOf(item, [...ownTabs, ...handedTabs]);
      return await this.#parts.crossing.offer(sessionId, nameIn(item.filename), content);
    } catch (error) {
      return { path: null, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  /** One after the other, for each writes the whole. */
  #keep(sessionId: SessionId, downloadId: number): Promise<void> {
    return this.#kept.update((kept) => new Map([...kept, [sessionId, [...(kept.get(sessionId) ?? []), downloadId].slice(-MAX_KEPT)]]));
  }

  #gather(sessionId: SessionId, download: HeldDownload): void {
    const untold = this.#untold.get(sessionId);
    if (untold !== undefined) return void untold.push(download);
    const downloads = [download];
    this.#untold.set(sessionId, downloads);
    setTimeout(() => {
      this.#untold.delete(sessionId);
      void this.#tell(sessionId, downloads);
    }, GATHER_MS);
  }

  /** What a card says of them stays in the history. */
  async #tell(sessionId: SessionId, downloads: readonly HeldDownload[]): Promise<void> {
    const { look, secrets, send } = this.#parts;
    await look(sessionId);
    const told = downloads.map((one) => ({ ...one, name: secrets.without(one.name), url: secrets.withoutInAddress(one.url) }));
    send({ type: 'downloads_held', sessionId, downloads: told });
  }

  /** Resolves when `isSo`, at the latest after `limitMs`. */
  #next(isSo: () => boolean, limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        if (isSo()) finish();
      };
      const finish = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(finish, limitMs);
      this.#wakers.add(wake);
      wake();
    });
  }

  #note(sessionId: SessionId, note: Note): void {
    this.#notes.set(sessionId, [...(this.#notes.get(sessionId) ?? []), note].slice(-MAX_NOTES));
  }

  /** How downloads of the session ended since it was last told, and which of them wait. */
  #take(sessionId: SessionId): ToldDownloads | null {
    const waiting = [...this.#held.values()]
      .filter((held) => held.sessionId === sessionId)
      .map(({ download }) => ({ isKept: false, words: WAITS, download, path: null }));
    const notes = [...(this.#notes.get(sessionId) ?? []), ...waiting];
    this.#notes.delete(sessionId);
    const missed = this.#missed.delete(sessionId) ? [NOT_BEGUN] : [];
    const told = [...notes.map(toText), ...missed];
    if (told.length === 0) return null;
    return {
      isKept: notes.some(({ isKept }) => isKept),
      isWhole: missed.length === 0 && notes.every(({ isKept }) => isKept),
      text: told.join('\n'),
    };
  }
}

/** How downloads have ended. */
interface ToldDownloads {
  readonly isKept: boolean;
  /** Every one of them was kept. */
  readonly isWhole: boolean;
  readonly text: string;
}

/** The downloads of one call. */
export interface CallDownloads {
  /** Whether one has begun, as soon as that is known. */
  begins(signal: AbortSignal): Promise<boolean>;
  /** Resolves when those that have begun are kept or dropped. */
  ended(signal: AbortSignal): Promise<void>;
  /** The call was stopped, so nobody wants what it began. */
  drop(): void;
  /** What the agent was not told yet. */
  told(): ToldDownloads | null;
  stop(): void;
}

const toWaitingRow = ({ name, sizeBytes, url, origin }: HeldDownload): DownloadRow => ({
  name,
  url,
  origin,
  path: null,
  state: 'waits for the user',
  sizeBytes: sizeBytes < 0 ? null : sizeBytes,
});

const toRow = ({
  filename,
  finalUrl,
  url,
  referrer,
  state,
  error,
  danger,
  fileSize,
  bytesReceived,
  exists,
}: chrome.downloads.DownloadItem): DownloadRow => {
  const address = finalUrl === '' ? url : finalUrl;
  const isWhole = state === 'complete';
  return {
    name: nameIn(filename),
    url: address,
    origin: originOf(address) === 'null' ? originOf(referrer) : originOf(address),
    path: isWhole && exists ? filename : null,
    state: isWhole
      ? exists
        ? 'downloaded'
        : 'deleted since'
      : state === 'interrupted'
        ? `failed: ${error ?? 'no reason known'}`
        : isHeldBack(danger)
          ? HELD_BACK
          : 'under way',
    sizeBytes: isWhole ? fileSize : bytesReceived,
  };
};

/** The path is that of the agent's machine, where it is there. */
const toCrossedRow = (row: DownloadRow, crossed: Crossed | undefined): DownloadRow => {
  if (crossed === undefined) return row;
  if (crossed.path !== null) return { ...row, path: crossed.path };
  return { ...row, state: `${row.state}, on the machine of the browser alone: ${crossed.problem ?? ''}` };
};

const toCrossedNote = (note: Note, crossed: Crossed | null): Note => {
  if (crossed === null)
    return {
      ...note,
      words: 'Downloaded to the machine of the browser; it is on its way to this one: `browser_downloads` tells its path.',
      path: null,
    };
  if (crossed.path !== null)
    return { ...note, words: 'Downloaded, and brought to this machine; its SHA-256 is the same.', path: crossed.path };
  return { ...note, words: `Downloaded to the machine of the browser, and not to this one. ${crossed.problem ?? ''}`.trim() };
};

type Suggest = (suggestion?: chrome.downloads.FilenameSuggestion) => void;

const nameIn = (path: string): string => path.split(/[/\\]/).at(-1) ?? '';

/** It never ends by itself then. */
const HELD_BACK = "held back by the browser as dangerous, until the user keeps it in the browser's own list of downloads";

/** What the browser says of a file that it asks the person about. https://developer.chrome.com/docs/extensions/reference/api/downloads#type-DangerType */
const isHeldBack = (danger: string | undefined): boolean =>
  /^(?:file|url|content|uncommon|host|unwanted|accountCompromise|sensitiveContentWarning|promptForScanning|promptForLocalPasswordScanning)$/.test(
    danger ?? '',
  );

const WAITS = 'A download waits for the user to allow it.';

/** https://source.chromium.org/chromium/chromium/src/+/main:chrome/browser/download/download_request_limiter.h */
const NOT_BEGUN =
  'The page has asked for a file that has not begun. Its server is slow, or the browser asks the user first, as it does when a page begins several: show the tab with browser_tabs select and let them allow it there with browser_ask_human.';

const keep = async (download: HeldDownload, suggest: () => void): Promise<Note> => {
  const { downloadId } = download;
  const finished = untilEnded(downloadId, FINISH_MS);
  suggest();
  await finished;
  const [item] = await chrome.downloads.search({ id: downloadId });
  const sized = { ...download, sizeBytes: item?.fileSize ?? download.sizeBytes };
  if (item?.state === 'complete') return { isKept: true, words: 'Downloaded.', download: sized, path: item.filename };
  if (item?.state === 'interrupted') return { isKept: false, words: `The download failed: ${item.error}.`, download: sized, path: null };
  if (isHeldBack(item?.danger))
    return { isKept: false, words: `The user allowed a download, but it is ${HELD_BACK}.`, download: sized, path: null };
  const soFar = { ...download, sizeBytes: item?.bytesReceived ?? download.sizeBytes };
  const words = 'The user allowed a download, which is still under way: browser_downloads tells when it is whole.';
  return { isKept: true, words, download: soFar, path: item?.filename ?? null };
};

const drop = async (download: HeldDownload, isAllowed: false | null): Promise<Note> => {
  await chrome.downloads.cancel(download.downloadId).catch(() => null);
  const words =
    isAllowed === null
      ? 'A download was dropped: the user has not answered yet, and the browser waits no longer. Begin it again when they have allowed it.'
      : 'A download was refused; nothing was kept.';
  return { isKept: false, words, download, path: null };
};

/** Resolves when Chrome has finished it or has given it up, at the latest after `limitMs`; with one also when Chrome holds it back. */
const untilEnded = (downloadId: number, limitMs: number | null): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(limit);
      chrome.downloads.onChanged.removeListener(onChanged);
      resolve();
    };
    const onChanged = ({ id, state, danger }: chrome.downloads.DownloadDelta): void => {
      const hasEnded = state?.current !== undefined && state.current !== 'in_progress';
      if (id === downloadId && (hasEnded || (limitMs !== null && isHeldBack(danger?.current)))) finish();
    };
    const limit = limitMs === null ? undefined : setTimeout(finish, limitMs);
    chrome.downloads.onChanged.addListener(onChanged);
  });

const toText = ({ words, download: { name, sizeBytes, url, origin }, path }: Note): string => {
  const size = sizeBytes < 0 ? 'size unknown' : `${sizeBytes} bytes`;
  const said = [`file: ${name}, ${size}`, ...(path === null ? [] : [`path: ${path}`]), `address: ${cutAddress(url, MAX_ADDRESS)}`];
  return `${words}\n${envelope(origin, said.map(inOneLine).join('\n'))}`;
};

/** One that holds the file itself says nothing by its length. */
const MAX_ADDRESS = 300;

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const saveHeld = (ids: readonly number[]): void => void chrome.storage.session.set({ [HELD_KEY]: ids });

/** Downloads that a killed worker held: nobody can release them any more, and Chrome would finish them. */
const dropLeftOvers = async (): Promise<void> => {
  const ids: unknown = (await chrome.storage.session.get(HELD_KEY))[HELD_KEY];
  if (!Array.isArray(ids)) return;
  for (const id of ids.filter((candidate) => typeof candidate === 'number')) {
    await chrome.downloads.cancel(id).catch(() => null);
    await chrome.downloads.removeFile(id).catch(() => null);
  }
};
