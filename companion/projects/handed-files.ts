/**
 * Files that a call hands to a page: those of the session's project, and what the person attached to its prompts. Each is read whole
 * before anybody is asked, so that what is sent is what was agreed to.
 */
import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import type { HandedFile } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionView } from '#protocol/view.ts';
import { explain } from '#protocol/faults.ts';
import type { Paths } from '#companion/lib/paths.ts';
import type { Store } from '#companion/store/store.ts';
import { typeOf } from '#companion/lib/media-types.ts';
import { isInside } from '#companion/lib/inside.ts';
import { openInside, told } from './inside-folder.ts';
import { extraRoots } from './projects.ts';
import { mayHoldKeys } from './key-files.ts';
import { realpath } from 'node:fs/promises';
import { folderOfSession } from './session-folder.ts';
import { checkWorkspace } from './workspace.ts';

/** Of one call, all together: as text it is a third longer, and one message on the link holds it. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_FILES = 20;

/** A file that was read, with what the person should know of it. */
export interface OpenedFile {
  readonly file: HandedFile;
  /** Where it really lies. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Its name says that it may hold passwords or keys. */
  readonly mayHoldKeys: boolean;
}

interface Asked {
  readonly view: Pick<SessionView, 'kind' | 'projectId' | 'worktree' | 'turns'>;
  /** Where the program from outside works, if that is known. */
  readonly folder: string | null;
  /** As the agent writes them; relative ones are meant in the project. */
  readonly given: readonly string[];
}

export class HandedFiles {
  readonly #store: Store;
  readonly #paths: Paths;

  constructor(options: { readonly store: Store; readonly paths: Paths }) {
    this.#store = options.store;
    this.#paths = options.paths;
  }

  /** Throws when one is missing, no plain file, outside, or when they are too many or too large. */
  async read({ view, folder, given }: Asked): Promise<OpenedFile[]> {
    if (given.length > MAX_FILES) throw new CompanionError('INPUT_TOO_LARGE', `${given.length} files; a call takes ${MAX_FILES}.`);
    const folders = await this.#foldersOf(view, folder);
    const attachments = view.turns.flatMap(({ prompt }) => prompt.attachments).map((ref) => this.#store.attachments.pathOf(ref));
    const opened: OpenedFile[] = [];
    let left = MAX_BYTES;
    for (const name of given) {
      const file = await this.#open(name, folders, attachments, left);
      left -= file.sizeBytes;
      opened.push(file);
    }
    return opened;
  }

  async #open(given: string, folders: readonly string[], attachments: readonly string[], maxBytes: number): Promise<OpenedFile> {
    if (given.includes('\0')) throw new CompanionError('INPUT_INVALID', explain('nul_in_path'));
    // Without a folder there is nothing that a relative path could be meant in.
    if (folders.length === 0 && !path.isAbsolute(given)) throw outside(given, folders);
    const wanted = path.resolve(folders[0] ?? '/', given);
    const real = await told(wanted, realpath(wanted));
    const root = attachments.includes(real) ? real : folders.find((folder) => isInside(folder, real));
    if (root === undefined) throw outside(real, folders);
    const handle = await openInside(root, wanted, real, constants.O_RDONLY);
    try {
      const { size, mtimeMs } = await handle.stat();
      if (size > maxBytes)
        throw new CompanionError('INPUT_TOO_LARGE', `${wanted} has ${size} bytes; a call hands over ${MAX_BYTES} in all.`);
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await handle.read(bytes, 0, size, 0);
      const name = path.basename(real);
      const content = bytes.subarray(0, bytesRead);
      const file = {
        name,
        type: typeOf(name),
        modifiedAt: Math.round(mtimeMs),
        dataBase64: content.toString('base64'),
        sha256: hash('sha256', content),
      };
      return { file, path: real, sizeBytes: bytesRead, mayHoldKeys: mayHoldKeys(real) };
    } finally {
      await handle.close();
    }
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

const outside = (file: string, folders: readonly string[]): CompanionError =>
  new CompanionError('FILE_OUTSIDE_PROJECT', file, {
    remedy:
      folders.length === 0
        ? explain('ask_to_allow_folder', { command: 'pilotfish roots add FOLDER' })
        : explain('name_inside_or_attach', { folders: folders.join(' or ') }),
  });
