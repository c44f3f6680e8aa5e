/** What the user is about to name in the prompt: `@` a file, `#` a tab or a part of the page, `/` a command of the agent, `$` a skill. Pure. */

export type MentionKind = 'file' | 'page' | 'command' | 'skill';

export interface Mention {
  readonly kind: MentionKind;
  /** What was typed after the sign. */
  readonly query: string;
  /** Where the sign stands, and where the caret is. */
  readonly start: number;
  readonly end: number;
}

const kinds: Readonly<Record<string, MentionKind>> = { '@': 'file', '#': 'page', '/': 'command', $: 'skill' };

/** The name that ends at the caret, or null when none is begun there. A command stands at the beginning of a prompt only. */
export const mentionAt = (text: string, caret: number): Mention | null => {
  const [, sign = '', query = ''] = /(?:^|\s)([@#/$])([^\s@#]*)$/u.exec(text.slice(0, caret)) ?? [];
  const kind = kinds[sign];
  if (kind === undefined) return null;
  const start = caret - query.length - 1;
  return kind === 'command' && start !== 0 ? null : { kind, query, start, end: caret };
};

/** The text with `word` in the place of what was typed, and where the caret then stands. */
export const withWord = (text: string, { start, end }: Mention, word: string): { readonly text: string; readonly caret: number } => {
  const rest = text.slice(end);
  const isSpaced = word === '' || /^\s/u.test(rest);
  const before = text.slice(0, start) + word + (isSpaced ? '' : ' ');
  return { text: before + rest, caret: before.length };
};

/** A skill as it stands in a prompt: an agent calls it by the command with which a prompt begins, and reads its name elsewhere. */
export const toSkillWord = (name: string, { start }: Pick<Mention, 'start'>): string => (start === 0 ? `/${name}` : `$${name}`);

/** A file as it stands in a prompt: agents that know the sign read it, and for the others it is a name. */
export const toFileWord = (path: string): string => (/\s/u.test(path) ? `@"${path}"` : `@${path}`);

/** Where a tab is: its host, and the rest of its address where another tab has the same title, so that one can choose between them. */
export const toTabPlace = ({ title, url }: Named, tabs: readonly Named[]): string => {
  const place = URL.parse(url);
  if (place === null) return '';
  const isOnly = tabs.filter((other) => other.title === title).length < 2;
  return isOnly ? place.host : `${place.host}${place.pathname}${place.search}${place.hash}`;
};

interface Named {
  readonly title: string;
  readonly url: string;
}
