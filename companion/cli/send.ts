import { CompanionError } from '#protocol/errors.ts';
import { TurnId } from '#protocol/ids.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { findSession } from './find-session.ts';
import { readPiped } from './piped-input.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish send` */
export const send: Subcommand = {
  name: 'send',
  summary: 'send a prompt to a session and do not wait; `run --session` waits for the answer',
  usage: [
    'SESSION [--steer] [--json] -- PROMPT',
    'SESSION  its id, the beginning of it, or its name',
    'PROMPT   what follows --; without it the prompt is read from stdin',
    '--steer  into the turn that runs, where the agent takes it; otherwise it waits for its end',
    '--json   print the id of the turn as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(
      args,
      { steer: { type: 'boolean' }, json: { type: 'boolean' } },
      { needs: 'SESSION', most: Infinity },
    );
    const [wanted = '', ...words] = positionals;
    const text = (words.length > 0 ? words.join(' ') : io.isInteractive ? '' : await readPiped(io)).trim();
    if (text === '') throw new CompanionError('CLI_USAGE', 'A prompt is missing: write it after --, or pipe it in.');
    await io.client.connect({ start: true, signal: io.signal });
    const { id } = findSession(await io.client.sessions.list(), wanted);
    const turnId = TurnId.parse(randomId('turn'));
    await io.client.startTurn(id, { text, turnId, ...(values.steer === true ? { delivery: 'steer' } : {}) });
    if (values.json === true) io.json({ sessionId: id, turnId });
    else io.print(`Sent to ${id}.`);
    return 0;
  },
};
