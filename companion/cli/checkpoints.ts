import { counted } from '#protocol/counted.ts';
import type { Checkpoint } from '#protocol/work.ts';
import { findSession } from './find-session.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish checkpoints` */
export const checkpoints: Subcommand = {
  name: 'checkpoints',
  summary: "the states of a session's folder before each of its turns, and going back to one",
  usage: [
    'SESSION [restore ID] [--json]',
    'SESSION     its id, the beginning of it, or its name',
    'restore ID  bring the files back to that state; commits, branches and the index stay, and it can be undone',
    '--json      print the checkpoints, or what was brought back, as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { needs: 'SESSION', most: 3 });
    const [wanted = '', action, id] = positionals;
    if (action !== undefined && (action !== 'restore' || id === undefined)) throw unknownAction('checkpoints', action, ['restore']);
    await io.client.connect({ start: true, signal: io.signal });
    const session = findSession(await io.client.sessions.list(), wanted);
    if (id === undefined) {
      const found = await io.client.work.checkpoints(session.id);
      if (values.json === true) io.json({ checkpoints: found });
      else for (const line of found.length > 0 ? found.map(describe) : ['There is no checkpoint yet.']) io.line(line);
      return 0;
    }
    const back = await io.client.work.goBack(session.id, id);
    if (values.json === true) io.json(back);
    else {
      for (const path of back.skipped) io.note(`Left as it is: ${path}`);
      io.print(
        `${counted(back.files.length, 'file is as it was', 'files are as they were')}. To undo it: pilotfish checkpoints ${session.id} restore ${back.undo}`,
      );
    }
    return 0;
  },
};

const describe = ({ id, kind, turnId, at }: Checkpoint): string =>
  `${id}  ${at}  ${kind === 'turn' ? `before turn ${turnId ?? ''}` : 'before something was brought back'}`;
