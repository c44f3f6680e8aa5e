/** Ids that nobody can guess. */
import { randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 32;

/** A fresh id of 160 random bits in lower-case base32; `prefix` says to a reader of logs what it names. */
export const randomId = (prefix?: string): string => {
  let id = '';
  for (const byte of randomBytes(LENGTH)) id += ALPHABET.charAt(byte % ALPHABET.length);
  return prefix === undefined ? id : `${prefix}_${id}`;
};
