/** What the person writes beside something that is attached. Pure. */
import { base64ToBytes } from '#extension/shared/base64.ts';
import type { Attached } from './outbox.ts';

/** What a note can be written to: the person means a place in it. */
export const takesNote = ({ kind }: Attached): boolean => kind === 'element' || kind === 'screenshot';

/**
 * The prompt as it is sent: the notes stand in the person's own words, under the names of what they are about, because an attachment is
 * data of a page.
 */
export const withNotes = (
  text: string,
  attachments: readonly Attached[],
  heading: string,
): { readonly text: string; readonly attachments: Attached[] } => {
  const notes = attachments.flatMap(({ name, note = '' }) =>
    note.trim() === '' ? [] : [`- ${name}: ${note.trim().replaceAll(/\s+/g, ' ')}`],
  );
  return {
    text: notes.length === 0 ? text : [...(text.trim() === '' ? [] : [text.trimEnd(), '']), heading, ...notes].join('\n'),
    attachments: attachments.map(({ note: _note, ...file }) => file),
  };
};

/** The name, with a number when something else is attached under it. */
export const ownName = (before: readonly Pick<Attached, 'name'>[], name: string): string => {
  const taken = new Set(before.map((file) => file.name));
  let own = name;
  for (let number = 2; taken.has(own); number += 1) own = `${name} (${number})`;
  return own;
};

/** Enough for the lines before the markup. */
const BEGINNING_UNITS = 8_000;

/** What an attached element says, or what it is when it says nothing; the title of a page, or its address; empty for all else. */
export const partOf = ({ kind, mimeType, dataBase64 }: Attached): string => {
  if ((kind !== 'element' && kind !== 'page') || mimeType !== 'text/plain') return '';
  const bytes = base64ToBytes(dataBase64.slice(0, BEGINNING_UNITS));
  const lines = new TextDecoder().decode(bytes).split('\n');
  const valueOf = (field: string): string => lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2) ?? '';
  if (kind === 'page') return valueOf('title') || valueOf('page');
  return valueOf('name') || valueOf('text') || valueOf('role');
};
