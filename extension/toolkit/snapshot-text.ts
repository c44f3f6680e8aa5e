/** A snapshot as text: markdown where markdown has a form, `[ref role "name"]` for what can be operated. Pure. */
import { isBlank } from '#extension/content/blank.ts';
import type { FrameSnapshot, OfferedTool, SnapChild, SnapNode } from '#extension/content/api.ts';
import { cutText } from './cut.ts';
import { partsInFrames } from './frame-parts.ts';
import { listParts } from './list-parts.ts';
import { toRef, toToolName } from './ref.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { NOT_SHOWN } from '#extension/shared/hide-values.ts';

export interface FramePart {
  readonly frameId: number;
  readonly parentFrameId: number;
  readonly snapshot: FrameSnapshot;
}

export interface PagedText {
  readonly text: string;
  readonly page: number;
  readonly pages: number;
  readonly isFolded: boolean;
}

interface SnapshotText extends PagedText {
  /** Neither folded nor cut. */
  readonly whole: string;
}

interface Line {
  readonly indent: number;
  readonly text: string;
}

interface Scope {
  readonly frameId: number;
  /** What frame elements show; null where only a part of one document is told. */
  readonly inner: ReadonlyMap<SnapNode, FramePart> | null;
  /** How many items of a long list or rows of a long table are shown. */
  readonly maxItems: number;
  /** Names that a link in the same row tells in full. */
  readonly long?: ReadonlySet<string>;
}

/** It costs as much as all that is in it has lines. */
const INDENT = ' ';

/** How much a text may hold before long lists and tables fold, when the call does not say how long it may be. */
export const UNFOLDED_TOKENS = 2_500;

/** What is said of the tools that a page offers leaves room for the page. */
const TOOLS_TOKENS = 3_000;
const SHORT_CHARS = 80;

/** How many items of each are shown: the most with which the text keeps to its limit. */
const FOLDED_ITEMS = [40, 20, 10];

/** How many options of a choice are shown; the rest is counted. */
const SHOWN_OPTIONS = 15;

/** Measured with o200k_base: a snapshot full of refs and numbers has 2.7 characters a token; other scripts have about one token a character. */
const CHARS_PER_TOKEN = 2.7;

/** What lists and tables consist of. It is a Map, because a page may use any word as a role. */
const ITEMS: ReadonlyMap<string, string> = new Map([
  ['list', 'listitem'],
  ['ordered', 'listitem'],
  ['menu', 'listitem'],
  ['table', 'row'],
  ['grid', 'row'],
  ['treegrid', 'row'],
]);

const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

/** As HTML and its tables call the parts of a page. */
const SHORT_ROLES: ReadonlyMap<string, string> = new Map([
  ['banner', 'header'],
  ['complementary', 'aside'],
  ['contentinfo', 'footer'],
  ['gridcell', 'cell'],
  ['navigation', 'nav'],
]);

/** They say nothing that what is in them does not say, where they have neither a name nor a ref. */
const BARE = new Set(['tablist', 'toolbar', 'menubar', 'radiogroup', 'region']);

/** What can be checked, and is not, is so as long as nothing else is said. */
const CHECKED_OR_NOT = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);

interface Extent {
  /** A longer text is cut into pages. */
  readonly maxTokens: number;
  /** Of a longer text, long lists and tables are folded first. */
  readonly unfoldedTokens?: number;
  readonly page: number;
  /** How many levels are shown. */
  readonly depth?: number | undefined;
}

/** The page and its frames within about `maxTokens`; long lists are folded first, then the text is cut into pages. */
export const renderSnapshot = (
  parts: readonly FramePart[],
  { maxTokens, unfoldedTokens = maxTokens, page: wanted, depth = Infinity }: Extent,
): SnapshotText => {
  const whole = renderAll(parts, Infinity, depth);
  const lines = tokensOf(whole) > unfoldedTokens ? folded(parts, unfoldedTokens, depth) : whole;
  const pages = cutPages(lines, maxTokens);
  const page = Math.min(Math.max(1, wanted), pages.length);
  return { text: pages[page - 1] ?? '', whole: whole.join('\n'), page, pages: pages.length, isFolded: lines.length < whole.length };
};

const folded = (parts: readonly FramePart[], maxTokens: number, depth: number): string[] => {
  let lines: string[] = [];
  for (const items of FOLDED_ITEMS) {
    lines = renderAll(parts, items, depth);
    if (tokensOf(lines) <= maxTokens) break;
  }
  return lines;
};

/** One element in brackets, as in a snapshot. */
export const renderNode = (node: SnapNode, frameId: number): string => inline(node, { frameId, inner: null, maxItems: Infinity });

/** The same for a person, to whom a ref says nothing. */
export const nodeWords = (node: SnapNode): string => renderNode(node, 0).replace(/^\[(?:e\d+ )?(.*)\]$/s, '$1');

/** Parts of a frame, as a snapshot shows them, within about so many tokens. */
export const renderParts = (children: readonly SnapChild[], frameId: number, maxTokens: number): { text: string; isWhole: boolean } => {
  const lines = block(children, { frameId, inner: null, maxItems: Infinity }).map(toText);
  const [first = '', ...more] = cutPages(lines, maxTokens);
  if (more.length === 0) return { text: first, isWhole: true };
  // How many there are stands below a list, and what came last is its end.
  const [start = ''] = cutPages(lines, (maxTokens * 2) / 3);
  const end = cutPages(lines.slice(start.split('\n').length).toReversed(), maxTokens / 3)[0] ?? '';
  return { text: [start, '…', ...end.split('\n').toReversed()].join('\n').trimEnd(), isWhole: false };
};

/** The tools that the page and its frames offer, in their words; nothing where they offer none. Where they are many, less is said of each. */
export const renderTools = (parts: readonly FramePart[]): string => {
  const offering = parts.filter(({ snapshot }) => snapshot.tools !== undefined);
  const forms = [Infinity, SHORT_CHARS, 0].map((maxChars) => offering.flatMap((part) => toolLines(part, maxChars)));
  return (forms.find((lines) => tokensOf(lines) <= TOOLS_TOKENS) ?? forms.at(-1) ?? []).join('\n');
};

const toolLines = ({ frameId, snapshot: { tools = [], url } }: FramePart, maxChars: number): string[] => [
  frameId === 0 ? 'Tools of the page, for browser_page_tool:' : `Tools of its frame f${frameId} (${originOf(url)}), for browser_page_tool:`,
  ...tools.map((tool) => toolLine({ ...tool, name: toToolName(frameId, tool.name) }, maxChars)),
];

/** With so many characters of its description at most. */
const toolLine = ({ name, description, parameters, isReading }: OfferedTool, maxChars: number): string => {
  const head = `- ${name}(${cutText(parameters, Math.max(maxChars, SHORT_CHARS))})${isReading ? ', only looks' : ''}`;
  return plain(maxChars === 0 ? head : `${head}: ${cutText(description, maxChars)}`);
};

const renderAll = (parts: readonly FramePart[], maxItems: number, depth: number): string[] => {
  const [top] = parts;
  if (top === undefined) return [];
  const lines = block(top.snapshot.children, { frameId: top.frameId, inner: partsInFrames(parts), maxItems });
  return lines.filter(({ indent }) => indent < depth).map(toText);
};

const toText = ({ indent, text }: Line): string => INDENT.repeat(indent) + text;

/** About how many tokens the lines come to. */
export const tokensOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + tokens(line), 0);

const tokens = (line: string): number => {
  let latin = 0;
  for (let at = 0; at < line.length; at += 1) {
    const unit = line.charCodeAt(at);
    if (unit >= 0x20 && unit <= 0x24f) latin += 1;
  }
  return 1 + latin / CHARS_PER_TOKEN + (line.length - latin);
};

/** Parts of at most about `maxTokens`. A line is cut only where it is longer than a part, and begins in the one before it where there is room. */
export const cutPages = (lines: readonly string[], maxTokens: number): string[] => {
  const pages: string[] = [];
  let taken: string[] = [];
  let sum = 0;
  for (const line of lines) {
    const room = maxTokens - sum;
    const pieces = tokens(line) > maxTokens ? cutLine(line, maxTokens, room > maxTokens / 4 ? room : maxTokens) : [line];
    for (const piece of pieces) {
      const cost = tokens(piece);
      if (sum + cost > maxTokens && taken.length > 0) {
        pages.push(taken.join('\n'));
        taken = [];
        sum = 0;
      }
      taken.push(piece);
      sum += cost;
    }
  }
  return [...pages, taken.join('\n')];
};

/** As if each character were a token where one is of another script; the first piece has room of its own. */
const cutLine = (line: string, maxTokens: number, firstTokens: number): string[] => {
  const perToken = line.length / tokens(line);
  const most = (room: number): number => Math.min(Math.max(1, Math.floor((room - 1) * perToken)), 65_000);
  const [first = ''] = pieceOf(most(firstTokens), 'su').exec(line) ?? [];
  return [first, ...(line.slice(first.length).match(pieceOf(most(maxTokens), 'gsu')) ?? [])];
};

/** To the end of a word, where that is near. */
const pieceOf = (most: number, flags: string): RegExp => new RegExp(`.{${Math.floor(most * 0.9)},${most - 1}}[\\s,;]|.{1,${most}}`, flags);

/** Joins text and inline elements; everything else begins a new line. */
const block = (children: readonly SnapChild[], scope: Scope): Line[] => {
  const lines: Line[] = [];
  // In parts: to look at the end of a long line would cost as much as all of it, for each of its elements.
  let run: string[] = [];
  let end = '';
  const add = (text: string): void => {
    run.push(text);
    end = text.slice(-1) || end;
  };
  const flush = (): void => {
    const text = run.join('').replaceAll(/ {2,}/g, ' ').trim();
    if (text !== '') lines.push({ indent: 0, text });
    run = [];
    end = '';
  };
  const articles = children.filter((child) => isOf(child, 'article')).length;
  const shown = withFewUnread(withFewHidden(children), scope);
  for (const [index, child] of shown.entries()) {
    if (child === null || isNamedBeside(shown, index)) flush();
    else if (typeof child === 'string') {
      const [first = '', ...more] = plain(child).split('\n');
      add(`${/[\])]/.test(end) && /^(?:~~\S|[\p{L}\p{N}])/u.test(first) ? ' ' : ''}${first}`);
      for (const next of more) {
        flush();
        add(next);
      }
    } else if (child.isInline === true) add(`${/[\s(]|^$/.test(end) ? '' : ' '}${inline(child, scope)}`);
    else {
      flush();
      // What is the only one needs no mark that tells it from others.
      const isAlone = child.role === 'article' && articles === 1 && child.name === undefined && child.ref === undefined;
      // A call takes only so many arguments.
      for (const line of isAlone ? block(child.children ?? [], scope) : element(child, scope)) lines.push(line);
    }
  }
  flush();
  return lines;
};

/** Of many texts after each other that nobody sees, as the days of a calendar that is closed, all but the first ones are told as one. */
const withFewHidden = (given: readonly SnapChild[]): readonly SnapChild[] => {
  const children = given.some(isAllHidden) ? given.flatMap(withoutAround) : given;
  if (children.filter((child) => isOf(child, 'hidden')).length <= MAX_HIDDEN) return children;
  const shown: SnapChild[] = [];
  let [count, words]: [number, string] = [0, ''];
  const end = (): void => {
    const name = words.length <= SHORT_CHARS ? words : `${words.slice(0, SHORT_CHARS)}…`;
    if (words !== '') shown.push(null, { role: 'hidden', name, isInline: true }, null);
    [count, words] = [0, ''];
  };
  for (const child of children) {
    const isHidden = typeof child === 'object' && child?.role === 'hidden';
    if (!isHidden && !isBlank(child)) end();
    if (isHidden) count += 1;
    if (count <= MAX_HIDDEN) shown.push(child);
    else if (isHidden && words.length <= SHORT_CHARS) words = `${words} ${child.name ?? ''}`.trim();
  }
  end();
  return shown;
};

const MAX_HIDDEN = 3;

/** Whether it is a table or a list of nothing but what nobody sees. */
const isAllHidden = (child: SnapChild): child is SnapNode => {
  if (typeof child !== 'object' || child === null || child.name !== undefined) return false;
  // What a long list is unfolded by is no use where nobody sees it.
  if (child.ref !== undefined && !FOLDED.has(child.role)) return false;
  const { children = [] } = child;
  return children.length > 0 && children.every((inner) => isBlank(inner) || isOf(inner, 'hidden') || isAllHidden(inner));
};

const FOLDED = new Set(['list', 'ordered', 'table']);

const withoutAround = (child: SnapChild): readonly SnapChild[] => (isAllHidden(child) ? [null, ...hiddenIn(child), null] : [child]);

const hiddenIn = ({ children = [] }: SnapNode): SnapNode[] =>
  children.flatMap((child) => (typeof child !== 'object' || child === null ? [] : child.role === 'hidden' ? [child] : hiddenIn(child)));

/** The same of frames that were not read: a page with thousands of them says so once. */
const withFewUnread = (children: readonly SnapChild[], { inner }: Scope): readonly SnapChild[] => {
  const isUnread = (child: SnapChild): boolean =>
    inner !== null && typeof child === 'object' && child?.role === 'iframe' && child.name === undefined && !inner.has(child);
  const unread = inner === null ? 0 : children.filter(isUnread).length;
  if (unread <= MAX_UNREAD) return children;
  let count = 0;
  const told = children.filter((child) => !isUnread(child) || ++count <= MAX_HIDDEN);
  return [...told, null, `(${unread - MAX_HIDDEN} more frames that were not read)`, null];
};

const MAX_UNREAD = 12;

/** Whether a text is the name of what can be operated right before or after it, as of a field whose label is no label of HTML. */
const isNamedBeside = (children: readonly SnapChild[], index: number): boolean => {
  const child = children[index];
  const text = typeof child === 'string' ? child.trim() : '';
  if (text.length < MIN_SAID) return false;
  const isNamed = (step: number): boolean => {
    let at = index + step;
    while (at in children && isBlank(children[at] ?? null)) at += step;
    const beside = children[at];
    return typeof beside === 'object' && beside !== null && beside.ref !== undefined && beside.name === text;
  };
  return isNamed(-1) || isNamed(1);
};

/** What is shorter, as the number of a page, stands in other places by chance. */
const MIN_SAID = 3;

const element = (node: SnapNode, scope: Scope): Line[] => {
  const children = node.children ?? [];
  // A list that calls itself a menu, and its items still items of a list.
  if (node.role === 'menu' && children.some((child) => isOf(child, 'listitem'))) return list(node, scope);
  switch (node.role) {
    case 'heading':
      return heading(node, scope);
    case 'list':
    case 'ordered':
      return list(node, scope);
    case 'table':
    case 'grid':
    case 'treegrid':
      return table(node, scope);
    case 'listitem':
      return item('- ', node, scope);
    case 'article':
      return node.name === undefined ? item('- ', node, scope) : container(label(node, scope), children, scope);
    case 'row':
      return [{ indent: 0, text: row(node, scope) }];
    case 'iframe':
      return frame(node, scope);
    case 'blockquote':
      return block(children, scope).map(({ indent, text }) => ({ indent, text: `> ${text}` }));
    case 'columnheader':
      return node.states === undefined ? block(children, scope) : [{ indent: 0, text: cellText(node, scope) }];
    case 'separator':
    case 'cell':
    case 'rowheader':
    case 'pre':
      return block(children, scope);
    default:
      if (BARE.has(node.role) && node.name === undefined && node.ref === undefined) return block(children, scope);
      return node.children === undefined || isChoice(node)
        ? [{ indent: 0, text: inline(node, scope) }]
        : container(label(node, scope), children, scope);
  }
};

const container = (title: string, children: readonly SnapChild[], scope: Scope): Line[] => {
  const inside = block(children, scope);
  const [only] = inside;
  // A single short line does not need a level of its own.
  if (only !== undefined && inside.length === 1 && only.text.length < 100) return [{ indent: 0, text: `${title}: ${only.text}` }];
  return [{ indent: 0, text: inside.length === 0 ? title : `${title}:` }, ...deeper(inside)];
};

const heading = (node: SnapNode, scope: Scope): Line[] => {
  const [first, ...rest] = block(node.children ?? [], scope);
  if (first === undefined) return [];
  return [{ indent: 0, text: `${'#'.repeat(Number(node.value ?? 2))} ${first.text}` }, ...rest];
};

const list = (node: SnapNode, scope: Scope): Line[] => {
  const { shown, notice } = fold(node, scope);
  const bullets = isMenu(node) ? '' : node.role === 'ordered' ? null : '- ';
  const lines = [...listParts(shown)].flatMap((part) =>
    'others' in part ? block(part.others, scope) : item(bullets ?? `${part.number}. `, part.item, scope),
  );
  return titled(node, [...(isMenu(node) ? packed(lines) : lines), ...notice], scope);
};

/** What is pressed in a menu, several in a line. */
const packed = (lines: readonly Line[]): Line[] => {
  const rows: Line[] = [];
  for (const [index, line] of lines.entries()) {
    const row = rows.at(-1);
    // Lists in it stand below what opens them.
    const isFlat = [index - 1, index, index + 1].every((at) => (lines[at]?.indent ?? 0) === 0);
    const isPressed = line.text.startsWith('[') && row?.text.startsWith('[') === true;
    if (row !== undefined && isFlat && isPressed && row.text.length + line.text.length < MAX_ROW)
      rows[rows.length - 1] = { indent: row.indent, text: `${row.text} ${line.text}` };
    else rows.push(line);
  }
  return rows;
};

const MAX_ROW = 120;

/** Whether each item is one thing to press, or a word between such things, so that a line each says enough; lists in it stand deeper. */
const isMenu = ({ children = [] }: SnapNode): boolean => {
  const items = children.filter((child) => !isBlank(child));
  const parts = items.map((child) =>
    child === null || typeof child === 'string' || child.role !== 'listitem' || child.ref !== undefined
      ? []
      : (child.children ?? []).filter((inner) => !isBlank(inner)),
  );
  return (
    parts.some(([first]) => isPress(first)) &&
    parts.every(([first, ...others]) => (isPress(first) || isWord(first)) && others.every((other) => isOf(other, 'list')))
  );
};

const isPress = (child: SnapChild | undefined): boolean =>
  typeof child === 'object' && child !== null && child.ref !== undefined && (child.children ?? []).length === 0;

const isWord = (child: SnapChild | undefined): boolean => typeof child === 'string' || isOf(child, 'hidden');

const isOf = (child: SnapChild | undefined, role: string): boolean => typeof child === 'object' && child !== null && child.role === role;

const item = (bullet: string, node: SnapNode, scope: Scope): Line[] => {
  const [first, ...rest] = block(node.children ?? [], scope);
  const own = node.ref === undefined ? '' : `${label(node, scope)} `;
  if (first === undefined) return own === '' ? [] : [{ indent: 0, text: bullet + own.trim() }];
  return [{ indent: 0, text: bullet + own + first.text }, ...deeper(rest)];
};

const table = (node: SnapNode, scope: Scope): Line[] => {
  const { shown, notice } = fold(node, scope);
  const lines = [...block(shown, scope), ...notice];
  // Its rows can be told from what follows, so they need not stand deeper.
  return node.name === undefined || lines.length === 0 ? lines : [{ indent: 0, text: `${label(node, scope)}:` }, ...lines];
};

const row = (node: SnapNode, scope: Scope): string => {
  const cells = (node.children ?? []).filter((child) => child !== null && typeof child === 'object');
  const own = node.ref === undefined ? '' : `${label(node, scope)} `;
  const long = namesTwice(cells);
  const shown = cells.map((cell) => cellText(cell, { ...scope, long }));
  return shown.length > 1 ? `${own}${shown.join(' | ')}`.trimEnd() : `${own}| ${shown.join('')} |`;
};

/** The long names that are told in a row more than once, as that of a message by the box beside it. */
const namesTwice = (cells: readonly SnapNode[]): ReadonlySet<string> => {
  const links = new Set<string>();
  const others = new Set<string>();
  const look = ({ role, ref, name = '', children = [] }: SnapNode): void => {
    if (ref !== undefined && name.length > MAX_TWICE) (role === 'link' ? links : others).add(name);
    for (const child of children) if (typeof child === 'object' && child !== null) look(child);
  };
  cells.forEach(look);
  return links.intersection(others);
};

const MAX_TWICE = 32;

const cellText = (node: SnapNode, scope: Scope): string => {
  const isCell = CELLS.has(node.role);
  const lines = block(isCell ? (node.children ?? []) : [node], scope).map(({ text }) => text);
  const own = isCell && node.ref !== undefined ? label(node, scope) : '';
  const states = isCell && node.ref === undefined && node.states !== undefined ? `(${node.states.map(plain).join(' ')})` : '';
  return [own, lines.join(' / '), states].filter((text) => text !== '').join(' ');
};

/** It may show something all the same. */
const UNREAD_FRAME = '(not read: still loading, or closed to tools)';

const frame = (node: SnapNode, scope: Scope): Line[] => {
  const title = label(node, scope);
  if (scope.inner === null) return [{ indent: 0, text: title }];
  const part = scope.inner.get(node);
  if (part === undefined) return [{ indent: 0, text: `${title} ${UNREAD_FRAME}` }];
  const inside = block(part.snapshot.children, { ...scope, frameId: part.frameId });
  return [{ indent: 0, text: `${title} ${shownFrame(part.snapshot.url)}:` }, ...deeper(inside)];
};

/** What stands in a `data:` address is what is shown. */
const shownFrame = (url: string): string => (/^data:[^,]*/.exec(url)?.[0] ?? url).slice(0, 200);

/** The first items, and how to see the rest. */
const fold = (node: SnapNode, scope: Scope): { shown: readonly SnapChild[]; notice: Line[] } => {
  const children = node.children ?? [];
  const isItem = (child: SnapChild): boolean => child !== null && typeof child === 'object' && child.role === ITEMS.get(node.role);
  const count = children.filter(isItem).length;
  if (count <= scope.maxItems + 2 || node.ref === undefined || node.isWhole === true) return { shown: children, notice: [] };
  let seen = 0;
  const shown = children.filter((child) => !isItem(child) || ++seen <= scope.maxItems);
  const text = `… ${count - scope.maxItems} more like these: browser_snapshot with target "${toRef(scope.frameId, node.ref)}" shows them`;
  return { shown, notice: [{ indent: 0, text }] };
};

const titled = (node: SnapNode, lines: Line[], scope: Scope): Line[] =>
  node.name === undefined || lines.length === 0 ? lines : [{ indent: 0, text: `${label(node, scope)}:` }, ...deeper(lines)];

const deeper = (lines: readonly Line[]): Line[] => lines.map(({ indent, text }) => ({ indent: indent + 1, text }));

const inline = (node: SnapNode, scope: Scope): string => {
  if (node.role === 'hidden') return `(invisible: ${inQuotes(node.name ?? '')})`;
  if (node.role === 'image') return `![${plain(node.name ?? '').replaceAll(']', ')')}]`;
  const own = label(node, scope);
  if (node.children === undefined || node.children.length === 0) return own;
  if (isChoice(node)) return `${own.slice(0, -1)} of ${options(node, scope)}]`;
  const inside = block(node.children, scope).map(({ text }) => text);
  return inside.length === 0 ? own : `${own}: ${inside.join(' / ')}`;
};

const isChoice = (node: SnapNode): boolean =>
  (node.role === 'combobox' || node.role === 'listbox') && node.children?.every(isPlainOption) === true;

const isPlainOption = (child: SnapChild): boolean =>
  child !== null && typeof child === 'object' && child.role === 'option' && child.ref === undefined;

/** The first options of a choice, or all of them when the choice itself was asked for. */
const options = ({ children = [], left = 0, ref, isWhole }: SnapNode, { frameId }: Scope): string => {
  const names = children.map((child) =>
    child !== null && typeof child === 'object' ? [inQuotes(child.name ?? ''), ...(child.states ?? [])].join(' ') : '',
  );
  if (isWhole === true && left > 0) return `${names.join(', ')} and ${left} more, which can be chosen by their words, too`;
  const more = isWhole === true ? 0 : names.length + left - SHOWN_OPTIONS;
  if (more <= 0) return names.join(', ');
  return `${names.slice(0, SHOWN_OPTIONS).join(', ')} and ${more} more: browser_snapshot ${ref === undefined ? '' : toRef(frameId, ref)}`;
};

/** `[e12 textbox "E-mail" required = "a@b.c"]` */
const label = (node: SnapNode, { frameId, inner, long }: Scope): string => {
  const isLong = node.role !== 'link' && long?.has(node.name ?? '') === true;
  // What has changed is told in full.
  const isUsual = (state: string): boolean => inner !== null && state === 'unchecked' && CHECKED_OR_NOT.has(node.role);
  const words = [
    node.ref === undefined ? '' : toRef(frameId, node.ref),
    SHORT_ROLES.get(node.role) ?? node.role,
    node.name === undefined ? '' : inQuotes(isLong ? `${node.name.slice(0, MAX_TWICE / 2)}…` : node.name),
    ...(node.states ?? []).filter((state) => !isUsual(state)).map(plain),
    // The number of an item stands before it.
    node.role === 'listitem' || node.value === undefined ? '' : node.value === NOT_SHOWN ? node.value : `= ${inQuotes(node.value)}`,
    node.url === undefined ? '' : `→ ${node.url}`,
  ].filter((word) => word !== '');
  return node.ref === undefined ? words.join(' ') : `[${words.join(' ')}]`;
};

/** Page text must not look like one of our elements. */
const plain = (text: string): string => text.replaceAll(/\[(?=(?:f\d+)?e\d+\b)/g, '(');

/** Page text in quotes of a kind that does not stand in it, so that it is told as it is. */
export const inQuotes = (text: string): string => {
  const told = plain(text);
  if (!told.includes('"')) return `"${told}"`;
  return told.includes("'") ? `"${told.replaceAll('"', '\\"')}"` : `'${told}'`;
};
