/** A file with several sessions, a line for each, as `pilotfish export --all --json` writes it. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CompanionError } from '#protocol/errors.ts';

const LINE_END = 10;

/** Each line as a file for this user alone, which is there until the next is asked for; another file is given as it is. None is ever in memory whole. */
export async function* eachSession(file: string): AsyncGenerator<string> {
  if (!file.endsWith('.jsonl')) {
    yield file;
    return;
  }
  const source = await openFile(file);
  const folder = await mkdtemp(path.join(tmpdir(), 'pilotfish-lines-'));
  const line = path.join(folder, 'session.json');
  let draft: FileHandle | null = null;
  try {
    const pieces: AsyncIterable<Buffer> = source.createReadStream({ autoClose: false });
    for await (const piece of pieces) {
      for (let begin = 0, end = 0; end !== -1; begin = end + 1) {
        end = piece.indexOf(LINE_END, begin);
        const part = piece.subarray(begin, end === -1 ? piece.length : end);
        if (part.length > 0) await (draft ??= await open(line, 'w', 0o600)).writeFile(part);
        if (end === -1 || draft === null) continue;
        await draft.close();
        draft = null;
        yield line;
      }
    }
    if (draft === null) return;
    await draft.close();
    draft = null;
    yield line;
  } finally {
    await draft?.close();
    await source.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const openFile = async (file: string): Promise<FileHandle> => {
  try {
    return await open(file);
  } catch (cause) {
    throw new CompanionError('INPUT_INVALID', `${file} cannot be read.`, {
      cause,
      remedy: 'Name a file that is there and that you may read.',
    });
  }
};
