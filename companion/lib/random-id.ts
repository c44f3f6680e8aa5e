/** Ids that nobody can guess. */
import { randomFillSync } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 32;

/** The system is asked for the bytes of many ids at once: each question takes longer than an id. */
const pool = new Uint8Array(LENGTH * 64);
let used = pool.length;

/** A fresh id of 160 random bits in lower-case base32; `prefix` says to a reader of logs what it names. */
export const randomId = (prefix?: string): string => {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, (used += LENGTH));
  let id = '';
  for (const byte of bytes) id += ALPHABET.charAt(byte % ALPHABET.length);
  // What an id is made of is kept no longer than the id needs it.
  bytes.fill(0);
  return prefix === undefined ? id : `${prefix}_${id}`;
};
