/** The folder in which a run was started: its project may move away, or be put there anew, under a process that lives on. */
import { stat } from 'node:fs/promises';

export class RunFolder {
  /** A real path. */
  readonly path: string;
  readonly #file: string;
  readonly #find: () => Promise<string>;

  /** `find` says where the session works now. */
  static async of(folder: string, find: () => Promise<string>): Promise<RunFolder> {
    return new RunFolder(folder, await fileAt(folder), find);
  }

  private constructor(folder: string, file: string, find: () => Promise<string>) {
    this.path = folder;
    this.#file = file;
    this.#find = find;
  }

  /** Whether the session still works there; rejects when it has no folder any more. */
  async isHeld(): Promise<boolean> {
    return (await this.#find()) === this.path && (await fileAt(this.path)) === this.#file;
  }
}

/** Another one of the same path is told apart. */
const fileAt = async (folder: string): Promise<string> => {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev} ${ino}`;
};
