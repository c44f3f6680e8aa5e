/** The system's keychain by keytar's native half: an asset of the executable, or the package when run from source. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, homedir } from 'node:os';
import path from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { makeDir } from '#companion/lib/make-dir.ts';
import { ensurePrivateDir } from '#companion/lib/paths.ts';

const ASSET = 'keytar.node';

/** A locked keychain asks the user. This is long enough for a person, and short enough not to block a start for ever. */
const CALL_TIMEOUT_MS = 30_000;

interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

export interface Keychain {
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** Entries under `service`; loading it throws where the system has no keychain library. */
export const loadKeychain = (service: string): Keychain => {
  const keytar = isSea() ? loadAsset() : loadPackage();
  return {
    get: (account) => bounded(keytar.getPassword(service, account)),
    set: (account, secret) => bounded(keytar.setPassword(service, account, secret)),
    remove: async (account) => {
      await bounded(keytar.deletePassword(service, account));
    },
  };
};

const loadPackage = (): Keytar => checked(createRequire(import.meta.url)('keytar'));

/** Native code can only be loaded from a file: it is unpacked once into a private folder, under the hash of its content. */
const loadAsset = (): Keytar => {
  const bytes = Buffer.from(getRawAsset(ASSET));
  const sum = sha256(bytes);
  const directory = path.join(cacheDir(), 'pilotfish');
  makeDir(path.dirname(directory));
  ensurePrivateDir(directory);
  const file = path.join(directory, `keytar-${sum.slice(0, 32)}.node`);
  if (!isIntact(file, sum)) {
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, bytes, { mode: 0o600 });
    renameSync(draft, file);
  }
  const loaded: { exports: unknown } = { exports: {} };
  process.dlopen(loaded, file, constants.dlopen.RTLD_NOW);
  return checked(loaded.exports);
};

const isIntact = (file: string, sum: string): boolean => {
  try {
    return sha256(readFileSync(file)) === sum;
  } catch {
    return false;
  }
};

const cacheDir = (): string => {
  if (process.platform === 'darwin') return path.join(homedir(), 'Library', 'Caches');
  if (process.platform === 'win32') return process.env['LOCALAPPDATA'] ?? path.join(homedir(), 'AppData', 'Local');
  return process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
};

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const checked = (loaded: unknown): Keytar => {
  if (!isKeytar(loaded)) throw new Error('The keychain module lacks its functions.');
  return loaded;
};

const isKeytar = (value: unknown): value is Keytar =>
  typeof value === 'object' && value !== null && 'getPassword' in value && 'setPassword' in value && 'deletePassword' in value;

const bounded = async <T>(call: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The keychain did not answer.')), CALL_TIMEOUT_MS);
  try {
    return await Promise.race([call, promise]);
  } finally {
    clearTimeout(timer);
  }
};
