import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { toPrintable } from '#display/plain-text.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { findSession } from './find-session.ts';
import type { Io } from './io.ts';
import { writeOutput } from './output-file.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish export` */
export const exportSession: Subcommand = {
  name: 'export',
  summary: 'print a session as markdown or JSON',
  usage: [
    '[SESSION] [--json] [--output FILE]',
    'SESSION        its id, the beginning of it, or its name; without one the sessions are listed, and the exit code is 1 when there is none',
    '--output FILE  write into a file for you alone, which is there whole or not at all',
    '--json         JSON instead of markdown, which `pilotfish import` reads',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' }, output: { type: 'string' } }, { most: 1 });
    const [wanted] = positionals;
    if (wanted === undefined && values.output !== undefined) throw new CompanionError('CLI_USAGE', '--output needs a session.');
    await io.client.connect({ start: true, signal: io.signal });
    const sessions = await io.client.sessions.list();
    if (wanted === undefined) return list(io, sessions, values.json === true);
    const session = findSession(sessions, wanted);
    const bytes = await io.client.sessions.export(session.id, values.json === true ? 'json' : 'markdown', io.signal);
    if (values.output !== undefined) await writeOutput(values.output, 'The session', withNewline(bytes));
    else if (values.json === true) await printJson(io, bytes);
    else io.write(`${await text(bytes)}\n`);
    return 0;
  },
};

const list = (io: Io, sessions: readonly SessionSummary[], isJson: boolean): number => {
  if (isJson) io.json({ sessions });
  else for (const { id, engineName, name, preview } of sessions) io.line(`${id}  ${engineName}  ${name || preview}`);
  if (sessions.length > 0) return 0;
  io.note('There is no session yet: `pilotfish run` begins one.');
  return 1;
};

/** As a terminal may have it, and as it is for who reads the JSON. */
const printJson = async (io: Io, bytes: Readable): Promise<void> => {
  const decoder = new TextDecoder();
  for await (const piece of bytes) io.write(toPrintable(decoder.decode(piece, { stream: true })));
  io.write('\n');
};

async function* withNewline(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | string> {
  yield* bytes;
  yield '\n';
}
