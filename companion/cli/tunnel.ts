import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { CompanionError } from '#protocol/errors.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish tunnel` */
export const tunnel: Subcommand = {
  name: 'tunnel',
  summary: 'carry one connection between standard input and output and the port of the daemon, for `attach docker://NAME`',
  usage: ['', 'Whoever starts it is let in as anybody at that port is: with a key or a token only.'],
  run: async (args, { client, signal, stdin, stdout }) => {
    readArgs(args, {});
    await client.connect({ start: true, signal });
    const { port } = await client.status(signal);
    if (port === null) throw new CompanionError('DAEMON_NOT_RUNNING', 'It listens on no port.');
    const socket = connect(port, '127.0.0.1');
    // A connection may end at either end, at any moment: that is no fault.
    await Promise.allSettled([pipeline(stdin, socket, { signal }), pipeline(socket, stdout, { signal, end: false })]);
    return 0;
  },
};
