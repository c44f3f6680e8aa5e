/**
 * The key that packages are signed with. Its public half travels in the executable, which updates itself only from packages that were
 * signed with it. Releases take it from the environment; without one each clone makes its own.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Holds an Ed25519 key as `openssl genpkey -algorithm ed25519` prints it. */
const VARIABLE = 'PILOTFISH_SIGNING_KEY';
const keyFile = path.join(import.meta.dirname, '..', '.cache', 'signing-key.pem');

export const signingKey = (): { privateKey: KeyObject; publicKey: string } => {
  const given = process.env[VARIABLE] ?? '';
  const privateKey = createPrivateKey(given === '' ? ownKey() : given);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error(`${VARIABLE} must hold an Ed25519 key in PEM`);
  return { privateKey, publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString() };
};

const ownKey = (): string => {
  if (!existsSync(keyFile)) {
    mkdirSync(path.dirname(keyFile), { recursive: true });
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  }
  return readFileSync(keyFile, 'utf8');
};
