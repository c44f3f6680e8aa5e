/** What the secret fields of this document hold, so that it is told nowhere else either. */
import { hiderOf } from '#extension/shared/hide-values.ts';
import { keepNewest } from '#extension/shared/keep-newest.ts';
import { knownTrees, queryAll, treesFound } from './composed.ts';
import { NotedValues } from './noted-values.ts';
import { onceInReading, whileReading } from './memo.ts';
import { plain } from './plain.ts';
import { isSecretValue } from './secret-field.ts';
import { FIELDS, heldIn, isSensitive } from './sensitive.ts';

/** A shorter value stands in too many other places by chance. */
const MIN_UNITS = 6;
const MAX_VALUES = 100;

/** The fewest words of a recovery phrase. */
const PHRASE_WORDS = 12;

/** A card number may be asked for by a field for each group of its digits: https://www.iso.org/standard/70484.html */
const GROUP = /^\d{2,6}$/;
const CARD = /^\d{13,19}$/;

/** What the reading found that has just been. */
let found: string[] | null = null;

/** What the fields held and may hold no more: a page that takes it out of them can show it elsewhere. It is in the memory of our script alone. */
const past = new NotedValues(MAX_VALUES);

/** What other documents of this origin hold, as far as these were asked. */
let besides: readonly string[] = [];

export const beginBeside = (values: readonly string[]): void => {
  besides = values;
};

/** Filled fields beyond this number are not looked at with every click of the person. */
const MAX_NOTED_FIELDS = 200;

/** Texts that an agent has typed into secret fields of this document. It knows them, and they may be ordinary words, which the page uses elsewhere. */
const given = new Set<string>();

export const noteGiven = (text: string): void => {
  given.add(text);
  keepNewest(given, MAX_VALUES);
};

/** Searches the whole document, in a reading that goes through all of it anyway. */
export const findSecrets = (): void => {
  found = secretsIn(queryAll(FIELDS));
};

/** More was found in the page since the reading. */
export const forgetFound = (): void => {
  found = null;
};

/** What they hold now, to be told beside an answer; nothing beside one in which it cannot stand. Without `looks`, in the trees that are known. */
export const secretsBeside = (answer: unknown, looks: boolean): string[] => {
  const read = found;
  found = null;
  if (!looks && !tells(answer)) return [];
  if (read === null && looks) whileReading(findSecrets);
  const secrets = read ?? found ?? whileReading(() => secretsIn(fieldsKnown(knownTrees())));
  found = null;
  return withPast(secrets);
};

/** Before the page is told of something that may empty the fields. */
export const noteHeld = (): void => note(fieldsKnown());

/** All that is known, before this document goes. */
export const secretsAtEnd = (): string[] => {
  noteHeld();
  return withPast([]);
};

const note = (fields: readonly Element[]): void => {
  const filled = fields.filter((field) => valuesOf(field).length > 0).slice(0, MAX_NOTED_FIELDS);
  past.add(whileReading(() => secretsIn(filled)));
};

const withPast = (secrets: readonly string[]): string[] =>
  [...new Set([...secrets, ...past.values.filter((value) => !given.has(value))])].slice(0, MAX_VALUES);

/** As a person types; what stands in several fields is one value. */
const noteTyping = (field: Element): void => {
  const values = valuesOf(field);
  if (values.length === 0 || !isSensitive(field)) return;
  const isPart = values.every((value) => value.length < MIN_UNITS);
  past.grow(whileReading(() => secretsIn(isPart ? fieldsKnown() : [field])));
};

const LISTENING = { capture: true, passive: true } as const;

const hearTyping = (event: Event): void => {
  const [field] = event.composedPath();
  if (field instanceof Element) noteTyping(field);
};

const hearChange = (event: Event): void => {
  const [changed] = event.composedPath();
  if (changed instanceof HTMLFormElement) note([...plain(changed).querySelectorAll(FIELDS)]);
  else if (changed instanceof Element) note([changed]);
};

/** Of what a person does in a closed shadow tree no more is told outside of it than that it was done there. */
export const hearHeld = (tree: EventTarget): void => {
  tree.addEventListener('input', hearTyping, LISTENING);
  for (const type of ['change', 'submit', 'reset', 'focusout']) tree.addEventListener(type, hearChange, LISTENING);
};

hearHeld(window);
// A page that presses for itself could keep us busy without end.
addEventListener('click', ({ isTrusted }) => void (isTrusted && noteHeld()), LISTENING);

/** A text of the page as it may be searched: from what is found in one that tells what a field holds, that could be spelled out guess by guess. */
export const withoutHeld = (text: string): string => hiderHere(document.documentElement)(text);

const hiderHere = onceInReading((_page: Element) => hiderOf(allHeld()));

/** The same for many texts; null when nothing is held. */
export const hiderOfHeld = (): ((text: string) => string) | null => {
  const held = allHeld();
  return held.length === 0 ? null : hiderOf(held);
};

const allHeld = (): string[] => [...withPast(secretsIn(queryAll(FIELDS))), ...besides.filter((value) => !given.has(value))];

const fieldsKnown = (trees = treesFound()): Element[] => trees.flatMap((tree) => [...tree.querySelectorAll(FIELDS)]);

const secretsIn = (fields: readonly Element[]): string[] => {
  // Whether a field is secret is dear to find out: its names are read for that. Of a password it is remembered, filled or not.
  const parts = fields
    .map((field) => ({ field, values: valuesOf(field) }))
    .filter(({ field, values }) => (values.length > 0 || field.matches('[type=password i]')) && isSensitive(field))
    .map(({ values }) => values);
  const firsts = parts.flatMap(([first]) => (first === undefined ? [] : [first]));
  // What stands in several fields is told in one piece.
  const code = firsts.filter((value) => value.length === 1).join('');
  const words = firsts.filter((value) => /^\p{L}+$/u.test(value) && value.length > 1);
  const card = firsts.filter((value) => GROUP.test(value)).join('');
  const joined = [code, ...(words.length < PHRASE_WORDS ? [] : [words.join(' ')]), ...(CARD.test(card) ? [card] : [])];
  return [...new Set([...parts.flat(), ...joined])].filter((value) => value.length >= MIN_UNITS && !given.has(value)).slice(0, MAX_VALUES);
};

const valuesOf = (element: Element): string[] => {
  // What can be chosen from a list is usually no secret, and stands in other places.
  if (element instanceof HTMLSelectElement) return heldIn(element).filter(isSecretValue);
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  return isField ? [element.value, element.defaultValue].filter((value) => value !== '') : heldIn(element);
};

/** Whether there is a text in the value in which a secret could stand. */
export const tells = (value: unknown): boolean => {
  if (typeof value === 'string') return value.length >= MIN_UNITS;
  return typeof value === 'object' && value !== null && Object.values(value).some(tells);
};
