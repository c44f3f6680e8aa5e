/** Which documents a tab shows, and where a document belongs. */
import { CompanionError } from '#protocol/errors.ts';
import { isAllowedPage, originOf } from '#extension/shared/addresses.ts';
import { DocumentChangedError } from '#extension/toolkit/page-error.ts';
import type { PageDocument } from './inject.ts';

interface Frame extends PageDocument {
  readonly parentFrameId: number;
}

/** The document that a frame shows now. */
export const documentIn = async (tabId: number, frameId: number): Promise<PageDocument> => {
  const frame = await chrome.webNavigation.getFrame({ tabId, frameId });
  if (frame?.documentId !== undefined) return { frameId, documentId: frame.documentId, url: frame.url };
  if (frameId !== 0) throw new CompanionError('TARGET_NOT_FOUND', 'The frame of this ref is gone.');
  throw new CompanionError('TOOL_FAILED', 'The tab holds no page: it crashed or was unloaded.', {
    remedy: 'Load it again with browser_navigate.',
  });
};

/** The documents of the page and its frames that tools may read. Frames that are off limits are left out, with the frames inside them. */
export const allowedDocuments = async (tabId: number, ownPort: number | null): Promise<Frame[]> => {
  const frames = await framesOf(tabId);
  const isAllowed = (frame: Frame): boolean => {
    if (!isAddressless(frame.url) && !isAllowedPage(frame.url, ownPort)) return false;
    const parent = frames.find(({ frameId }) => frameId === frame.parentFrameId);
    return parent === undefined || isAllowed(parent);
  };
  return frames.filter(isAllowed);
};

/** The origin of a document; a document without an address of its own has the origin of the frame around it. */
export const originOfDocument = async (tabId: number, { frameId, documentId, url }: PageDocument): Promise<string> => {
  if (frameId === 0 || !isAddressless(url)) return originOf(url);
  const frames = await framesOf(tabId);
  let frame = frames.find((candidate) => candidate.frameId === frameId);
  if (frame?.documentId !== documentId) throw new DocumentChangedError();
  while (frame !== undefined && frame.frameId !== 0 && isAddressless(frame.url)) {
    const { parentFrameId }: Frame = frame;
    frame = frames.find((candidate) => candidate.frameId === parentFrameId);
  }
  return frame === undefined ? 'null' : originOf(frame.url);
};

const framesOf = async (tabId: number): Promise<Frame[]> => {
  const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
  return frames.map(({ frameId, documentId, url, parentFrameId }) => ({ frameId, documentId, url, parentFrameId }));
};

const isAddressless = (url: string): boolean => url === '' || url.startsWith('about:');
