/**
 * Mermaid as `beautiful-mermaid` reads it without loss. That library passes over every line that it does not know, and a picture in which
 * an arrow is missing says something else than its source: such a source is not drawn at all.
 */

/** A source as it can be drawn; null when some of it would be missing, or when drawing it would take long. */
export const toDrawable = (source: string): string | null => {
  if (source.length > MAX_UNITS) return null;
  const [header = '', ...lines] = withoutFrontMatter(source)
    .split('\n')
    .map((line) => line.trim().replace(/\s*;$/, ''))
    .filter((line) => line !== '' && !line.startsWith('%%'));
  if (lines.length === 0 || lines.length > MAX_LINES) return null;
  const flow = /^(?:graph|flowchart)(?:\s+(TD|TB|LR|BT|RL))?$/.exec(header);
  const drawable = flow === null ? inOtherKind(header, lines) : toFlow(flow[1] ?? 'TD', lines);
  return drawable === null ? null : widened(drawable);
};

/** Drawing a longer source could keep the panel from answering. */
const MAX_UNITS = 8_000;
const MAX_LINES = 150;
const MAX_ARROWS = 150;
const MAX_GROUPS = 8;

const withoutFrontMatter = (source: string): string => source.replace(/^\s*---\n[^]*?\n\s*---\n/, '');

/** Signs by which the library finds its way; within a label each has a stand-in until the picture is drawn. */
const SIGNS = '()[]{}<>|/\\-=.&:;"%#~+*@';
const STAND_IN = 0xe0_00;

const shielded = (label: string): string =>
  label
    .replaceAll(/<br\s*\/?>|\\n/gi, ' ')
    .replaceAll(/[#&](quot|lt|gt|amp);/g, (_, name: string) => ({ quot: '"', lt: '<', gt: '>' })[name] ?? '&')
    // XML has no control characters.
    .replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
    .replaceAll(/./gu, (sign) => (SIGNS.includes(sign) ? String.fromCodePoint(STAND_IN + SIGNS.indexOf(sign)) : sign));

/** The library counts signs to know how wide a label is: after a wide one stands one that is not seen. */
const widened = (text: string): string =>
  text.replaceAll(/[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g, '$&\u2060');

/** A drawn picture with the signs for which others stood in, as XML. */
export const withSigns = (svg: string): string =>
  svg.replaceAll(/[\u2060\ue000-\ue01f]/g, (standIn) => {
    const sign = SIGNS[(standIn.codePointAt(0) ?? 0) - STAND_IN] ?? '';
    return { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }[sign] ?? sign;
  });

/** How a box is opened and closed in Mermaid, and with what the library draws it. */
const SHAPES = [
  ['(((', ')))'],
  ['([', '])'],
  ['((', '))'],
  ['[[', ']]'],
  ['[(', ')]'],
  ['[/', '\\]'],
  ['[\\', '/]'],
  ['[/', '/]', '[', ']'],
  ['[\\', '\\]', '[', ']'],
  ['{{', '}}'],
  ['[', ']'],
  ['(', ')'],
  ['{', '}'],
  ['>', ']'],
] as const;

const escaped = (text: string): string => text.replaceAll(/[()[\]{}/\\|]/g, String.raw`\$&`);
const LABEL = SHAPES.map(([open, close]) => `${escaped(open)}\\s*(?:"([^"]*)"|([^"\\n]*?))\\s*${escaped(close)}`).join('|');
/** A box: its id, perhaps a label in its shape, perhaps a class. */
const BOX = new RegExp(`\\s*([\\p{L}\\p{N}_]+(?:-[\\p{L}\\p{N}_]+)*)\\s*(?:${LABEL})?(?::::[\\w-]+)?\\s*`, 'uy');
/** An arrow with its label after it, or within it. */
const ARROW = /(<?)(?:(--+>|---+|==+>|===+|-\.+->?)|(--|==|-\.)(?![ox]\s)\s*([^|]+?)\s*(--+>?|==+>?|\.+->?))(?:\s*\|([^|]*)\|)?/uy;
/** What gives colours, or leads somewhere: pictures have the colours of the panel and lead nowhere. */
const LOOKS = /^(?:style|classDef|class|linkStyle|click|accTitle|accDescr)\b/;
const GROUP = /^subgraph\s+(?:([\p{L}\p{N}_-]+)\s*\[\s*(?:"([^"]*)"|([^\]"]*))\s*\]|"([^"]*)"|([\p{L}\p{N}_][^[\]"]*))$/u;

interface Box {
  readonly name: string;
  /** The box with its shape and label, as it is written where it first stands. */
  drawn: string;
}

/** Rewrites a flow chart: with spaces around its arrows, each box named by number and with its label where it first stands. */
class Flow {
  readonly #boxes = new Map<string, Box>();
  readonly #groups: string[] = [];
  #depth = 0;
  #arrows = 0;

  /** The lines as the library reads them; null when one of them says what it cannot draw. */
  rewrite(lines: readonly string[]): readonly string[] | null {
    const read = lines.filter((line) => !LOOKS.test(line)).map((line) => this.#line(line));
    if (this.#depth !== 0 || this.#groups.length > MAX_GROUPS || this.#arrows > MAX_ARROWS || this.#boxes.size === 0) return null;
    // The library has no arrows that lead to a group.
    if (this.#groups.some((group) => this.#boxes.has(group))) return null;
    const shown = new Set<Box>();
    const written = read.flatMap((parts) => (parts === null ? [] : [parts.map((part) => write(part, shown)).join(' ')]));
    return written.length === read.length ? written : null;
  }

  #line(line: string): readonly (string | Box)[] | null {
    if (/^direction\s+(?:TD|TB|LR|BT|RL)$/.test(line)) return [line];
    if (line === 'end') {
      this.#depth -= 1;
      return this.#depth < 0 ? null : [line];
    }
    const group = GROUP.exec(line);
    if (group === null) return this.#statement(line);
    const [, id, quoted, plain, quotedAlone, alone] = group;
    const title = quoted ?? plain ?? quotedAlone ?? alone ?? '';
    this.#depth += 1;
    this.#groups.push(id ?? title);
    return [`subgraph g${this.#groups.length} [${shielded(title) || ' '}]`];
  }

  /** Boxes, and arrows between them. */
  #statement(line: string): readonly (string | Box)[] | null {
    const parts: (string | Box)[] = [];
    let at = 0;
    let sources = 0;
    for (;;) {
      const boxes = readBoxes(line, at);
      if (boxes === null) return null;
      parts.push(...boxes.found.flatMap((found, index) => (index === 0 ? [this.#box(found)] : ['&', this.#box(found)])));
      this.#arrows += sources * boxes.found.length;
      sources = boxes.found.length;
      if (boxes.end === line.length) return parts;
      ARROW.lastIndex = boxes.end;
      const arrow = ARROW.exec(line);
      if (arrow === null) return null;
      parts.push(toArrow(arrow));
      at = ARROW.lastIndex;
    }
  }

  #box([, id = '', ...labels]: BoxMatch): Box {
    const box = this.#boxes.get(id) ?? { name: `n${this.#boxes.size}`, drawn: `n${this.#boxes.size}[${shielded(id)}]` };
    this.#boxes.set(id, box);
    const index = labels.findIndex((label) => label !== undefined);
    const shape = SHAPES[Math.floor(index / 2)];
    if (shape === undefined) return box;
    const [open, close, drawnOpen = open, drawnClose = close] = shape;
    box.drawn = `${box.name}${drawnOpen}${shielded(labels[index] ?? '') || ' '}${drawnClose}`;
    return box;
  }
}

type BoxMatch = readonly (string | undefined)[];

/** One box, or several with `&` between them. */
const readBoxes = (line: string, begin: number): { readonly found: readonly BoxMatch[]; readonly end: number } | null => {
  const found: BoxMatch[] = [];
  for (let at = begin; ; at += 1) {
    BOX.lastIndex = at;
    const box = BOX.exec(line);
    if (box === null) return null;
    found.push(box);
    at = BOX.lastIndex;
    if (line[at] !== '&') return { found, end: at };
  }
};

const write = (part: string | Box, shown: Set<Box>): string => {
  if (typeof part === 'string') return part;
  if (shown.has(part)) return part.name;
  shown.add(part);
  return part.drawn;
};

/** One of the arrows that the library knows, with its label after it. */
const toArrow = ([, head = '', whole, begin, within, end, after]: readonly (string | undefined)[]): string => {
  const line = whole ?? begin ?? '';
  const hasHead = (whole ?? end ?? '').endsWith('>');
  const label = shielded((within ?? after ?? '').replaceAll(/^\s*"|"\s*$/g, ''));
  return `${head}${toLine(line, hasHead)}${label === '' ? '' : `|${label}|`}`;
};

const toLine = (line: string, hasHead: boolean): string => {
  if (line.startsWith('=')) return hasHead ? '==>' : '===';
  if (line.startsWith('-.')) return hasHead ? '-.->' : '-.-';
  return hasHead ? '-->' : '---';
};

const toFlow = (direction: string, lines: readonly string[]): string | null => {
  const written = new Flow().rewrite(lines);
  return written === null ? null : [`flowchart ${direction}`, ...written].join('\n');
};

/** A kind of diagram of which the library draws lines of certain forms. */
interface Kind {
  readonly header: RegExp;
  readonly line: RegExp;
  readonly opens: RegExp;
  readonly closes: RegExp;
  /** What stands in a block, where that is something else than outside. */
  readonly inside?: RegExp;
  /** What is not drawn, and says nothing of the matter. */
  readonly passedOver?: RegExp;
}

const NAME = String.raw`[\w.$-]+`;

const KINDS: readonly Kind[] = [
  {
    header: /^stateDiagram(?:-v2)?$/,
    line: /^(?:direction\s+(?:TD|TB|LR|BT|RL)|state\s+"[^"]+"\s+as\s+\w+|(?:\[\*\]|\w+)\s*-->\s*(?:\[\*\]|\w+)(?:\s*:\s*.+)?|\w+\s*:\s*.+)$/,
    opens: /^state\s+(?:"[^"]+"\s+as\s+)?\w+\s*\{$/,
    closes: /^\}$/,
  },
  {
    header: /^sequenceDiagram$/,
    line: /^(?:(?:participant|actor)\s+\S+(?:\s+as\s+.+)?|Note\s+(?:left of|right of|over)\s+[^:]+:\s*.+|(?:else|and)\b.*|[^\s:>-]+\s*--?(?:>>?|[)x])\s*[+-]?[^\s:>-]+\s*:\s*.+)$/i,
    opens: /^(?:loop|alt|opt|par|critical|break)\b/,
    closes: /^end$/,
    passedOver: /^(?:autonumber|(?:activate|deactivate|accTitle|accDescr)\b.*)$/,
  },
  {
    header: /^classDiagram$/,
    line: new RegExp(
      `^(?:class\\s+${NAME}(?:\\s*~\\w+~)?|${NAME}\\s*:\\s*(?!.*(?:--|\\.\\.)).+|` +
        `${NAME}\\s+(?:"[^"]*"\\s+)?(?:<\\|--|<\\|\\.\\.|\\*--|o--|-->|--\\*|--o|--|\\.\\.>|\\.\\.\\|>)\\s+(?:"[^"]*"\\s+)?${NAME}(?:\\s*:\\s*.+)?)$`,
    ),
    opens: new RegExp(`^class\\s+${NAME}(?:\\s*~\\w+~)?\\s*\\{$`),
    closes: /^\}$/,
    inside: /^(?:<<\w+>>|[^{}]+)$/,
    passedOver: /^(?:direction|style|classDef|cssClass|click|link|callback)\s/,
  },
  {
    header: /^erDiagram$/,
    line: new RegExp(`^${NAME}\\s+(?:\\|\\||\\|o|\\}\\||\\}o)(?:--|\\.\\.)(?:\\|\\||o\\||\\|\\{|o\\{)\\s+${NAME}\\s*:\\s*.+$`),
    opens: new RegExp(`^${NAME}\\s*\\{$`),
    closes: /^\}$/,
    inside: /^\S+\s+\S+(?:\s+(?:[PFU]K,?\s*)*(?:"[^"]*")?)?$/,
  },
];

const inOtherKind = (header: string, lines: readonly string[]): string | null => {
  const kind = KINDS.find((one) => one.header.test(header));
  if (kind === undefined) return null;
  const rest = lines.filter((line) => !kind.passedOver?.test(line));
  return isKnown(kind, rest) && namesComeFirst(kind, rest) ? [header, ...rest].join('\n') : null;
};

/** Whether each line is one that the library draws, and each block is closed. */
const isKnown = ({ line: outside, inside = outside, opens, closes }: Kind, lines: readonly string[]): boolean => {
  let depth = 0;
  let blocks = 0;
  for (const line of lines) {
    if (depth > 0 && closes.test(line)) depth -= 1;
    else if ((depth === 0 || inside === outside) && opens.test(line)) {
      depth += 1;
      blocks += 1;
    } else if (!(depth > 0 ? inside : outside).test(line)) return false;
  }
  // Only blocks within which others stand are laid out as groups.
  return depth === 0 && (inside !== outside || blocks <= MAX_GROUPS);
};

/** In the library a state has the name with which it first stands. */
const namesComeFirst = ({ header }: Kind, lines: readonly string[]): boolean => {
  if (!header.test('stateDiagram')) return true;
  const seen = new Set<string>();
  for (const line of lines) {
    const [, alias, described] = /^state\s+"[^"]+"\s+as\s+(\w+)$|^(\w+)\s*:/.exec(line) ?? [];
    const name = alias ?? described;
    if (name !== undefined && seen.has(name)) return false;
    for (const [word] of line.replace(/:.*$/, '').matchAll(/\w+/g)) seen.add(word);
  }
  return true;
};
