/** What a project's own files would start, redirect or allow, judged by their content alone. Pure: the caller reads the files. */
import { readGitConfig } from './git-config.ts';
import type { ProjectRules } from './project-rules.ts';
import { finding, inOne, type Pieces } from '#protocol/findings.ts';
import type { Said } from '#protocol/said.ts';
import { settingsIn } from './settings-lines.ts';

export interface ProjectFile {
  /** The path below the folder where it was found, with `/`. */
  readonly name: string;
  readonly content: string;
}

const MAX_LINE_CHARS = 1000;
const MAX_LINES = 60;
const MAX_TEXT_CHARS = 16_000;

/**
 * What the file does beyond giving words to an agent: one line each, plain text, without line breaks and secrets; none when it
 * does nothing. A file that cannot be understood counts as a whole, because its agent may understand it.
 */
export const scanFile = ({ name, content }: ProjectFile, rules: ProjectRules): Pieces[] => {
  const form = rules.formOf(name);
  const text = content.replace(/^\uFEFF/, '');
  switch (form?.type) {
    case undefined:
      return [];
    case 'json':
      return settingsIn(text, form.harmless) ?? [[finding('invalid_json')], ...linesIn(text)];
    case 'lines':
      return linesIn(text).filter((line) => form.harmless?.test(inOne(line).text) !== true);
    case 'env':
      return ownLines(text).flatMap((line) => toVariable(line, rules));
    case 'git':
      return readGitConfig(text).lines.map(withoutSecret);
    case 'front matter':
      return frontMatterIn(text);
    case 'unknown':
      return [[finding('may_obey')]];
    case 'code':
      return text.trim() === '' ? [] : [[finding('a_program', { chars: text.length })]];
  }
};

/** Findings as lines of a card, within a limit. They say when something was left out. */
export const describeFindings = (findings: readonly { readonly path: Pieces; readonly lines: readonly Pieces[] }[]): Said[] => {
  let room = MAX_TEXT_CHARS;
  return findings.flatMap(({ path, lines }) => {
    const shown: Said[] = [];
    for (const line of lines.slice(0, MAX_LINES).map((each) => inOne(cut(each)))) {
      if (line.text.length > room) break;
      room -= line.text.length;
      shown.push(finding('within', { line }));
    }
    const more = lines.length - shown.length;
    return [inOne(path), ...shown, ...(more > 0 ? [finding('more_in_file', { count: more })] : [])];
  });
};

/** A long line is cut in the middle, because the end of a command tells as much as its beginning. */
const cut = (line: Pieces): Pieces => {
  const chars = lengthOf(line);
  if (chars <= MAX_LINE_CHARS || (line.length === 1 && typeof line[0] !== 'string')) return line;
  const beginning = partOf(line, (text, room) => text.slice(0, room));
  const end = partOf(line.toReversed(), (text, room) => text.slice(-room)).toReversed();
  return [...beginning, finding('left_out', { chars: chars - lengthOf(beginning) - lengthOf(end) }), ...end];
};

/** The first pieces, as far as half a line has room for them. */
const partOf = (line: Pieces, shorten: (text: string, room: number) => string): Pieces => {
  let room = MAX_LINE_CHARS / 2;
  const part: Pieces[number][] = [];
  for (const piece of line) {
    const chars = lengthOf([piece]);
    if (chars <= room) part.push(piece);
    else if (typeof piece === 'string' && room > 0) part.push(shorten(piece, room));
    room -= chars;
    if (room <= 0) break;
  }
  return part;
};

const lengthOf = (line: Pieces): number =>
  line.reduce((chars, piece) => chars + (typeof piece === 'string' ? piece : piece.text).length, 0);

const linesIn = (text: string): Pieces[] => ownLines(text).map(withoutSecret);

/** The lines that are neither empty nor comments. */
const ownLines = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))
    .map((line) => line.trimEnd());

const withoutSecret = (line: string): Pieces => {
  const pieces: Pieces[number][] = [];
  let end = 0;
  for (const { index, 0: found, groups } of line.matchAll(SECRET)) {
    pieces.push(line.slice(end, index) + (groups?.['name'] ?? ''), finding('not_shown'));
    end = index + found.length;
  }
  return [...pieces, line.slice(end)].filter((piece) => piece !== '');
};

/** A value that is secret by its name is not shown and so in no log. It has no character that a shell would act on. */
const SECRET =
  /(?<name>(?:^|[{,])\s*(?:export\s+)?(?:"[\w.-]*(?:key|token|secret|password)"|[\w.-]*(?:key|token|secret|password))\s*[=:]\s*)(?:"[\w.+/=:-]+"|'[\w.+/=:-]+'|[\w.+/=:-]+)/gi;

const toVariable = (line: string, rules: ProjectRules): Pieces[] => {
  const [, name = '', value = ''] = /^\s*(?:export\s+)?([\w.-]+)\s*[=:](.*)$/.exec(line) ?? [];
  if (!rules.isActiveVariable(name)) return [];
  return [/(?:key|token|secret|password)$/i.test(name) ? [`${name}=`, finding('not_shown')] : withoutSecret(`${name}=${value.trim()}`)];
};

/**
 * What a text for agents does beyond giving words: what its front matter holds beside descriptions, and commands that run when
 * it is read.
 */
const frontMatterIn = (text: string): Pieces[] => {
  const whole = text.replaceAll(/\r\n?/g, '\n');
  const commands = whole.split('\n').filter((line) => EMBEDDED_COMMAND.test(line));
  const [, language = '', head = ''] = /^\s*---(?!-)([^\n]*)([\s\S]*?)(?:\n---|$)/.exec(whole) ?? [];
  // Some readers run front matter in another language than YAML as a program.
  const hasHead = language.trim() !== '' || DANGEROUS_HEAD.test(head) || !isDescription(head);
  return [...(hasHead ? linesIn(`${language.trim()}${head}`) : []), ...commands.map(withoutSecret)];
};

/** An agent runs such a command while it reads the text, before its model sees it. */
const EMBEDDED_COMMAND = /(?:^|[^\w`])!`[^`]+`|^\s*```!/;

/** Finds it also when it is nested, or written in a way that only some readers understand. */
const DANGEROUS_HEAD = /hooks|mcp_?servers|permission|allowed[-_]?tools|approval[-_]?mode|\\[ux]/i;

const HARMLESS_KEYS: ReadonlySet<string> = new Set(
  `name title description model color license version author authors tags category globs alwaysApply paths tools disallowedTools
   disallowed-tools argument-hint arguments mode temperature top_p steps maxSteps maxTurns max_turns timeout_mins effort when_to_use
   disable disable-model-invocation user-invocable hidden skills memory kind display_name metadata compatibility date`.split(/\s+/),
);

/** Whether each key at the edge of the head is known to be harmless; what is indented belongs to the key above it. */
const isDescription = (head: string): boolean => {
  const lines = head.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const isKnown = (line: string): boolean => HARMLESS_KEYS.has(/^([\w-]+)\s*:(?:\s|$)/.exec(line)?.[1] ?? '');
  return lines.every((line, index) => isKnown(line) || (index > 0 && /^[ \t-]/.test(line)));
};
