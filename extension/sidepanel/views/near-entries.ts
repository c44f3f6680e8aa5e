/** Which entries of a conversation are in the document, and where each of them stands. */
import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type Range,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from '../entries.ts';

/** Entries before and after those in sight. */
const AROUND_END = 20;
const AROUND_READING = 60;

/** Most entries that stay in the document because a selection goes through them. */
const MOST_SELECTED = 400;

/** What an entry is taken to be high until it was in the document. */
const GUESSED_PX = 160;

/** Above the first entry and below the last; between two of them the style sheet makes room. */
const ROOM_ABOVE_PX = 14;
const ROOM_BELOW_PX = 8;

export type NearEntries = Virtualizer<HTMLDivElement, HTMLDivElement>;

/** The list of a scrolled box that begins at its end. What is read stays where it is when entries come before it or grow. */
export const useNearEntries = (
  scroller: RefObject<HTMLDivElement | null>,
  entries: readonly Entry[],
  {
    isFollowing,
    onMoved,
  }: {
    readonly isFollowing: boolean;
    /** Tells that the list has scrolled the box itself. */
    readonly onMoved: () => void;
  },
): NearEntries => {
  const [, redraw] = useState(0);
  const held = useRef<NearEntries | null>(null);
  const options = {
    count: entries.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index: number) => entries[index]?.key ?? index,
    estimateSize: () => GUESSED_PX,
    rangeExtractor: (range: Range) => withUsed(range, entries),
    onChange: () => redraw((count) => count + 1),
    overscan: isFollowing ? AROUND_END : AROUND_READING,
    anchorTo: 'end',
    paddingStart: ROOM_ABOVE_PX,
    paddingEnd: ROOM_BELOW_PX,
    // Until the box was measured, it is taken to be small and at its end.
    initialRect: { width: 0, height: 1 },
    initialOffset: Number.MAX_SAFE_INTEGER,
    scrollToFn: (offset: number, how: Parameters<typeof elementScroll>[1], one: NearEntries) => {
      elementScroll(offset, how, one);
      onMoved();
    },
    observeElementRect,
    observeElementOffset,
  } as const;
  const list = (held.current ??= new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  // It hears of what was scrolled only with the next frame, and would take who has just left the end back there.
  if (!isFollowing && list.scrollElement !== null) list.scrollOffset = list.scrollElement.scrollTop;
  list.setOptions(options);
  list.shouldAdjustScrollPositionOnItemSizeChange = ({ key, start, end }, _, one) => {
    // What is read in an entry that reaches into sight is held in place by the browser, which tells later that it has scrolled.
    if (one.scrollElement !== null) one.scrollOffset = one.scrollElement.scrollTop;
    return (one.itemSizeCache.has(key) ? end : start) <= (one.scrollOffset ?? 0);
  };
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  return list;
};

/** The entries that are near, and those that the person uses: in which the focus is, and through which a selection goes. */
const withUsed = (range: Range, entries: readonly Entry[]): number[] => {
  const places = new Set(defaultRangeExtractor(range));
  const focused = placeOf(document.activeElement, entries);
  if (focused !== -1) places.add(focused);
  const selection = getSelection();
  const selected = selection === null || selection.isCollapsed ? -1 : placeOf(selection.anchorNode, entries);
  const [first, last] = [Math.min(selected, range.startIndex), Math.max(selected, range.endIndex)];
  if (selected !== -1 && last - first < MOST_SELECTED) for (let place = first; place <= last; place += 1) places.add(place);
  return [...places].toSorted((one, other) => one - other);
};

const placeOf = (node: Node | null, entries: readonly Entry[]): number => {
  const entry = (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>('.entry');
  return entry === null || entry === undefined ? -1 : entries.findIndex(({ key }) => key === entry.dataset['key']);
};
