/** Editing a text by whole clusters, so that the cursor never stands inside a character. */
import { plainText } from '#display/plain-text.ts';

export interface Draft {
  readonly text: string;
  /** Position in UTF-16 units. */
  readonly cursor: number;
}

export const emptyDraft: Draft = { text: '', cursor: 0 };

/** A draft with the cursor at its end. */
export const draftOf = (text: string): Draft => ({ text, cursor: text.length });

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Inserts text at the cursor. It may be a paste, so control characters are removed here. */
export const insert = ({ text, cursor }: Draft, addition: string): Draft => {
  const plain = plainText(addition);
  return { text: text.slice(0, cursor) + plain + text.slice(cursor), cursor: cursor + plain.length };
};

/** What the keys of an editor do to a draft; null for any other key. */
export const edit = (draft: Draft, key: string): Draft | null => {
  const action = editingKeys[key];
  if (action !== undefined) return action(draft);
  if (key === 'space') return insert(draft, ' ');
  return isText(key) ? insert(draft, key) : null;
};

/** Whether a key is a character to type and not the name of a key. */
export const isText = (key: string): boolean => [...segmenter.segment(key)].length === 1 && !/^\p{Cc}/u.test(key);

const editingKeys: Readonly<Record<string, (draft: Draft) => Draft>> = {
  backspace: (draft) => cut(draft, before(draft), draft.cursor),
  delete: (draft) => cut(draft, draft.cursor, after(draft)),
  left: (draft) => ({ ...draft, cursor: before(draft) }),
  right: (draft) => ({ ...draft, cursor: after(draft) }),
  'C-left': (draft) => ({ ...draft, cursor: wordStart(draft) }),
  'M-b': (draft) => ({ ...draft, cursor: wordStart(draft) }),
  'C-right': (draft) => ({ ...draft, cursor: wordEnd(draft) }),
  'M-f': (draft) => ({ ...draft, cursor: wordEnd(draft) }),
  home: (draft) => ({ ...draft, cursor: lineStart(draft) }),
  'C-a': (draft) => ({ ...draft, cursor: lineStart(draft) }),
  end: (draft) => ({ ...draft, cursor: lineEnd(draft) }),
  'C-e': (draft) => ({ ...draft, cursor: lineEnd(draft) }),
  // Pressed again, it goes on through the lines above, so that it can empty all of them.
  'C-u': (draft) => cut(draft, lineStart(draft) === draft.cursor ? before(draft) : lineStart(draft), draft.cursor),
  'C-k': (draft) => cut(draft, draft.cursor, lineEnd(draft)),
  'C-w': (draft) => cut(draft, wordStart(draft), draft.cursor),
  'M-backspace': (draft) => cut(draft, wordStart(draft), draft.cursor),
};

/** Moves a line up or down, keeping the column; null at the first or last line. */
export const moveLine = (draft: Draft, step: -1 | 1): Draft | null => {
  const start = lineStart(draft);
  const end = lineEnd(draft);
  const column = draft.cursor - start;
  if (step === -1) {
    if (start === 0) return null;
    const previous = lineStart({ ...draft, cursor: start - 1 });
    return { ...draft, cursor: Math.min(previous + column, start - 1) };
  }
  if (end === draft.text.length) return null;
  return { ...draft, cursor: Math.min(end + 1 + column, lineEnd({ ...draft, cursor: end + 1 })) };
};

const cut = ({ text }: Draft, from: number, to: number): Draft => ({ text: text.slice(0, from) + text.slice(to), cursor: from });

const before = ({ text, cursor }: Draft): number => {
  const start = text.lastIndexOf('\n', cursor - 2) + 1;
  const last = [...segmenter.segment(text.slice(start, cursor))].at(-1);
  return last === undefined ? Math.max(0, cursor - 1) : start + last.index;
};

const after = ({ text, cursor }: Draft): number => {
  const next = segmenter
    .segment(text.slice(cursor, cursor + 64))
    [Symbol.iterator]()
    .next();
  return next.done === true ? cursor : cursor + next.value.segment.length;
};

const wordStart = ({ text, cursor }: Draft): number => Math.max(0, text.slice(0, cursor).search(/\S+\s*$/u));

const wordEnd = ({ text, cursor }: Draft): number => {
  const match = /^\s*\S+/u.exec(text.slice(cursor));
  return match === null ? text.length : cursor + match[0].length;
};

const lineStart = ({ text, cursor }: Draft): number => (cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1);

const lineEnd = ({ text, cursor }: Draft): number => {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
};
