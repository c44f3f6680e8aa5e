/** The handshake of the private link: each end shows that it holds this user's key before the first frame. Builtins only. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export const LINK_HEADERS = { nonce: 'pilotfish-nonce', proof: 'pilotfish-proof' } as const;

const NONCE = /^[0-9a-f]{64}$/;

/** A fresh challenge. */
export const createNonce = (): string => randomBytes(32).toString('hex');

/** Whether a foreign value has the form of a challenge. */
export const isNonce = (value: unknown): value is string => typeof value === 'string' && NONCE.test(value);

/** The proof that only an end with the key can give. It contains the name of the end, so that a proof cannot be sent back as one's own. */
export const prove = (key: Buffer, end: 'host' | 'daemon', nonce: string): string =>
  createHmac('sha256', key).update(`${end}:${nonce}`).digest('hex');

/** Whether `proof` is what `end` has to say to `nonce`, compared in constant time. */
export const isProof = (key: Buffer, end: 'host' | 'daemon', nonce: string, proof: unknown): boolean => {
  if (typeof proof !== 'string') return false;
  const expected = Buffer.from(prove(key, end, nonce));
  const given = Buffer.from(proof);
  return given.length === expected.length && timingSafeEqual(given, expected);
};
