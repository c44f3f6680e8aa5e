import { writeFile } from 'node:fs/promises';
import type { SessionSummary } from '#protocol/api.ts';
import type { AgentMessage } from '#protocol/realtime.ts';
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
    const messages = await io.client.sessions.history(session.id);
    const text = values.json === true ? printableJson({ session, messages }) : toMarkdown(session, messages);
    if (values.output === undefined) io.print(text);
    else await writeFile(values.output, `${text}\n`, { mode: 0o600 });
    return 0;
  },
};

/** A conversation to read, with the tool calls folded to what was done. */
export const toMarkdown = (session: SessionSummary, messages: readonly AgentMessage[]): string =>
  [
    `# ${session.name || session.preview || 'Session'}`,
    '',
    `${session.engineName}${session.model === null ? '' : `, ${session.model}`}, begun ${session.createdAt}`,
    ...messages.flatMap((message) => ['', ...messageLines(message)]),
  ].join('\n');

const messageLines = ({ role, messageType, content, metadata }: AgentMessage): string[] => {
  if (role === 'user') return ['## You', '', content];
  if (role === 'assistant') {
    return metadata?.['isThinking'] === true ? ['> *thought*', ...quote(content)] : ['## Agent', '', content];
  }
  if (messageType === 'status') return quote(content);
  const title = [metadata?.['toolName'], metadata?.['title']].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return [`**${title || 'Tool'}**`, ...(content === '' ? [] : ['', ...fence(content)])];
};

const quote = (text: string): string[] => text.split('\n').map((line) => `> ${line}`);

/** A fence longer than any in the text, so that the text cannot end it. */
const fence = (text: string): string[] => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return [ticks, text, ticks];
};
