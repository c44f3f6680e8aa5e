/**
 * What Pilotfish says to a person, as it travels: which sentence, what stands in it, and its English. A front end says it in its own
 * language, and in English where it does not know the sentence. Free of zod, because the native messaging host says things too.
 */
import { fill, type Given } from './fill.ts';

export interface Said {
  /** Names the sentence in one of the tables of this room. */
  readonly code: string;
  readonly values: Readonly<Record<string, SaidValue>>;
  /** The whole of it in English. */
  readonly text: string;
}

/** A name, a path or foreign words stay as they are; sentences in a sentence are said too. */
export type SaidValue = string | number | Said | readonly Said[];

/** The English of each sentence by its code. */
export type Sentences = Readonly<Record<string, string>>;

/** Says a sentence of one table; what stands in it is named by its places. */
type Say<Table extends Sentences> = <Code extends keyof Table & string>(code: Code, ...given: Given<Table[Code], SaidValue>) => Said;

export const sayingOf = <const Table extends Sentences>(table: Table): Say<Table> => {
  const say = (code: string, values: Readonly<Record<string, SaidValue>> = {}): Said => inSentence(code, table[code] ?? '', values);
  return say;
};

/** A sentence of a table, with its values filled in. */
export const inSentence = (code: string, sentence: string, values: Readonly<Record<string, SaidValue>>): Said => ({
  code,
  values,
  text: fill(sentence, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inEnglish(value)]))),
});

/** What another process says, in the words that this one knows, with `clean` values; a sentence that it does not know is a text like any other. */
export const saidAgain = ({ code, values, text }: Said, sentences: ReadonlyMap<string, string>, clean: (text: string) => string): Said => {
  const sentence = sentences.get(code);
  if (sentence === undefined) return asItCame(clean(text));
  const cleaned = (value: SaidValue): SaidValue => {
    if (typeof value === 'string') return clean(value);
    if (typeof value === 'number') return value;
    return 'code' in value ? saidAgain(value, sentences, clean) : value.map((each) => saidAgain(each, sentences, clean));
  };
  return inSentence(code, sentence, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cleaned(value)])));
};

/** What is said, with each text in it changed. */
export const changeSaid = ({ code, values, text }: Said, change: (text: string) => string): Said => {
  const changed = (value: SaidValue): SaidValue => {
    if (typeof value === 'string') return change(value);
    if (typeof value === 'number') return value;
    return 'code' in value ? changeSaid(value, change) : value.map((each) => changeSaid(each, change));
  };
  return { code, values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, changed(value)])), text: change(text) };
};

/** Words that are not Pilotfish's, or came without a code: they are shown as they are. */
export const asItCame = (text: string): Said => ({ code: 'as_it_came', values: {}, text });

/** Lines of a card as they travel: the English text, and beside it what each of its lines says. */
export const asLines = (told: readonly Said[]): { detail: string; told: Said[] } => ({
  detail: told.map(({ text }) => onOneLine(text)).join('\n'),
  told: [...told],
});

/** A text that stays within its line, whatever a file or a page has put into it. */
export const onOneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, ' ');

/** Whether a value that another process of this version has written is said. */
export const isSaid = (value: unknown): value is Said =>
  typeof value === 'object' && value !== null && 'code' in value && 'text' in value && typeof value.text === 'string' && 'values' in value;

const inEnglish = (value: SaidValue): string | number => {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return 'code' in value ? value.text : value.map(({ text }) => text).join('; ');
};
