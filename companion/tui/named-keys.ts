/** Keys that a text names, as `<global n>` in a place: what is shown is the key that the person has chosen for it. */
import { showKey } from './key-names.ts';

/** The key that does now what this one does usually; null where none does. */
type KeyNow = (place: string, key: string) => string | null;

const asUsual: KeyNow = (_place, key) => key;
let keyNow = asUsual;

/** From now on texts name these; null for the usual ones. */
export const setKeyNow = (chosen: KeyNow | null): void => {
  keyNow = chosen ?? asUsual;
};

export const NAMED_KEY = /<([a-z]+) (\S+)>/gu;

/** The text with the keys as a person writes them. */
export const nameKeys = (text: string): string =>
  text.replaceAll(NAMED_KEY, (_named, place: string, key: string) => {
    const now = keyNow(place, key);
    return now === null ? '–' : showKey(now);
  });
