/** Which window an element shows: that of another page may be compared, and nothing else of it may be seen where its site is another one. */
import { queryAll } from './composed.ts';

/** Null where it shows none; an object may show what stands in it instead. */
export const windowIn = (element: Element): Window | null => {
  if (isFrame(element) || element instanceof HTMLObjectElement) return element.contentWindow;
  return element instanceof HTMLEmbedElement ? windowOfEmbed(element) : null;
};

export const isFrame = (element: Element): element is HTMLIFrameElement | HTMLFrameElement =>
  element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement;

/** An element of this kind does not tell its window, so it is one that no other element has. */
const windowOfEmbed = (element: HTMLEmbedElement): Window | null => {
  const told = new Set(queryAll('iframe, frame, object').map(windowIn));
  const untold = Array.from({ length: window.length }, (_, index) => window[index]).filter(
    (inner) => inner !== undefined && !told.has(inner),
  );
  const embeds = queryAll('embed');
  return untold.length === embeds.length ? (untold[embeds.indexOf(element)] ?? null) : null;
};
