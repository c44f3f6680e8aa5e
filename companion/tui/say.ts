/** The words of the terminal UI, in the language of its person: those that it shares with the side panel, and its own. */
import { inLanguage, words, type SayWord } from '#display/words.ts';
import { fill } from '#protocol/fill.ts';
import { chinese } from './chinese.ts';
import { nameKeys } from './named-keys.ts';

export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

/** A text of the terminal's own: its English, of which the Chinese is known. */
export type OwnText = keyof typeof chinese;

/** The language in which dates, times and numbers are written. */
const tags: Readonly<Record<Language, string>> = { en: 'en-GB', zh: 'zh-CN' };

const speaking: { language: Language; sayWord: SayWord } = { language: 'en', sayWord: inLanguage(words, 'en') };

/** A process has one terminal, and a terminal one language. */
export const setLanguage = (language: Language): void => {
  speaking.language = language;
  speaking.sayWord = inLanguage(words, language);
};

export const spokenLanguage = (): Language => speaking.language;

export const languageTag = (): string => tags[speaking.language];

/** One of the texts that panel and terminal share. */
export const say: SayWord = (key, values) => speaking.sayWord(key, values);

/** One of the terminal's own texts. */
export const t = (english: OwnText, values: Readonly<Record<string, string | number>> = {}): string =>
  fill(nameKeys(speaking.language === 'zh' ? chinese[english] : english), values);

/** The language that was chosen here; before that the one that the environment asks for, in the order in which programs read it. */
export const languageOf = (env: NodeJS.ProcessEnv, chosen?: Language): Language => {
  if (chosen !== undefined) return chosen;
  const tag = [env['LC_ALL'], env['LC_MESSAGES'], env['LANG']].find((value) => value !== undefined && value !== '') ?? '';
  return /^zh(?![a-z])/i.test(tag) ? 'zh' : 'en';
};
