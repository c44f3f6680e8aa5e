/** The key pair by which this browser is known to a daemon elsewhere. The private half cannot be read, not even by the extension. */

import { base64ToBytes, bytesToBase64 } from './base64.ts';
import { sha256Of } from './sha256.ts';

const DATABASE = 'pilotfish-keys';
const STORE = 'keys';
const NAME = 'browser';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;

export interface BrowserKey {
  /** The public half, as SPKI in base64url. */
  readonly text: string;
  sign(text: string): Promise<string>;
}

/** The key of this profile; the first who asks makes it. */
export const loadBrowserKey = async (): Promise<BrowserKey> => {
  const database = await open();
  try {
    const known = await read(database);
    if (known !== undefined) return toBrowserKey(known);
    const made = await makeKeyPair();
    await write(database, made);
    return toBrowserKey(made);
  } finally {
    database.close();
  }
};

/** A key pair whose private half stays where it is. */
export const makeKeyPair = (): Promise<CryptoKeyPair> => crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify']);

export const toBrowserKey = async ({ publicKey, privateKey }: CryptoKeyPair): Promise<BrowserKey> => ({
  text: toBase64Url(await crypto.subtle.exportKey('spki', publicKey)),
  sign: async (text) => toBase64Url(await crypto.subtle.sign(SIGNING, privateKey, new TextEncoder().encode(text))),
});

/** Whether the holder of the public key has signed the text; false for what is no such key. */
export const isSignedBy = async (key: string, text: string, signature: string): Promise<boolean> => {
  try {
    const publicKey = await crypto.subtle.importKey('spki', fromBase64Url(key), ALGORITHM, false, ['verify']);
    return await crypto.subtle.verify(SIGNING, publicKey, fromBase64Url(signature), new TextEncoder().encode(text));
  } catch {
    return false;
  }
};

/** SHA-256 in hex. */
export const digestOf = (text: string): Promise<string> => sha256Of(new TextEncoder().encode(text));

/** A value that was never used before. */
export const newNonce = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)).buffer);

const toBase64Url = (bytes: ArrayBuffer): string =>
  bytesToBase64(new Uint8Array(bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> => base64ToBytes(text.replaceAll('-', '+').replaceAll('_', '/'));

const open = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the key store cannot be opened'));
  });

const read = (database: IDBDatabase): Promise<CryptoKeyPair | undefined> =>
  new Promise((resolve, reject) => {
    const request: IDBRequest<CryptoKeyPair | undefined> = database.transaction(STORE).objectStore(STORE).get(NAME);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the key cannot be read'));
  });

const write = (database: IDBDatabase, pair: CryptoKeyPair): Promise<void> =>
  new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, 'readwrite');
    transaction.objectStore(STORE).put(pair, NAME);
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error ?? new Error('the key cannot be kept'));
  });
