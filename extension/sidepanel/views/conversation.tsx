/**
 * The scrolling conversation: it follows its end while the person is there, and stays in place elsewhere. Only a window of the
 * entries is in the document, and the browser draws of those what is in sight (`content-visibility`): entries have any height
 * and grow, which no list of known heights bears.
 */
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ItemId } from '#protocol/ids.ts';
import { holds, type Entry } from '../entries.ts';
import { EntryView } from './entry.tsx';
import { Guard } from './guard.tsx';
import { Icon } from './icons.tsx';
import { Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

/** Entries in the document while the end is followed, and while somebody scrolls. */
const FOLLOWED = 40;
const WINDOW = 240;

/** By how many entries the window moves. */
const STEP = 80;

/** A distance from the end that is smaller than this counts as being at the end. */
const NEAR_PX = 40;

/** The window moves when its own end is as near as this many heights of what is in sight. */
const AHEAD = 2;

export const ConversationView = ({
  entries,
  earlier,
  reveal,
}: {
  entries: readonly Entry[];
  /** How many items are not loaded yet. */
  earlier: number;
  /** The item to go to. */
  reveal: ItemId | null;
}): JSX.Element => {
  const { t } = useScene();
  const follow = useFollowing(entries, { earlier, reveal });
  const { scroller, content, start, end, isAway } = follow;
  return (
    <main class="conversation-frame">
      <h2 class="spoken">{t('conversation')}</h2>
      <div
        class="conversation"
        ref={scroller}
        onScroll={follow.onScroll}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={t('conversation')}
      >
        <div ref={content} class="entries">
          {start === 0 && earlier === 0 ? null : (
            <p class="earlier muted">
              <Spinner /> {t('loading')}
            </p>
          )}
          {entries.slice(start, end).map((entry) => (
            <div key={entry.key} class={entry.key === follow.found ? 'entry found' : 'entry'}>
              <Guard>
                <EntryView entry={entry} />
              </Guard>
            </div>
          ))}
        </div>
      </div>
      {isAway ? <Jump newCount={follow.newCount} onJump={follow.jump} /> : null}
    </main>
  );
};

/** Leads back to the end, and says what has arrived there. */
const Jump = ({ newCount, onJump }: { newCount: number; onJump: () => void }): JSX.Element => {
  const { t } = useScene();
  return (
    <button type="button" class="jump" onClick={onJump}>
      <Icon name="down" />
      {t('jump')}
      {newCount > 0 ? <span class="tag">{t('jump_count', { count: newCount })}</span> : null}
    </button>
  );
};

interface Following {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** The entries in the document: from `start` to before `end`. */
  readonly start: number;
  readonly end: number;
  /** Whether the person is not at the end. */
  readonly isAway: boolean;
  /** Entries that have come since the person left the end. */
  readonly newCount: number;
  /** The entry that was looked for. */
  readonly found: string | null;
  readonly onScroll: () => void;
  readonly jump: () => void;
}

/** Keeps the end in sight while the person is there, and otherwise the place that they look at. */
const useFollowing = (
  entries: readonly Entry[],
  { earlier, reveal }: { readonly earlier: number; readonly reveal: ItemId | null },
): Following => {
  const { actions } = useScene();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  /** The newest entry when the person left the end. */
  const leftAt = useRef<string | null>(null);
  const lastSent = useRef('');
  const [isAway, setAway] = useState(false);

  // A person who sends something wants to see it.
  const newest = entries.at(-1);
  if (newest?.type === 'unsent' && newest.key !== lastSent.current) {
    lastSent.current = newest.key;
    isFollowing.current = true;
  }
  const sought = reveal === null ? -1 : entries.findIndex((entry) => holds(entry, reveal));
  if (sought !== -1) isFollowing.current = false;
  const { start, end, move } = useWindow(entries, isFollowing.current, sought);

  const toEnd = (): void => {
    const box = scroller.current;
    if (box === null) return;
    box.scrollTop = box.scrollHeight;
    lastTop.current = box.scrollTop;
  };

  const lookAhead = (): void => {
    const box = scroller.current;
    const way =
      box === null || isFollowing.current ? null : wayAhead(box, { hasBefore: start > 0 || earlier > 0, hasAfter: end < entries.length });
    if (way === 'up' && start === 0) void actions.readEarlier();
    else if (way !== null) move(way);
  };

  useGrowth([scroller, content], () => {
    if (isFollowing.current) toEnd();
  });

  useLayoutEffect(() => {
    if (isFollowing.current) toEnd();
  });
  const found = useFound(sought === -1 ? null : sought - start, entries[sought]?.key ?? null, content, () => {
    const { scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {};
    // Where all of it is in sight there is no other place to be.
    isFollowing.current = start === 0 && end === entries.length && scrollHeight <= clientHeight + 1;
    leftAt.current = newest?.key ?? null;
    setAway(!isFollowing.current);
  });
  useEffect(() => {
    if (isFollowing.current) actions.forgetEarlier();
    else lookAhead();
  });

  return {
    scroller,
    content,
    start,
    end,
    found,
    isAway: isAway && !isFollowing.current,
    newCount: leftAt.current === null ? 0 : countAfter(entries, leftAt.current),
    // Growth alone never counts as leaving the end: only a move upwards does.
    onScroll: () => {
      const box = scroller.current;
      if (box === null) return;
      const isNear = end === entries.length && box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_PX;
      const isUpwards = box.scrollTop < lastTop.current - 1;
      lastTop.current = box.scrollTop;
      if (isNear) {
        isFollowing.current = true;
        setAway(false);
      } else if (isUpwards && isFollowing.current) {
        isFollowing.current = false;
        leftAt.current = newest?.key ?? null;
        setAway(true);
      }
      lookAhead();
    },
    jump: () => {
      isFollowing.current = true;
      setAway(false);
      toEnd();
    },
  };
};

/** Where the window has to move, before its own end comes into sight. */
const wayAhead = (box: HTMLElement, { hasBefore, hasAfter }: { hasBefore: boolean; hasAfter: boolean }): 'up' | 'down' | null => {
  const margin = AHEAD * box.clientHeight;
  if (hasBefore && box.scrollTop < margin) {
    // The browser keeps in place what is looked at, but not at the very top.
    if (box.scrollTop === 0) box.scrollTop = 1;
    return 'up';
  }
  return hasAfter && box.scrollHeight - box.scrollTop - box.clientHeight < margin ? 'down' : null;
};

/** Brings the entry that was looked for into sight; returns which it was. `index` is its place in the document. */
const useFound = (
  index: number | null,
  key: string | null,
  content: RefObject<HTMLDivElement | null>,
  onFound: () => void,
): string | null => {
  const { actions } = useScene();
  const [found, setFound] = useState<string | null>(null);
  useLayoutEffect(() => {
    if (index === null) return;
    bringToMiddle(content.current?.querySelectorAll('.entry')[index]);
    setFound(key);
    onFound();
    actions.revealed();
  }, [index === null]);
  return found;
};

/** The end also moves when something grows later: images, highlighted code, the composer below. */
const useGrowth = (boxes: readonly RefObject<HTMLDivElement | null>[], onGrowth: () => void): void => {
  useEffect(() => {
    const observer = new ResizeObserver(onGrowth);
    for (const { current } of boxes) if (current !== null) observer.observe(current);
    return () => observer.disconnect();
  }, []);
};

/** What comes into sight gets its true height only then, and moves the entry a few times more. */
const bringToMiddle = (entry: Element | undefined, frames = 6): void => {
  entry?.scrollIntoView({ block: 'center' });
  if (frames > 0) requestAnimationFrame(() => bringToMiddle(entry, frames - 1));
};

const countAfter = (entries: readonly Entry[], key: string): number => {
  const index = entries.findLastIndex((entry) => entry.key === key);
  return index === -1 ? 0 : entries.length - 1 - index;
};

/** Which entries are in the document. It is known by its first and last entry, since others come before and after them. */
const useWindow = (
  entries: readonly Entry[],
  isFollowing: boolean,
  sought: number,
): { start: number; end: number; move: (way: 'up' | 'down') => void } => {
  const shown = useRef<{ first: string | null; last: string | null; fromEnd: number }>({ first: null, last: null, fromEnd: 0 });
  const [, redraw] = useState(0);
  const { length } = entries;
  const indexOf = (key: string | null): number => (key === null ? -1 : entries.findIndex((entry) => entry.key === key));
  const last = isFollowing || shown.current.last === null ? -1 : indexOf(shown.current.last);
  const first = isFollowing ? -1 : indexOf(shown.current.first);
  let end = last === -1 ? length : last + 1;
  // An entry that has joined a group is known by its place.
  let start = first !== -1 ? Math.min(first, end) : Math.max(0, isFollowing ? end - FOLLOWED : length - shown.current.fromEnd);
  if (sought !== -1 && (sought < start || sought >= end)) {
    start = Math.max(0, sought - STEP);
    end = Math.min(length, sought + STEP);
  }
  const show = (from: number, to: number): void => {
    shown.current = {
      first: entries[from]?.key ?? null,
      last: to === length ? null : (entries[to - 1]?.key ?? null),
      fromEnd: length - from,
    };
  };
  show(start, end);
  return {
    start,
    end,
    move: (way) => {
      const from = way === 'up' ? Math.max(0, start - STEP) : Math.max(start, Math.min(length, end + STEP) - WINDOW);
      show(from, Math.min(length, way === 'up' ? Math.min(end, from + WINDOW) : end + STEP));
      redraw((count) => count + 1);
    },
  };
};
