/**
 * Puts a new executable in the place of this one, and the old one back. The data of before are kept beside the others, because a new
 * version may change them so that the old one can no longer read them. The executable is there, whole, at every moment.
 */
import { accessSync, constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeDir } from '#companion/lib/make-dir.ts';
import { oldProgram, type UpdateTrial } from '#companion/lib/update-trial.ts';
import { CompanionError } from '#protocol/errors.ts';
import { lookAt, removeFile, writeWhole } from '../files.ts';
import type { InstallContext } from '../install.ts';
import { finish } from '../steps.ts';
import { askVersion } from './ask-version.ts';
import { executableIn } from './unpack.ts';
import type { Release } from './release.ts';

/** The history and the settings, with what SQLite keeps beside a database. */
const DATA = ['pilotfish.db', 'pilotfish.db-wal', 'pilotfish.db-shm', 'settings.json'];

type Context = Pick<InstallContext, 'executable' | 'env' | 'paths' | 'platform'>;

/** A new executable that lies beside the one in use. */
export class Exchange {
  readonly #context: Context;
  readonly #draft: string;
  /** The executable of before. */
  readonly old: string;
  /** The folder with the data of before. */
  readonly backup: string;

  constructor(context: Context) {
    this.#context = context;
    this.#draft = `${context.executable}.next`;
    this.old = oldProgram(context.executable);
    this.backup = path.join(context.paths.root, 'before-update');
  }

  /** Unpacks the release beside the executable and asks it for its version; null when it is the executable in use, byte for byte. */
  async prepare(release: Release, signal: AbortSignal): Promise<string | null> {
    const { executable, env } = this.#context;
    const content = executableIn(release);
    if (lookAt(executable, 'follow')?.isFile() === true && readFileSync(executable).equals(content)) return null;
    this.#assertWritable();
    finish(writeWhole(this.#draft, content, 0o755));
    return askVersion(this.#draft, { env, signal });
  }

  /** Keeps the executable of before, and puts the new one, of this version, in its place. Until `settle` the way back is noted. */
  putIn(version: string): void {
    const { executable, platform, paths } = this.#context;
    rmSync(this.old, { force: true });
    const trial: UpdateTrial = { version, executable, pid: process.pid };
    finish(writeWhole(paths.updateTrialFile, `${JSON.stringify(trial)}\n`, 0o600));
    // A program that runs can be renamed on Windows, but not replaced.
    if (platform === 'win32') renameSync(executable, this.old);
    else keepFile(executable, this.old);
    renameSync(this.#draft, executable);
  }

  /** Whether the executable of before is beside its place and another one in it, also where `putIn` or `putBack` was cut off. */
  isIn(): boolean {
    const isAtRest = lookAt(this.#draft) !== undefined && lookAt(this.#context.executable) !== undefined;
    return lookAt(this.old) !== undefined && !isAtRest;
  }

  /** The executable of before has its place again. */
  putBack(): void {
    const { executable, platform } = this.#context;
    if (platform === 'win32' && lookAt(executable) !== undefined) renameSync(executable, this.#draft);
    renameSync(this.old, executable);
    this.drop();
  }

  /** What has the place now keeps it. */
  settle(): void {
    rmSync(this.#context.paths.updateTrialFile, { force: true });
  }

  /** Keeps the data as they are. They are whole when no daemon has run meanwhile. Those kept earlier stay until these are whole. */
  keepData(): void {
    const { root } = this.#context.paths;
    const draft = `${this.backup}.new`;
    rmSync(draft, { recursive: true, force: true });
    makeDir(draft);
    for (const name of DATA) {
      const file = path.join(root, name);
      if (lookAt(file) !== undefined) copyFileSync(file, path.join(draft, name), constants.COPYFILE_FICLONE);
    }
    rmSync(this.backup, { recursive: true, force: true });
    renameSync(draft, this.backup);
  }

  /** Brings the data back as they were kept. Each file is whole at every moment, also where this is killed. */
  restoreData(): void {
    const { root } = this.#context.paths;
    if (lookAt(this.backup) === undefined) return;
    // What SQLite keeps beside a database of the new version must never meet the one of before.
    for (const name of DATA) {
      const isBeside = name.includes('.db-');
      if (isBeside || lookAt(path.join(this.backup, name)) === undefined) rmSync(path.join(root, name), { force: true });
    }
    for (const name of DATA) {
      const kept = path.join(this.backup, name);
      if (lookAt(kept) === undefined) continue;
      const draft = path.join(root, `${name}.new`);
      copyFileSync(kept, draft, constants.COPYFILE_FICLONE);
      renameSync(draft, path.join(root, name));
    }
    // The index for search belongs to the history of the new version; it is made again.
    for (const suffix of ['', '-wal', '-shm']) rmSync(path.join(root, `search.db${suffix}`), { force: true });
  }

  /** Removes what was unpacked and not put in place, and what was noted. */
  drop(): void {
    this.settle();
    try {
      removeFile(this.#draft);
    } catch {
      // On Windows it may still run; the next update replaces it.
    }
  }

  #assertWritable(): void {
    const { executable } = this.#context;
    try {
      accessSync(path.dirname(executable), constants.W_OK);
    } catch (cause) {
      throw new CompanionError('UPDATE_REFUSED', `${executable} is not yours to change.`, {
        remedy: 'Install the new package the way this one was installed, for instance: sudo apt install ./PACKAGE.deb',
        cause,
      });
    }
  }
}

const keepFile = (file: string, kept: string): void => {
  try {
    linkSync(file, kept);
  } catch {
    // Not every file system has hard links.
    copyFileSync(file, kept, constants.COPYFILE_FICLONE);
  }
};
