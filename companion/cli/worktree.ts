import { finishedWords } from '#display/work-words.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { FinishAction } from '#protocol/work.ts';
import { findSession } from './find-session.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish worktree` */
export const worktree: Subcommand = {
  name: 'worktree',
  summary: 'the worktrees of sessions: merge one, keep its branch, discard it',
  usage: [
    '[list | merge SESSION | keep SESSION | discard SESSION | restore SESSION] [--json]',
    'SESSION  its id, the beginning of it, or its name',
    'merge    bring its work into the branch from which it began; with a conflict nothing is done',
    'keep     leave its work as a branch and remove its folder',
    'discard  remove both; what was there stays under a hidden ref, which is told',
    'restore  make its folder again, after it was removed by hand',
    '--json   print JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { most: 2 });
    const [wish = 'list', wanted] = positionals;
    const action = FinishAction.safeParse(wish).data;
    if (action === undefined && wish !== 'list') throw unknownAction('worktree', wish, ['list', ...FinishAction.options]);
    if (action !== undefined && wanted === undefined) throw new CompanionError('CLI_USAGE', `"worktree ${wish}" needs a session.`);
    await io.client.connect({ start: true, signal: io.signal });
    const sessions = await io.client.sessions.list();
    if (action === undefined || wanted === undefined) {
      const found = sessions.filter((session) => session.worktree?.state === 'open');
      if (values.json === true) io.json({ sessions: found });
      else for (const line of found.length > 0 ? found.map(describe) : ['No session has a worktree.']) io.line(line);
      return 0;
    }
    const finished = await io.client.work.finish(findSession(sessions, wanted).id, action);
    if (values.json === true) io.json(finished);
    else io.print(finishedWords(finished, 'en'));
    return 0;
  },
};

const describe = ({ id, name, worktree: own }: SessionSummary): string =>
  [id, own?.branch ?? '', own?.path ?? '', name].filter((part) => part !== '').join('  ');
