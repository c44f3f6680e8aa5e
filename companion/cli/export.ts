import { writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { findSession } from './find-session.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish export` */
export const exportSession: Subcommand = {
  name: 'export',
  summary: 'print a session as markdown or JSON',
  usage: [
    '[SESSION] [--json] [--output FILE]',
    'SESSION        its id, the beginning of it, or its name; without one the sessions are listed',
    '--output FILE  write into a file, which is for you alone',
    '--json         JSON instead of markdown, which `pilotfish import` reads',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' }, output: { type: 'string' } }, { least: 0, most: 1 });
    await io.client.connect({ start: true, signal: io.signal });
    const sessions = await io.client.sessions.list();
    const [wanted] = positionals;
    if (wanted === undefined) {
      if (values.json === true) io.json({ sessions });
      else for (const { id, engineName, name, preview } of sessions) io.print(`${id}  ${engineName}  ${name || preview}`);
      return 0;
    }
    const session = findSession(sessions, wanted);
    const bytes = await io.client.sessions.export(session.id, values.json === true ? 'json' : 'markdown');
    if (values.output === undefined) io.print(await text(bytes));
    else await writeFile(values.output, withNewline(bytes), { mode: 0o600 });
    return 0;
  },
};

async function* withNewline(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | string> {
  yield* bytes;
  yield '\n';
}
