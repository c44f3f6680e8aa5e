import { changedFileLine, worktreeWords } from '#display/work-words.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { ChangedFile, Changes } from '#protocol/work.ts';
import { findSession } from './find-session.ts';
import type { Io } from './io.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish diff` */
export const diff: Subcommand = {
  name: 'diff',
  summary: 'the whole change of a session, from where it began, in a git repository',
  usage: [
    'SESSION [FILE …] [--stat | --stage | --unstage | --revert] [--json]',
    'SESSION    its id, the beginning of it, or its name',
    'FILE       as the list has it; without one all files',
    '--stat     the list of files with their counts, without the patches',
    "--stage    put the files into git's index; --unstage takes them out again",
    '--revert   bring the files that are named back to what they were; this can be undone, see `pilotfish checkpoints`',
    '--json     the list as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(
      args,
      {
        stat: { type: 'boolean' },
        stage: { type: 'boolean' },
        unstage: { type: 'boolean' },
        revert: { type: 'boolean' },
        json: { type: 'boolean' },
      },
      { needs: 'SESSION', most: Infinity },
    );
    const [wanted = '', ...names] = positionals;
    if ([values.stat, values.stage, values.unstage, values.revert].filter(Boolean).length > 1)
      throw new CompanionError('CLI_USAGE', 'Only one of --stat, --stage, --unstage and --revert can be given.');
    if (values.revert === true && names.length === 0) throw new CompanionError('CLI_USAGE', '--revert needs the names of files.');
    await io.client.connect({ start: true, signal: io.signal });
    const { id } = findSession(await io.client.sessions.list(), wanted);
    const changes = await io.client.work.changes(id);
    const files = chosen(changes, names);
    const paths = files.flatMap(({ path, oldPath = path }) => [...new Set([path, oldPath])]);
    if (values.revert === true) {
      const { undo, skipped } = await io.client.work.revert(id, paths);
      for (const path of skipped) io.note(`Left as it is: ${path}`);
      io.print(`Reverted. To undo it: pilotfish checkpoints ${id} restore ${undo}`);
    } else if (values.stage === true || values.unstage === true) {
      if (paths.length > 0) await io.client.work.stage(id, paths, values.stage === true);
      io.print(values.stage === true ? 'Staged.' : 'Taken out of the index.');
    } else if (values.json === true) io.json({ ...changes, files });
    else await show(io, id, { ...changes, files }, values.stat === true);
    return 0;
  },
};

const chosen = ({ files }: Changes, names: readonly string[]): ChangedFile[] => {
  const unknown = names.find((name) => !files.some(({ path }) => path === name));
  if (unknown !== undefined) throw new CompanionError('FILE_NOT_FOUND', `${unknown} has not changed.`);
  return names.length === 0 ? files : files.filter(({ path }) => names.includes(path));
};

const show = async (io: Io, sessionId: SessionId, { files, now, worktree, since }: Changes, isShort: boolean): Promise<void> => {
  if (worktree !== null) io.note(worktreeWords(worktree, 'en'));
  if (since === 'commit') io.note('Since the last commit: where the session began was not kept.');
  if (files.length === 0) io.note('Nothing has changed.');
  for (const file of files) {
    if (isShort || file.isHuge === true || file.isBinary) {
      io.line(changedFileLine(file, 'en'));
      continue;
    }
    for (let offset: number | null = 0; offset !== null;) {
      const page = await io.client.work.patch(sessionId, file, { now, offset });
      io.write(page.patch);
      offset = page.nextOffset;
    }
  }
};
