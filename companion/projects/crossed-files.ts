/**
 * What calls have downloaded or saved in a browser on another machine: brought here, where the agents are. Each session has a folder of its
 * own, which only the user can read, and a file appears in it whole and as the browser has it, or not at all.
 */
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { crossingLimits, type OfferedFile } from '#protocol/crossing.ts';
import { CompanionError } from '#protocol/errors.ts';
import { isChosenId, isSessionId, type SessionId } from '#protocol/ids.ts';
import { explain } from '#protocol/faults.ts';
import type { Log } from '#companion/lib/log.ts';
import { makeDir } from '#companion/lib/make-dir.ts';
import { randomId } from '#companion/lib/random-id.ts';

/** How long a browser may take for one part. */
const PART_MS = 60_000;
const MAX_NAME_BYTES = 180;
/** What has not arrived whole yet. */
const DRAFT_END = '.part';

/** A file in a browser, with the way to read it. */
export interface CrossingFile extends OfferedFile {
  /** Whose browser it is. */
  readonly from: string;
  /** The part that begins at `offset`. */
  read(offset: number, signal: AbortSignal): Promise<Buffer>;
  /** The browser is told where it is now, or why it is not. */
  tell(outcome: { path: string | null; problem: string | null }): Promise<void>;
}

export interface CrossedFilesOptions {
  readonly directory: string;
  readonly hasSession: (sessionId: SessionId) => boolean;
  /** Told of each that has arrived. */
  readonly onArrived: (file: OfferedFile & { readonly from: string; readonly path: string }) => void;
  readonly log: Log;
}

export class CrossedFiles {
  readonly #options: CrossedFilesOptions;
  /** One after the other, so that what a session may have is counted once. */
  #last: Promise<void> = Promise.resolve();

  /** Removes what belongs to no session any more, and what an earlier daemon had not brought to its end. */
  constructor(options: CrossedFilesOptions) {
    this.#options = options;
    const { directory, hasSession } = options;
    for (const { folder, sessionId } of foldersIn(directory)) {
      if (!hasSession(sessionId)) rmSync(folder, { recursive: true, force: true });
      else for (const name of readdirSync(folder)) if (name.endsWith(DRAFT_END)) rmSync(path.join(folder, name), { force: true });
    }
  }

  /** Resolves when the browser was told; never rejects. */
  take(file: CrossingFile): Promise<void> {
    this.#last = this.#last.then(() => this.#take(file));
    return this.#last;
  }

  async #take(file: CrossingFile): Promise<void> {
    const { log, onArrived } = this.#options;
    const { sessionId, sizeBytes, from } = file;
    try {
      const place = await this.#bring(file);
      onArrived({ ...file, path: place });
      await file.tell({ path: place, problem: null });
    } catch (error) {
      log.warn('crossing.failed', { sessionId, sizeBytes, from, error: String(error) });
      // The browser may have gone, and has nobody to tell then.
      await file.tell({ path: null, problem: error instanceof Error ? error.message : String(error) }).catch(() => null);
    }
  }

  async #bring(file: CrossingFile): Promise<string> {
    const { directory, hasSession } = this.#options;
    const { sessionId, sizeBytes, sha256, name } = file;
    if (!isChosenId(sessionId) || !hasSession(sessionId)) throw new CompanionError('SESSION_NOT_FOUND', sessionId);
    const folder = path.join(directory, sessionId);
    makeDir(folder);
    if (sizeOf(folder) + sizeBytes > crossingLimits.sessionBytes)
      throw new CompanionError('INPUT_TOO_LARGE', explain('downloads_full', { path: folder }));
    const draft = path.join(folder, `${randomId('file')}${DRAFT_END}`);
    try {
      if ((await write(draft, file)) !== sha256) throw new CompanionError('TOOL_FAILED', explain('checksum_differs'));
      return await giveName(draft, folder, name);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** Writes all parts; returns the checksum of what is on the disk. */
const write = async (draft: string, { sizeBytes, read }: CrossingFile): Promise<string> => {
  const handle = await open(draft, 'wx', 0o600);
  try {
    const hash: Hash = createHash('sha256');
    for (let offset = 0; offset < sizeBytes;) {
      const part = await read(offset, AbortSignal.timeout(PART_MS));
      if (part.length === 0 || part.length > crossingLimits.partBytes || offset + part.length > sizeBytes)
        throw new CompanionError('TOOL_FAILED', explain('bytes_sent', { count: part.length, offset, size: sizeBytes }));
      hash.update(part);
      await handle.writeFile(part);
      offset += part.length;
    }
    await handle.sync();
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
};

/** A link fails where there is such a file, so none is ever replaced. */
const giveName = async (draft: string, folder: string, given: string): Promise<string> => {
  const name = toSafeName(given);
  const { name: stem, ext } = path.parse(name);
  for (let count = 0; ; count += 1) {
    const place = path.join(folder, count === 0 ? name : `${stem} (${count})${ext}`);
    if (existsSync(place)) continue;
    try {
      await link(draft, place);
      return place;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
};

/** A page chooses the name: what leads out of the folder, hides the file, or cannot be seen is left out of it. */
export const toSafeName = (given: string): string => {
  const last = given.split(/[/\\]/u).at(-1) ?? '';
  const plain = last
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}<>:"|?*]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .replace(/^[. -]+|[. ]+$/gu, '');
  const { name, ext } = path.parse(plain.endsWith(DRAFT_END) ? `${plain}_` : plain);
  const kept = ext.length > 20 ? '' : ext;
  let stem = name;
  while (Buffer.byteLength(stem) + Buffer.byteLength(kept) > MAX_NAME_BYTES) stem = stem.replace(/.$/su, '');
  return stem === '' ? `download${kept}` : `${stem}${kept}`;
};

const sizeOf = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + (statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);

const foldersIn = (directory: string): { folder: string; sessionId: SessionId }[] => {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && isSessionId(entry.name) ? [{ folder: path.join(directory, entry.name), sessionId: entry.name }] : [],
  );
};
