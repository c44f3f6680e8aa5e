/** What a project's own files would start, redirect or allow, judged by their content alone. Pure: the caller reads the files. */
import { readGitConfig } from './git-config.ts';
import type { ProjectRules } from './project-rules.ts';
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
export const scanFile = ({ name, content }: ProjectFile, rules: ProjectRules): string[] => {
  const form = rules.formOf(name);
  const text = content.replace(/^\uFEFF/, '');
  switch (form?.type) {
    case undefined:
      return [];
    case 'json':
      return settingsIn(text, form.harmless) ?? ['it is not valid JSON, but an agent may read it all the same:', ...linesIn(text)];
    case 'lines':
      return linesIn(text).filter((line) => form.harmless?.test(line) !== true);
    case 'env':
      return linesIn(text).flatMap((line) => toVariable(line, rules));
    case 'git':
      return readGitConfig(text).lines.map(withoutSecret);
    case 'front matter':
      return frontMatterIn(text);
    case 'unknown':
      return ['a file that an agent may obey or start'];
    case 'code':
      return text.trim() === '' ? [] : [`a program of ${text.length} characters, which runs when the agent starts`];
  }
};

/** Findings as the text of a card, within a limit. The text says when something was left out. */
export const describeFindings = (findings: readonly { readonly path: string; readonly lines: readonly string[] }[]): string => {
  let room = MAX_TEXT_CHARS;
  const described: string[] = [];
  for (const { path, lines } of findings) {
    const shown: string[] = [];
    for (const line of lines.slice(0, MAX_LINES).map(cut)) {
      if (line.length > room) break;
      room -= line.length;
      shown.push(`  ${line}`);
    }
    described.push(path, ...shown, ...(shown.length < lines.length ? [`  … and ${lines.length - shown.length} more: see the file`] : []));
  }
  return described.join('\n');
};

/** A long line is cut in the middle, because the end of a command tells as much as its beginning. */
const cut = (line: string): string =>
  line.length <= MAX_LINE_CHARS
    ? line
    : `${line.slice(0, MAX_LINE_CHARS / 2)} … ${line.length - MAX_LINE_CHARS} characters … ${line.slice(-MAX_LINE_CHARS / 2)}`;

const linesIn = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))
    .map((line) => withoutSecret(line.trimEnd()));

const withoutSecret = (line: string): string => line.replaceAll(SECRET, '$<name>(not shown)');

/** A value that is secret by its name is not shown and so in no log. It has no character that a shell would act on. */
const SECRET =
  /(?<name>(?:^|[{,])\s*(?:export\s+)?(?:"[\w.-]*(?:key|token|secret|password)"|[\w.-]*(?:key|token|secret|password))\s*[=:]\s*)(?:"[\w.+/=:-]+"|'[\w.+/=:-]+'|[\w.+/=:-]+)/gi;

const toVariable = (line: string, rules: ProjectRules): string[] => {
  const [, name = '', value = ''] = /^\s*(?:export\s+)?([\w.-]+)\s*[=:](.*)$/.exec(line) ?? [];
  if (!rules.isActiveVariable(name)) return [];
  return [`${name}=${/(?:key|token|secret|password)$/i.test(name) ? '(not shown)' : value.trim()}`];
};

/**
 * What a text for agents does beyond giving words: what its front matter holds beside descriptions, and commands that run when
 * it is read.
 */
const frontMatterIn = (text: string): string[] => {
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
