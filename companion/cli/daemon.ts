import { CompanionError } from '#protocol/errors.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish daemon` is a role, which app.ts starts; this is only its page in the help. */
export const daemon: Subcommand = {
  name: 'daemon',
  summary: 'run the daemon in the foreground; every other command starts it by itself',
  usage: ['[--keep-alive]', '--keep-alive  never exit when idle, for a login service'],
  run: async (args) => {
    readArgs(args, { 'keep-alive': { type: 'boolean' } });
    throw new CompanionError('CLI_USAGE', 'The daemon is a process of its own.');
  },
};
