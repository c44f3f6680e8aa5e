/** The scrolling conversation: it follows its end while the person is there, and stays in place elsewhere. */
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ItemId } from '#protocol/ids.ts';
import { holds, type Entry } from '../entries.ts';
import { atEnd, measured, moved, type Place } from '../place.ts';
import { EntryView } from './entry.tsx';
import { Guard } from './guard.tsx';
import { Icon } from './icons.tsx';
import { SoughtContext, type Sought } from './kept.ts';
import { useNearEntries, type NearEntries } from './near-entries.ts';
import { Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

/** Earlier items are read in when the beginning is as near as this many heights of what is in sight. */
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
  const { scroller, list, isAway, found } = follow;
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
        <div class="entries" style={{ height: `${list.getTotalSize()}px` }}>
          {earlier === 0 ? null : (
            <p class="earlier muted">
              <Spinner /> {t('loading')}
            </p>
          )}
          <SoughtContext.Provider value={found?.sought ?? null}>
            {list.getVirtualItems().map(({ index, start }) => {
              const entry = entries[index];
              return entry === undefined ? null : (
                <div
                  key={entry.key}
                  ref={list.measureElement}
                  class={entry.key === found?.key ? 'entry found' : 'entry'}
                  data-key={entry.key}
                  data-index={index}
                  style={{ top: `${start}px` }}
                >
                  <Guard>
                    <EntryView entry={entry} />
                  </Guard>
                </div>
              );
            })}
          </SoughtContext.Provider>
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

/** What was looked for, and the entry in which it is. */
interface Found {
  readonly key: string;
  readonly sought: Sought;
}

interface Following {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly list: NearEntries;
  /** Whether the person is not at the end. */
  readonly isAway: boolean;
  /** Entries that have come since the person left the end. */
  readonly newCount: number;
  readonly found: Found | null;
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
  const place = useRef<Place>(atEnd);
  const lastSent = useRef('');
  const [, redraw] = useState(0);
  const newest = entries.at(-1);

  /** Where the list stands now, unless the person has moved it. */
  const note = (): void => {
    const box = scroller.current;
    if (box !== null) place.current = { ...place.current, ...measured(box) };
  };
  // What a person has scrolled is told of only with the next frame, and the list may grow before.
  if (scroller.current !== null) place.current = moved(place.current, scroller.current, newest?.key ?? null);
  // A person who sends something wants to see it.
  if (newest?.type === 'unsent' && newest.key !== lastSent.current) {
    lastSent.current = newest.key;
    place.current = { ...place.current, isFollowing: true };
  }
  const sought = reveal === null ? -1 : entries.findIndex((entry) => holds(entry, reveal));
  if (sought !== -1) place.current = { ...place.current, isFollowing: false };
  const { isFollowing, leftAt } = place.current;
  const list = useNearEntries(scroller, entries, { isFollowing, onMoved: note });

  const toEnd = (): void => {
    const box = scroller.current;
    if (box === null) return;
    box.scrollTop = box.scrollHeight;
    note();
  };

  const lookAhead = (): void => {
    const box = scroller.current;
    if (box !== null && !place.current.isFollowing && earlier > 0 && box.scrollTop < AHEAD * box.clientHeight) void actions.readEarlier();
  };

  useResize(scroller, () => {
    if (place.current.isFollowing) toEnd();
  });
  useLayoutEffect(() => {
    if (place.current.isFollowing) toEnd();
  });
  const found = useFound(sought, { key: entries[sought]?.key, itemId: reveal }, list, () => {
    // Where all of it is in sight there is no other place to be.
    const isWhole = list.getTotalSize() <= (scroller.current?.clientHeight ?? 0) + 1;
    place.current = { ...place.current, isFollowing: isWhole, leftAt: newest?.key ?? null };
    redraw((count) => count + 1);
  });
  useEffect(() => {
    if (place.current.isFollowing) actions.forgetEarlier();
    else lookAhead();
  });

  return {
    scroller,
    list,
    found,
    isAway: !isFollowing && sought === -1,
    newCount: leftAt === null ? 0 : countAfter(entries, leftAt),
    onScroll: () => {
      const box = scroller.current;
      if (box === null) return;
      const now = moved(place.current, box, newest?.key ?? null);
      if (now.isFollowing !== place.current.isFollowing) redraw((count) => count + 1);
      place.current = now;
      lookAhead();
    },
    jump: () => {
      place.current = { ...place.current, isFollowing: true };
      redraw((count) => count + 1);
      toEnd();
    },
  };
};

/** What stands below, the composer or a card, takes room from the conversation when it grows. */
const useResize = (box: RefObject<HTMLDivElement | null>, onResize: () => void): void => {
  useEffect(() => {
    const observer = new ResizeObserver(onResize);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
};

/** Brings the entry that was looked for, by its place, into the middle; returns which it was. */
const useFound = (
  place: number,
  { key, itemId }: { readonly key: string | undefined; readonly itemId: ItemId | null },
  list: NearEntries,
  onFound: () => void,
): Found | null => {
  const { actions } = useScene();
  const [found, setFound] = useState<Found | null>(null);
  useLayoutEffect(() => {
    if (place === -1 || key === undefined || itemId === null) return;
    list.scrollToIndex(place, { align: 'center' });
    setFound({ key, sought: { itemId } });
    onFound();
    actions.revealed();
  }, [place === -1]);
  return found;
};

const countAfter = (entries: readonly Entry[], key: string): number => {
  const index = entries.findLastIndex((entry) => entry.key === key);
  return index === -1 ? 0 : entries.length - 1 - index;
};
