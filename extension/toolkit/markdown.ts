/** A page as Markdown to read: what it says, without refs and without what is invisible. Pure. */
import type { SnapChild, SnapNode } from '#extension/content/api.ts';
import { partsInFrames } from './frame-parts.ts';
import { listParts } from './list-parts.ts';
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

/** They stand apart from the words around them, whatever is between. */
const APART = new Set([...FIELDS, ...CHECKS, 'button', 'tab', 'clickable', 'menuitem', 'option']);

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
    const text = inLines(run);
    if (text !== '') found.push(text);
    run = '';
  };
  for (const child of children) {
    if (child === null) flush();
    else if (typeof child === 'string') run += child;
    else if (child.isInline === true) run += APART.has(child.role) ? ` ${inline(child, scope)} ` : inline(child, scope);
    else {
      flush();
      const text = block(child, scope);
      if (text !== '') found.push(text);
    }
  }
  flush();
  return found;
};

/** A line break in a text is one that is seen: all others are spaces already. */
const inLines = (run: string): string => {
  if (!run.includes('\n')) return run.replaceAll(/\s+/g, ' ').trim();
  return run
    .replaceAll(/[^\S\n]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
};

const block = (node: SnapNode, scope: Scope): string => {
  const children = node.children ?? [];
  const inside = (): string => blocks(children, scope).join('\n\n');
  if (scope.isContentOnly && AROUND.has(node.role)) return '';
  switch (node.role) {
    case 'heading': {
      const text = blocks(withoutOwnLink(children), scope).join(' ').replaceAll(/\s+/g, ' ');
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

/** A heading's link to itself, which comes with the pointer, is called by a sign, or after what the heading says. */
const withoutOwnLink = (children: readonly SnapChild[]): readonly SnapChild[] => {
  const said = children
    .filter((child) => typeof child === 'string')
    .join('')
    .trim();
  const isOwn = (child: SnapChild): boolean => {
    if (typeof child !== 'object' || child?.role !== 'link' || (child.children ?? []).length > 0) return false;
    const name = (child.name ?? '').replace(/[\p{P}\s]+$/u, '');
    return (
      /^[^\p{L}\p{N}]*$/u.test(name) || /(?:^|\s)[¶#§🔗]\s*$/u.test(child.name ?? '') || name.endsWith(said.replace(/[\p{P}\s]+$/u, ''))
    );
  };
  return said === '' ? children : children.filter((child) => !isOwn(child));
};

const list = ({ role, children = [] }: SnapNode, scope: Scope): string => {
  const texts = [...listParts(children)].flatMap((part) =>
    'others' in part ? blocks(part.others, scope) : [item(role === 'ordered' ? `${part.number}. ` : '- ', part.item, scope)],
  );
  return texts.filter((text) => text !== '').join('\n');
};

const item = (bullet: string, { children = [] }: SnapNode, scope: Scope): string => {
  const text = blocks(children, scope).join('\n');
  return text === '' ? '' : bullet + text.replaceAll('\n', `\n${' '.repeat(bullet.length)}`);
};

const table = (children: readonly SnapChild[], scope: Scope): string => {
  const found = children.filter((child) => child !== null && typeof child === 'object');
  const rows = found.filter(({ role }) => role === 'row');
  const before = found.filter(({ role }) => role !== 'row').flatMap((other) => blocks([other], scope));
  if (isCode(rows)) return [...before, code(rows.map(codeLine).join('\n'))].join('\n\n');
  if (isLayout(rows)) return [...before, ...rows.flatMap((row) => laidOut(row, scope))].join('\n\n');
  const [first, ...rest] = rows.map((row) => `| ${cellTexts(row, scope).join(' | ')} |`);
  const rule = `|${' --- |'.repeat(Math.max(0, ...rows.map((row) => cellsIn(row).length)))}`;
  return [...before, ...(first === undefined ? [] : [[first, rule, ...rest].join('\n')])].join('\n\n');
};

/** Whether a table only puts things beside each other: nothing in it names a column, and a row is one cell, or a cell holds what has parts of its own. */
const isLayout = (rows: readonly SnapNode[]): boolean => {
  const cells = rows.map(cellsIn);
  if (cells.some((row) => row.some(({ role }) => role === 'columnheader'))) return false;
  return cells.every((row) => row.length <= 1) || cells.some((row) => row.some(holdsParts));
};

/** Whether its last cells are the lines of a code, which says more by its spaces than words do; beside them are the numbers of the lines. */
const isCode = (rows: readonly SnapNode[]): boolean => {
  const cells = rows.map(cellsIn);
  const isBeside = (cell: SnapNode): boolean => cell.role === 'cell' && /^[\d\s+-]*$/.test(verbatim(contentOf(cell)));
  return (
    rows.length > 1 &&
    cells.every((row) => row.every((cell) => cell.role === 'cell') && row.slice(0, -1).every(isBeside)) &&
    rows.some((row) => /^[ +-]?(?: {2}|\t)\s*\S/.test(codeLine(row)))
  );
};

/** A number alone is that of a line with nothing in it. */
const codeLine = (row: SnapNode): string => {
  const last = cellsIn(row).at(-1);
  const text = last === undefined ? '' : verbatim(contentOf(last)).replace(/^\n|\s+$/g, '');
  return /^\d+$/.test(text) ? '' : text;
};

const PARTS = new Set(['heading', 'list', 'ordered', 'pre', 'table', 'blockquote']);

const holdsParts = ({ children = [] }: SnapNode): boolean =>
  children.some((child) => typeof child === 'object' && child !== null && (PARTS.has(child.role) || holdsParts(child)));

/** One cell after the other; the numbers of the lines beside a code are left out. */
const laidOut = (row: SnapNode, scope: Scope): string[] => {
  const cells = cellsIn(row).map((cell) => blocks(contentOf(cell), scope));
  const hasCode = cells.some((texts) => texts.some((text) => text.startsWith('```') && !isNumbers(text)));
  return cells.filter((texts) => !hasCode || !texts.every(isNumbers)).flat();
};

const isNumbers = (text: string): boolean => /^[\d\s`]+$/.test(text);

const cellsIn = ({ children = [] }: SnapNode): SnapNode[] => children.filter((child) => child !== null && typeof child === 'object');

const contentOf = (cell: SnapNode): readonly SnapChild[] =>
  cell.role === 'cell' || cell.role === 'columnheader' ? (cell.children ?? []) : [cell];

/** A cell is one line. */
const cellTexts = (row: SnapNode, scope: Scope): string[] =>
  cellsIn(row).map((cell) => {
    const lines = blocks(contentOf(cell), scope).flatMap((text) => text.split('\n'));
    const isList = lines.some((line) => /^(?:[-`|>]|\s|\d+\. )/.test(line));
    return lines.join(isList ? '<br>' : ' ').replaceAll('|', String.raw`\|`);
  });

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

/** Lines may stand in elements of their own, around which a break comes before and after each: as many as there are at least between two lines are one. */
const verbatim = (children: readonly SnapChild[]): string => {
  const found: { readonly breaks: number; readonly text: string }[] = [];
  let breaks = 0;
  for (const piece of piecesOf(children)) {
    if (piece === null) breaks += 1;
    else if (piece !== '') {
      found.push({ breaks: found.length === 0 ? 0 : breaks, text: piece });
      breaks = 0;
    }
  }
  const one = found.reduce((least, { breaks: own }) => (own > 0 ? Math.min(least, own) : least), Infinity);
  return found.map(({ breaks: own, text }) => '\n'.repeat(own === 0 ? 0 : Math.round(own / one)) + text).join('');
};

const piecesOf = (children: readonly SnapChild[]): (string | null)[] =>
  children.flatMap((child) =>
    child === null || typeof child === 'string' ? [child] : [shownName(child), ...piecesOf(child.children ?? [])],
  );

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
