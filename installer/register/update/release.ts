/**
 * A package to update from, read from a file or an address and checked. Beside it lie what `npm run package` writes: SHA256SUMS, and
 * SHA256SUMS.sig, an Ed25519 signature over it in base64. Nothing of a package is looked at before both agree with it.
 */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { CompanionError } from '#protocol/errors.ts';
import { lookAt } from '../files.ts';

export const CHECKSUMS = 'SHA256SUMS';
export const SIGNATURE = 'SHA256SUMS.sig';

/** A package that is what its maker signed. */
export interface Release {
  readonly name: string;
  readonly content: Buffer;
}

const MAX_PACKAGE_BYTES = 200 * 2 ** 20;
const MAX_CHECKSUM_BYTES = 256 * 2 ** 10;
const MAX_SIGNATURE_BYTES = 4 * 2 ** 10;
const MAX_REDIRECTS = 5;
const DOWNLOAD_WITHIN_MS = 15 * 60_000;

/** Reads and checks the package; `key` is the public key of its maker, in PEM. */
export const readRelease = async (from: string, { key, signal }: { key: string; signal: AbortSignal }): Promise<Release> => {
  const source = /^[a-z][a-z0-9+.-]*:\/\//iu.test(from) ? addressSource(from, signal) : fileSource(from);
  const publicKey = toPublicKey(key);
  const checksums = await source.read(CHECKSUMS, MAX_CHECKSUM_BYTES);
  const signature = await source.read(SIGNATURE, MAX_SIGNATURE_BYTES);
  if (!verify(null, checksums, publicKey, Buffer.from(signature.toString('latin1').trim(), 'base64'))) {
    throw new CompanionError('UPDATE_NOT_VERIFIED', `${SIGNATURE} was not made with the key that this pilotfish trusts.`);
  }
  const wanted = checksumOf(checksums.toString('utf8'), source.name);
  if (wanted === null) throw new CompanionError('UPDATE_NOT_VERIFIED', `${CHECKSUMS} does not name ${source.name}.`);
  const content = await source.read(source.name, MAX_PACKAGE_BYTES);
  if (createHash('sha256').update(content).digest('hex') !== wanted) {
    throw new CompanionError('UPDATE_NOT_VERIFIED', `The checksum of ${source.name} is another one: it is damaged or was cut off.`);
  }
  return { name: source.name, content };
};

/** Where the package and its two neighbours are. */
interface Source {
  readonly name: string;
  read(name: string, maxBytes: number): Promise<Buffer>;
}

const fileSource = (from: string): Source => {
  const file = path.resolve(from);
  const check = (place: string): void => {
    if (lookAt(place, 'follow')?.isFile() !== true) throw unreadable(`There is no file ${place}.`);
  };
  check(file);
  return {
    name: path.basename(file),
    read: async (name, maxBytes) => {
      const place = path.join(path.dirname(file), name);
      check(place);
      return collect(createReadStream(place), place, maxBytes);
    },
  };
};

const addressSource = (from: string, signal: AbortSignal): Source => {
  const address = toAddress(from, undefined);
  const name = decodeURIComponent(address.pathname.split('/').at(-1) ?? '');
  if (name === '' || /[/\\]/u.test(name)) throw unreadable(`${from} names no file.`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_WITHIN_MS)]);
  return {
    name,
    read: async (wanted, maxBytes) => {
      const place = wanted === name ? address : new URL(encodeURIComponent(wanted), address);
      const answer = await ask(place, limit);
      if (answer.body === null) throw unreadable(`${place.href} is empty.`);
      return collect(answer.body, place.href, maxBytes);
    },
  };
};

/** Each redirect is looked at as the first address is: none leads to plain HTTP, nor into this machine from outside. */
const ask = async (place: URL, signal: AbortSignal): Promise<Response> => {
  let next = place;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const answer = await fetch(next, { redirect: 'manual', signal }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw unreadable(`${next.href} does not answer.`, cause);
    });
    if (answer.ok) return answer;
    await answer.body?.cancel();
    const target = answer.headers.get('location');
    if (answer.status < 300 || answer.status >= 400 || target === null) throw unreadable(`${next.href} answers ${answer.status}.`);
    next = toAddress(target, next);
  }
  throw unreadable(`${place.href} leads on and on.`);
};

const toAddress = (text: string, base: URL | undefined): URL => {
  const address = URL.parse(text, base);
  if (address === null || address.username !== '' || address.password !== '') throw unreadable(`${text} is no address.`);
  const isHere = isLoopback(address.hostname);
  const isAllowed = address.protocol === 'https:' || (address.protocol === 'http:' && isHere);
  if (!isAllowed) throw unreadable(`${address.href} is neither https nor on this machine.`);
  if (base !== undefined && isHere && !isLoopback(base.hostname)) throw unreadable(`${base.href} leads into this machine.`);
  return address;
};

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname);

const collect = async (stream: AsyncIterable<unknown>, place: string, maxBytes: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.length;
    if (size > maxBytes) throw unreadable(`${place} is larger than ${maxBytes} bytes.`);
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
};

const toPublicKey = (pem: string): KeyObject => {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // It is no key at all; the sentence below says so.
  }
  throw new CompanionError('UPDATE_NOT_VERIFIED', 'The key to check with is no Ed25519 key in PEM.');
};

/** As sha256sum(1) writes it. */
const checksumOf = (checksums: string, name: string): string | null => {
  for (const line of checksums.split('\n')) {
    const [, sum, file] = /^([0-9a-f]{64}) [ *](.+)$/u.exec(line) ?? [];
    if (file === name && sum !== undefined) return sum;
  }
  return null;
};

const unreadable = (detail: string, cause?: unknown): CompanionError => new CompanionError('UPDATE_UNREADABLE', detail, { cause });
