/** A page as Markdown to read: what it says, without refs and without what is invisible. Pure. */
import type { SnapChild, SnapNode } from '#extension/content/api.ts';
import { partsInFrames } from './frame-parts.ts';
import { type FramePart, type PagedText, cutPages } from './snapshot-text.ts';

interface Scope {
  /** What frame elements show. */
  readonly inner: ReadonlyMap<SnapNode, FramePart>;
  /** Without the parts around the content that are the same on each page of a site. */
  readonly isContentOnly: boolean;
}

const AROUND = new Set(['navigation', 'banner', 'contentinfo']);

/** Fields are told by what they hold. */
const FIELDS = new Set([
  'textbox',
  'searchbox',
  'combobox',
  'listbox',
  'spinbutton',
  'slider',
  'date',
  'datetime',
  'month',
  'week',
  'time',
  'color',
]);
const CHECKS = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);

/** `isContentOnly` leaves out navigation, page header and page footer, unless the page consists of nothing else. */
export const renderMarkdown = (
  parts: readonly FramePart[],
  options: { readonly maxTokens: number; readonly page: number; readonly isContentOnly: boolean },
): PagedText => {
  const [top] = parts;
  if (top === undefined) return { text: '', page: 1, pages: 1, isFolded: false };
  const render = (isContentOnly: boolean): string =>
    blocks(top.snapshot.children, { inner: partsInFrames(parts), isContentOnly }).join('\n\n');
  const text = (options.isContentOnly ? render(true) : '') || render(false);
  const pages = cutPages(text.split('\n'), options.maxTokens);
  const page = Math.min(Math.max(1, options.page), pages.length);
  return { text: pages[page - 1] ?? '', page, pages: pages.length, isFolded: false };
};

/** Paragraphs and what stands between them, one after the other. */
const blocks = (children: readonly SnapChild[], scope: Scope): string[] => {
  const found: string[] = [];
  let run = '';
  const flush = (): void => {
    const text = run.replaceAll(/\s+/g, ' ').trim();
    if (text !== '') found.push(text);
    run = '';
  };
  for (const child of children) {
    if (child === null) flush();
    else if (typeof child === 'string') run += child;
    else if (child.isInline === true) run += inline(child, scope);
    else {
      flush();
      const text = block(child, scope);
      if (text !== '') found.push(text);
    }
  }
  flush();
  return found;
};

const block = (node: SnapNode, scope: Scope): string => {
  const children = node.children ?? [];
  const inside = (): string => blocks(children, scope).join('\n\n');
  if (scope.isContentOnly && AROUND.has(node.role)) return '';
  switch (node.role) {
    case 'heading': {
      const text = blocks(children, scope).join(' ');
      return text === '' ? '' : `${'#'.repeat(Number(node.value ?? 2))} ${text}`;
    }
    case 'list':
    case 'ordered':
      return list(node, scope);
    case 'listitem':
      return item('- ', node, scope);
    case 'table':
    case 'grid':
    case 'treegrid':
      return table(children, scope);
    case 'blockquote':
      return inside().replaceAll(/^/gm, '> ');
    case 'pre':
      return code(verbatim(children));
    case 'separator':
      return '---';
    case 'iframe':
      return frame(node, scope);
    default:
      return children.length === 0 || isSimple(node) ? inline(node, scope) : inside();
  }
};

const list = ({ role, children = [] }: SnapNode, scope: Scope): string => {
  let number = 0;
  const items = children.map((child): string => {
    if (child === null || typeof child === 'string' || child.role !== 'listitem') return blocks([child], scope).join('\n');
    return item(role === 'ordered' ? `${(number += 1)}. ` : '- ', child, scope);
  });
  return items.filter((text) => text !== '').join('\n');
};

const item = (bullet: string, { children = [] }: SnapNode, scope: Scope): string => {
  const text = blocks(children, scope).join('\n');
  return text === '' ? '' : bullet + text.replaceAll('\n', `\n${' '.repeat(bullet.length)}`);
};

const table = (children: readonly SnapChild[], scope: Scope): string => {
  const found = children.filter((child) => child !== null && typeof child === 'object');
  const rows = found.filter(({ role }) => role === 'row').map((row) => cells(row, scope));
  const before = found.filter(({ role }) => role !== 'row').flatMap((other) => blocks([other], scope));
  const [first, ...rest] = rows.map((texts) => `| ${texts.join(' | ')} |`);
  const rule = `|${' --- |'.repeat(rows[0]?.length ?? 0)}`;
  return [...before, ...(first === undefined ? [] : [[first, rule, ...rest].join('\n')])].join('\n\n');
};

const cells = ({ children = [] }: SnapNode, scope: Scope): string[] =>
  children
    .filter((child) => child !== null && typeof child === 'object')
    .map((cell) => blocks(cell.role === 'cell' || cell.role === 'columnheader' ? (cell.children ?? []) : [cell], scope))
    .map((texts) =>
      texts
        .join(' ')
        .replaceAll('\n', ' ')
        .replaceAll('|', String.raw`\|`),
    );

const frame = (node: SnapNode, scope: Scope): string => {
  const part = node.states?.includes('invisible') === true ? undefined : scope.inner.get(node);
  return part === undefined ? '' : blocks(part.snapshot.children, scope).join('\n\n');
};

/** A fence is longer than any inside. */
const code = (text: string): string => {
  // A call takes only so many arguments.
  const longest = text.matchAll(/`+/g).reduce((most, [ticks]) => Math.max(most, ticks.length), 2);
  const fence = '`'.repeat(longest + 1);
  return text.trim() === '' ? '' : `${fence}\n${text.replace(/^\n|\n\s*$/g, '')}\n${fence}`;
};

const verbatim = (children: readonly SnapChild[]): string =>
  children
    .map((child) => (child === null ? '\n' : typeof child === 'string' ? child : `${shownName(child)}${verbatim(child.children ?? [])}`))
    .join('');

const shownName = ({ role, name = '' }: SnapNode): string => (role === 'hidden' ? '' : name);

const isSimple = ({ role }: SnapNode): boolean => FIELDS.has(role) || CHECKS.has(role) || role === 'link';

const inline = (node: SnapNode, scope: Scope): string => {
  const { role, name = '', value = '', states = [], children = [], url } = node;
  if (role === 'hidden') return '';
  if (role === 'image') return `![${name}]`;
  if (FIELDS.has(role)) return value === '' ? '' : `${name === '' ? '' : `${name}: `}${value}`;
  if (CHECKS.has(role)) return `[${states.includes('checked') ? 'x' : ' '}] ${name}`;
  const text = children.length === 0 ? name : blocks(children, scope).join(' ');
  return url === undefined || text === '' ? text : `[${text}](${url})`;
};
