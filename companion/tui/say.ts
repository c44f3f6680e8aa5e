/** The words of the terminal UI that it shares with the side panel, in English. */
import { inLanguage, words, type SayWord } from '#display/words.ts';

/** The language in which the terminal writes dates and times. */
export const LANGUAGE = 'en-GB';

export const say: SayWord = inLanguage(words, LANGUAGE);
