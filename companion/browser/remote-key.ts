/** The key pair by which a daemon is known to the browsers that are paired with it, and what is signed with such keys. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign, verify, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeNewFile } from '#companion/lib/new-file.ts';

/** The form of WebCrypto's signatures. */
const FORM = 'ieee-p1363';

export class RemoteKey {
  /** The public half, as SPKI in base64url. */
  readonly text: string;
  readonly #private: KeyObject;

  constructor(pem: string) {
    this.#private = createPrivateKey(pem);
    this.text = createPublicKey(this.#private).export({ type: 'spki', format: 'der' }).toString('base64url');
  }

  sign(text: string): string {
    return sign('sha256', Buffer.from(text), { key: this.#private, dsaEncoding: FORM }).toString('base64url');
  }
}

/** The key in `file`, readable for its owner alone. It is made when it is first needed. */
export const readRemoteKey = (file: string): RemoteKey => {
  try {
    return new RemoteKey(readFileSync(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  makeNewFile(file, String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  return new RemoteKey(readFileSync(file, 'utf8'));
};

/** Whether the holder of the key has signed the text; false for what is no such key. */
export const isSignedBy = (key: string, text: string, signature: string): boolean => {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64url'), type: 'spki', format: 'der' });
    if (publicKey.asymmetricKeyType !== 'ec' || publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
    return verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding: FORM }, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
};

/** The name of a key: 256 bits, so nobody finds a second key of that name. */
export const fingerprintOf = (key: string): string => digestOf(key);

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A value that was never used before. */
export const newNonce = (): string => randomBytes(32).toString('base64url');
