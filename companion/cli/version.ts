import { PROTOCOL, VERSION } from '#protocol/version.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish version` */
export const version: Subcommand = {
  name: 'version',
  summary: 'print the version',
  usage: ['[--json]', '--json  print versions of the program and of its protocol as JSON'],
  run: async (args, io) => {
    const { values } = readArgs(args, { json: { type: 'boolean' } });
    if (values.json === true) io.json({ version: VERSION, protocol: PROTOCOL.current, node: process.versions.node });
    else io.print(VERSION);
    return 0;
  },
};
