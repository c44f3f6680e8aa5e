/** One item of a conversation as lines. Lines of an item that has not changed are kept: a long session costs what is new. */
import { noticeText } from '#display/notice-text.ts';
import { toolFault, toolName, toolSentence, toolTarget } from '#display/tool-line.ts';
import type { Proof } from '#protocol/items.ts';
import type { ViewItem } from '#protocol/view.ts';
import { paint } from '../paint.ts';
import { say, spokenLanguage, t } from '../say.ts';
import { clean, cleanLine, fit, wrap } from '../text.ts';
import { changeSummary } from './diff.ts';
import { renderMarkdown } from './markdown.ts';
import { outputLines } from './output.ts';
import { streamedLines } from './streamed.ts';

export interface ItemLook {
  readonly columns: number;
  /** Whole thoughts and tool outputs instead of their gist. */
  readonly isExpanded: boolean;
  readonly engineLabel: string;
  /** Nested below the item that started it. */
  readonly depth: number;
}

/** More than one line of any terminal. */
const MAX_GIST_UNITS = 2000;
const MAX_PROOF_LINES = 12;

const cache = new WeakMap<ViewItem, { key: string; lines: readonly string[] }>();

/** The item's lines, each at most `columns` wide. */
export const itemLines = (item: ViewItem, look: ItemLook): readonly string[] => {
  const key = `${spokenLanguage()} ${look.columns} ${look.isExpanded} ${look.engineLabel} ${look.depth}`;
  const known = cache.get(item);
  if (known?.key === key) return known.lines;
  const indent = '  '.repeat(look.depth);
  const lines = buildLines(item, { ...look, columns: look.columns - indent.length }).map((line) => indent + line);
  cache.set(item, { key, lines });
  return lines;
};

const buildLines = (item: ViewItem, look: ItemLook): string[] => {
  const { body } = item;
  const { columns } = look;
  switch (body.kind) {
    case 'message': {
      if (body.role === 'assistant' && item.status === 'running') {
        return body.text.trim() === '' ? [] : ['', paint('title', look.engineLabel), ...streamedLines(item.itemId, body.text, columns)];
      }
      const text = clean(body.text).trimEnd();
      const files = (body.attachments ?? []).map(({ kind, name }) => paint('dim', fit(`  [${t(kind)}] ${cleanLine(name)}`, columns)));
      if (body.role === 'user') return ['', paint('user', say('you')), ...files, ...wrap(text, columns)];
      if (text === '') return [];
      const name = body.role === 'assistant' ? paint('title', look.engineLabel) : paint('dim', t('system'));
      return ['', name, ...renderMarkdown(text, columns)];
    }
    case 'thought':
      return thoughtLines(body.text, item.status === 'running', look);
    case 'tool':
      return toolLines(item, look);
    case 'plan':
      return [
        '',
        paint('strong', say('plan')),
        ...body.entries.flatMap(({ content, status }) => {
          const [first = '', ...rest] = wrap(cleanLine(content), columns - 4);
          const sign = status === 'completed' ? paint('ok', '[x]') : status === 'in_progress' ? paint('accent', '[~]') : '[ ]';
          return [`${sign} ${first}`, ...rest.map((line) => `    ${line}`)];
        }),
      ];
    case 'notice': {
      const style = body.level === 'error' ? 'error' : body.level === 'warning' ? 'warning' : 'dim';
      return [
        '',
        ...wrap(clean(noticeText(body, say)), columns - 2).map((line, index) => paint(style, `${index === 0 ? '! ' : '  '}${line}`)),
        ...proofLines(body.proof, columns - 2).map((line) => paint('dim', `  ${line}`)),
      ];
    }
  }
};

/** What was picked, and how the build failed, in the page's words; the pictures are shown in the panel. */
const proofLines = (proof: Proof | undefined, columns: number): string[] => [
  ...(proof?.pairs ?? []).map(({ element, isThere }) => fit(`${isThere ? '·' : '×'} ${cleanLine(element)}`, columns)),
  ...(proof?.buildError === undefined ? [] : wrap(clean(proof.buildError), columns).slice(0, MAX_PROOF_LINES)),
];

const thoughtLines = (text: string, isRunning: boolean, { columns, isExpanded }: ItemLook): string[] => {
  if (text.trim() === '') return [];
  if (isExpanded) return ['', ...wrap(clean(text).trim(), columns - 2).map((line) => paint('dim', `  ${line}`))];
  const gist = isRunning ? lastLine(text) : (text.trim().split('\n', 1)[0] ?? '');
  const label = say(isRunning ? 'thinking' : 'thought');
  return ['', paint('dim', fit(say('labelled', { label, text: cleanLine(gist.slice(0, MAX_GIST_UNITS)) }), columns))];
};

const lastLine = (text: string): string => {
  const end = text.trimEnd();
  return end.slice(end.lastIndexOf('\n') + 1);
};

const toolLines = (item: ViewItem, { columns, isExpanded }: ItemLook): string[] => {
  const { body, status } = item;
  if (body.kind !== 'tool') return [];
  const exit =
    body.exitCode === undefined || body.exitCode === null || body.exitCode === 0
      ? ''
      : paint('error', ` ${say('exit_code', { code: body.exitCode })}`);
  const sentence = toolSentence(body, say, status);
  const name = cleanLine(sentence ?? toolName(body, say));
  const target = sentence === null ? cleanLine(toolTarget(body)) : '';
  const head = fit(`${statusSign(status)} ${paint('strong', name)}${target === '' ? '' : ` ${target}`}${exit}`, columns);
  const changes = (body.changes ?? []).map((change) => fit(`  ${changeSummary(change)}`, columns));
  const images = (body.images ?? []).map(({ mimeType }) => paint('dim', `  [${cleanLine(mimeType)}]`));
  const task = body.isBackground === true && status === 'running' ? [paint('accent', fit(`  ${say('in_background')}`, columns))] : [];
  const fault = status === 'failed' && !isExpanded ? toolFault(body, say) : null;
  if (fault !== null) return ['', head, paint('dim', fit(`  ${fault}`, columns))];
  const isOpen = body.text !== '' && (isExpanded || status === 'running' || status === 'failed');
  return ['', head, ...task, ...changes, ...images, ...(isOpen ? outputLines(body.text, columns, isExpanded) : [])];
};

const statusSign = (status: ViewItem['status']): string => {
  switch (status) {
    case 'running':
      return paint('accent', '●');
    case 'completed':
      return paint('ok', '✓');
    case 'failed':
      return paint('error', '✗');
    case 'denied':
      return paint('warning', '⊘');
    case 'cancelled':
      return paint('dim', '■');
  }
};
