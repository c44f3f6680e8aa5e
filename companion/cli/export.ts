import { writeFile } from 'node:fs/promises';
import type { SessionSummary } from '#protocol/api.ts';
import type { ViewItem } from '#protocol/view.ts';
import { printableJson } from '#display/plain-text.ts';
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
    '--json         JSON instead of markdown',
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
    const { items } = await io.client.sessions.read(session.id);
    const text = values.json === true ? printableJson({ session, items }) : toMarkdown(session, items);
    if (values.output === undefined) io.print(text);
    else await writeFile(values.output, `${text}\n`, { mode: 0o600 });
    return 0;
  },
};

/** A conversation as a readable text, in which tool calls are shortened. */
export const toMarkdown = (session: SessionSummary, items: readonly ViewItem[]): string =>
  [
    `# ${session.name || session.preview || 'Session'}`,
    '',
    `${session.engineName}${session.model === null ? '' : `, ${session.model}`}, begun ${session.createdAt}`,
    ...items.flatMap((item) => ['', ...itemLines(item)]),
  ].join('\n');

const itemLines = ({ body, status }: ViewItem): string[] => {
  switch (body.kind) {
    case 'message':
      return body.role === 'system' ? quote(body.text) : [body.role === 'user' ? '## You' : '## Agent', '', body.text];
    case 'thought':
      return ['> *thought*', ...quote(body.text)];
    case 'tool': {
      const title = [body.tool, body.title].filter((part) => part !== '').join(': ');
      const content = status === 'running' && body.text === '' ? body.title : body.text;
      return [`**${title || 'Tool'}**`, ...(content === '' ? [] : ['', ...fence(content)])];
    }
    case 'plan':
      return quote(body.entries.map((entry) => `${marks[entry.status]} ${entry.content}`).join('\n'));
    case 'notice':
      return quote(body.text);
  }
};

const marks = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;

const quote = (text: string): string[] => text.split('\n').map((line) => `> ${line}`);

/** A fence longer than any in the text, so that the text cannot end it. */
const fence = (text: string): string[] => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return [ticks, text, ticks];
};
