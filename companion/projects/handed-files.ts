/**
 * Files that a call hands to a page: those of the session's project, what the person attached to its prompts, and what the session has saved
 * in the browser. Each is read whole before anybody is asked, so that what is sent is what was agreed to.
 */
import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import type { HandedFile } from '#protocol/browser.ts';
import type { SavedFile } from '#protocol/link.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionView } from '#protocol/view.ts';
import type { SessionId } from '#protocol/ids.ts';
import { explain } from '#protocol/faults.ts';
import type { Paths } from '#companion/lib/paths.ts';
import type { Store } from '#companion/store/store.ts';
import { typeOf } from '#companion/lib/media-types.ts';
import { isInside } from '#companion/lib/inside.ts';
import { openInside, told } from './inside-folder.ts';
import { extraRoots } from './projects.ts';
import { mayHoldKeys } from './key-files.ts';
import { readdir, realpath } from 'node:fs/promises';
import { folderOfSession } from './session-folder.ts';
import { checkWorkspace } from './workspace.ts';

/** Of one call, all together: as text it is a third longer, and one message on the link holds it. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_FILES = 20;

/** Some disks round the time of a change up to this. */
const CLOCK_MS = 2_000;

/** A file that was read, with what the person should know of it. */
export interface OpenedFile {
  readonly file: HandedFile;
  /** Where it really lies. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Its name says that it may hold passwords or keys. */
  readonly mayHoldKeys: boolean;
  /** The site of which the session has saved it, empty where that is not known; absent for any other file. */
  readonly savedFrom?: string;
}

interface Asked {
  readonly view: Pick<SessionView, 'sessionId' | 'kind' | 'projectId' | 'worktree' | 'turns'>;
  /** Where the program from outside works, if that is known. */
  readonly folder: string | null;
  /** As the agent writes them; relative ones are meant in the project. */
  readonly given: readonly string[];
  /** What the session has saved on this machine, the newest last. */
  readonly saved: () => Promise<readonly SavedFile[]>;
}

/** What came from a browser on another machine was written here by Pilotfish itself: its place alone says what it is. */
type Saved = Pick<SavedFile, 'path' | 'name' | 'origin'> & Partial<SavedFile>;

/** Where a file is, and what it must be inside of. */
interface Place {
  readonly wanted: string;
  readonly real: string;
  readonly root: string;
  readonly saved?: Saved;
}

export class HandedFiles {
  readonly #store: Store;
  readonly #paths: Paths;

  constructor(options: { readonly store: Store; readonly paths: Paths }) {
    this.#store = options.store;
    this.#paths = options.paths;
  }

  /** Throws when one is missing, no plain file, outside, or when they are too many or too large. */
  async read({ view, folder, given, saved }: Asked): Promise<OpenedFile[]> {
    if (given.length > MAX_FILES) throw new CompanionError('INPUT_TOO_LARGE', `${given.length} files; a call takes ${MAX_FILES}.`);
    const folders = await this.#foldersOf(view, folder);
    const attachments = view.turns.flatMap(({ prompt }) => prompt.attachments).map((ref) => this.#store.attachments.pathOf(ref));
    const opened: OpenedFile[] = [];
    let left = MAX_BYTES;
    for (const name of given) {
      const own = (): Promise<Saved[]> => this.#savedBy(view.sessionId, saved);
      const place = await placeOf(name, folders, attachments).catch((error: unknown) => placeOfSaved(name, own, error));
      const file = await open(place, left);
      left -= file.sizeBytes;
      opened.push(file);
    }
    return opened;
  }

  async #savedBy(sessionId: SessionId, saved: Asked['saved']): Promise<Saved[]> {
    const folder = path.join(this.#paths.downloadsDir, sessionId);
    const names = await readdir(folder).catch(() => []);
    return [...names.map((name) => ({ path: path.join(folder, name), name, origin: '' })), ...(await saved())];
  }

  /** The real folders whose files may be handed over. */
  async #foldersOf(view: Asked['view'], folder: string | null): Promise<string[]> {
    const options = { allowedRoots: extraRoots(this.#store, this.#paths), allowCreate: false };
    if (view.kind === 'client') {
      const wanted = [...(folder === null ? [] : [folder]), ...this.#store.settings.current().allowedRoots];
      const checked = await Promise.all(wanted.map((one) => checkWorkspace(one, options).catch(() => null)));
      return checked.filter((one) => one !== null);
    }
    return [(await folderOfSession({ store: this.#store, paths: this.#paths }, view)).folder];
  }
}

/** Throws where it is none of the project, and none that the person attached. */
const placeOf = async (given: string, folders: readonly string[], attachments: readonly string[]): Promise<Place> => {
  if (given.includes('\0')) throw new CompanionError('INPUT_INVALID', explain('nul_in_path'));
  // Without a folder there is nothing that a relative path could be meant in.
  if (folders.length === 0 && !path.isAbsolute(given)) throw outside(given, folders);
  const wanted = path.resolve(folders[0] ?? '/', given);
  const real = await told(wanted, realpath(wanted));
  const root = attachments.includes(real) ? real : folders.find((folder) => isInside(folder, real));
  if (root === undefined) throw outside(real, folders);
  return { wanted, real, root };
};

/** Throws what was wrong before where the session has saved nothing there. */
const placeOfSaved = async (given: string, savedBy: () => Promise<Saved[]>, before: unknown): Promise<Place> => {
  const isElsewhere = before instanceof CompanionError && (before.code === 'FILE_OUTSIDE_PROJECT' || before.code === 'FILE_NOT_FOUND');
  const saved = isElsewhere ? (await savedBy()).findLast((one) => isMeant(given, one)) : undefined;
  if (saved === undefined) throw before;
  const wanted = saved.path;
  // Their folder may be a link of the person's; a link in the place of the file itself is not opened.
  const real = path.join(await told(wanted, realpath(path.dirname(wanted))), path.basename(wanted));
  return { wanted, real, root: real, saved };
};

/** By its whole path, or by its name alone, as it was wanted or is. */
const isMeant = (given: string, { path: place, name }: Saved): boolean =>
  path.isAbsolute(given)
    ? path.normalize(given) === path.normalize(place)
    : [name, path.parse(name).name, path.basename(place)].includes(given);

const open = async ({ wanted, real, root, saved }: Place, maxBytes: number): Promise<OpenedFile> => {
  const handle = await openInside(root, wanted, real, constants.O_RDONLY);
  try {
    const { size, mtimeMs } = await handle.stat();
    if (size > maxBytes) throw new CompanionError('INPUT_TOO_LARGE', `${wanted} has ${size} bytes; a call hands over ${MAX_BYTES} in all.`);
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await handle.read(bytes, 0, size, 0);
    const name = path.basename(real);
    const content = bytes.subarray(0, bytesRead);
    const sha256 = hash('sha256', content);
    if (saved !== undefined && !isAsSaved(saved, { size: bytesRead, mtimeMs, sha256 }))
      throw new CompanionError('INPUT_INVALID', explain('changed_since_saved', { file: wanted }));
    const file = { name, type: typeOf(name), modifiedAt: Math.round(mtimeMs), dataBase64: content.toString('base64'), sha256 };
    const from = saved === undefined ? {} : { savedFrom: saved.origin };
    return { file, path: real, sizeBytes: bytesRead, mayHoldKeys: mayHoldKeys(real), ...from };
  } finally {
    await handle.close();
  }
};

/** The browser knows the content of what its extension has made; of a download it knows when it was whole. */
const isAsSaved = (
  { sizeBytes, savedAt, sha256 }: Saved,
  found: { readonly size: number; readonly mtimeMs: number; readonly sha256: string },
): boolean => {
  if (sizeBytes !== undefined && sizeBytes !== found.size) return false;
  return sha256 === undefined ? savedAt === undefined || found.mtimeMs <= savedAt + CLOCK_MS : sha256 === found.sha256;
};

const outside = (file: string, folders: readonly string[]): CompanionError =>
  new CompanionError('FILE_OUTSIDE_PROJECT', file, {
    remedy:
      folders.length === 0
        ? explain('ask_to_allow_folder', { command: 'pilotfish roots add FOLDER' })
        : explain('name_inside_or_attach', { folders: folders.join(' or ') }),
  });
