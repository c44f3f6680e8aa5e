/** Which frame of a page each of its frame elements shows. */
import type { SnapChild, SnapNode } from '#extension/content/api.ts';
import { MOST_FRAMES } from './page-words.ts';
import type { FramePart } from './snapshot-text.ts';

/**
 * What is shown in each frame element, in all frames. A frame in a shadow tree is none of those that a window counts: it is known by its address,
 * and several that have the same, or have gone on to another one, by their order.
 */
export const partsInFrames = (parts: readonly FramePart[]): ReadonlyMap<SnapNode, FramePart> => {
  const found = new Map<SnapNode, FramePart>();
  const byParent = Map.groupBy(parts, ({ parentFrameId }) => parentFrameId);
  for (const { frameId, snapshot } of parts) {
    const inner = byParent.get(frameId);
    // A frame without others is not searched for them.
    if (inner !== undefined) placeIn(frameNodes(snapshot.children), inner, found);
  }
  return found;
};

/** How many frames the page shows that were not read: they still load, or are closed to tools. */
export const countUnread = (parts: readonly FramePart[]): number => {
  const read = partsInFrames(parts);
  return parts.flatMap(({ snapshot }) => frameNodes(snapshot.children)).filter((node) => !read.has(node)).length;
};

/** Where a page has more frames than are read at once; empty where it has not. */
export const wordsForMany = (parts: readonly FramePart[]): string => {
  const unread = parts.length > MOST_FRAMES / 2 ? countUnread(parts) : 0;
  const all = parts.length - 1 + unread;
  return all <= MOST_FRAMES
    ? ''
    : `Of its ${all} frames ${parts.length - 1} were read: open the address of another one in a tab (browser_evaluate: document.querySelectorAll('iframe')[${all - 1}].src).`;
};

const placeIn = (nodes: readonly SnapNode[], inner: readonly FramePart[], found: Map<SnapNode, FramePart>): void => {
  const counted = new Map(inner.map((part) => [part.snapshot.index, part]));
  const uncounted = inner.filter(({ snapshot }) => snapshot.index === -1);
  const open: SnapNode[] = [];
  for (const node of nodes) {
    const at = node.frame === -1 ? uncounted.findIndex(({ snapshot }) => snapshot.url === node.address) : -1;
    const [part] = at === -1 ? [] : uncounted.splice(at, 1);
    const shown = part ?? (node.frame === undefined || node.frame === -1 ? undefined : counted.get(node.frame));
    if (shown !== undefined) found.set(node, shown);
    else if (node.frame === -1) open.push(node);
  }
  // In a part of a page the elements of some are missing.
  if (open.length !== uncounted.length) return;
  for (const [index, part] of uncounted.entries()) {
    const node = open[index];
    if (node !== undefined) found.set(node, part);
  }
};

const frameNodes = (children: readonly SnapChild[]): SnapNode[] => {
  const nodes: SnapNode[] = [];
  const open = [...children].toReversed();
  for (let child = open.pop(); child !== undefined; child = open.pop()) {
    if (child === null || typeof child === 'string') continue;
    if (child.role === 'iframe') nodes.push(child);
    for (const inner of (child.children ?? []).toReversed()) open.push(inner);
  }
  return nodes;
};
