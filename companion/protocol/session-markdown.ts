/** A session as a text that a person reads. Pure. */
import type { SessionSummary } from './api.ts';
import type { ViewItem } from './view.ts';

/** A conversation as a readable text, in which tool calls are shortened. */
export const toMarkdown = (session: SessionSummary, items: readonly ViewItem[]): string =>
  [markdownHead(session), ...items.map(markdownItem)].join('');

/** With what it begins. */
export const markdownHead = ({ name, preview, engineName, model, createdAt }: SessionSummary): string =>
  `# ${name || preview || 'Session'}\n\n${engineName}${model === null ? '' : `, ${model}`}, begun ${createdAt}`;

/** What each item adds. */
export const markdownItem = (item: ViewItem): string => ['\n', ...itemLines(item)].join('\n');

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
      return body.proof?.buildError === undefined ? quote(body.text) : [...quote(body.text), '', ...fence(body.proof.buildError)];
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
