/**
 * The content of a file that Chrome has downloaded. An extension cannot read the file itself, so what its address holds is read again, with
 * the person's cookies as Chrome did it, and must be as long.
 */
import { CompanionError } from '#protocol/errors.ts';
import { crossingLimits } from '#protocol/crossing.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { base64ToBytes } from '#extension/shared/base64.ts';
import { shownIn } from './made-pages.ts';

/** A multiple of three, so that the parts make one base64 text; each is one message from the page. */
const PART_BYTES = 3 * 1024 * 1024;

type Finished = Pick<chrome.downloads.DownloadItem, 'url' | 'finalUrl' | 'referrer' | 'fileSize'>;

/** Throws why it cannot be read again; `tabIds` are the tabs of the session, whose pages may hold it. */
export const contentOf = async ({ url, finalUrl, referrer, fileSize }: Finished, tabIds: readonly number[]): Promise<Blob> => {
  const address = finalUrl === '' ? url : finalUrl;
  if (fileSize > crossingLimits.fileBytes) throw unreadable(`It is larger than ${crossingLimits.fileBytes / 2 ** 20} MiB.`);
  const content = isForWorker(address) ? await fetchAgain(address) : await readInPage(address, originOfFile(address, referrer), tabIds);
  if (content.size !== fileSize) throw unreadable('Its address gives something else the second time.');
  return content;
};

/** What the extension's own rules let its worker ask. */
const isForWorker = (address: string): boolean => /^https:|^http:\/\/127\.0\.0\.1[:/]/u.test(address);

const fetchAgain = async (address: string): Promise<Blob> => {
  try {
    const response = await fetch(address, { credentials: 'include', redirect: 'error', cache: 'force-cache' });
    if (response.ok) return await response.blob();
    throw unreadable(`Its address answers with status ${response.status} the second time.`);
  } catch (error) {
    throw error instanceof CompanionError ? error : unreadable('Its address cannot be read a second time.');
  }
};

/** A page that made the file itself is the only one that has it. */
const readInPage = async (address: string, origin: string, tabIds: readonly number[]): Promise<Blob> => {
  for (const tabId of tabIds) {
    for (const { frameId, url } of await shownIn(tabId).catch(() => [])) {
      if (originOf(url) !== origin && !address.startsWith('data:')) continue;
      const content = await readInFrame({ tabId, frameIds: [frameId] }, address).catch(() => null);
      if (content !== null) return content;
    }
  }
  throw unreadable('The page that made it does not hold it any more.');
};

const readInFrame = async (target: { tabId: number; frameIds: number[] }, address: string): Promise<Blob | null> => {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; ; at += PART_BYTES) {
    const [answer] = await chrome.scripting.executeScript({
      target,
      injectImmediately: true,
      func: readPart,
      args: [address, at, PART_BYTES, crossingLimits.fileBytes],
    });
    const part = answer?.result;
    if (typeof part !== 'string') return null;
    const bytes = base64ToBytes(part);
    parts.push(bytes);
    if (bytes.length < PART_BYTES) return new Blob(parts);
  }
};

/** Runs in a world of its own in the page, which keeps the content from its first part to its last. */
const readPart = async (address: string, at: number, length: number, maxBytes: number): Promise<string | null> => {
  const held: typeof globalThis & { pilotfishFile?: Blob } = globalThis;
  if (at === 0) held.pilotfishFile = await (await fetch(address, { credentials: 'include' })).blob();
  const content = held.pilotfishFile;
  if (content === undefined || content.size > maxBytes) return null;
  const part = content.slice(at, at + length);
  if (at + length > content.size) delete held.pilotfishFile;
  const reader = new FileReader();
  return new Promise((resolve) => {
    reader.addEventListener('loadend', () => resolve(typeof reader.result === 'string' ? reader.result.replace(/^[^,]*,/u, '') : null));
    reader.readAsDataURL(part);
  });
};

const originOfFile = (address: string, referrer: string): string =>
  [originOf(address), originOf(referrer)].find((found) => found !== 'null') ?? 'null';

const unreadable = (why: string): CompanionError => new CompanionError('TOOL_FAILED', why);
