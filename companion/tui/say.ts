/** The words of the terminal UI that it shares with the side panel, in English. */
import { inLanguage, words, type SayWord } from '#display/words.ts';

/** What the terminal writes moments of time by. */
export const LANGUAGE = 'en-GB';

export const say: SayWord = inLanguage(words, LANGUAGE);
