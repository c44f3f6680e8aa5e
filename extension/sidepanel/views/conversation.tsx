/** The scrolling conversation: it follows its end while the user is there, and stays in place elsewhere. */
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from '../entries.ts';
import { EntryView } from './entry.tsx';
import { Guard } from './guard.tsx';
import { Icon } from './icons.tsx';
import { useScene } from './scene.ts';

/** Entries drawn at most before the user asks for earlier ones. */
const WINDOW = 200;

/** A distance from the end that is smaller than this counts as being at the end. */
const NEAR_PX = 40;

export const ConversationView = ({ entries, answering }: { entries: readonly Entry[]; answering: string | null }): JSX.Element => {
  const { t } = useScene();
  const follow = useFollowing(entries);
  const { scroller, content, start, isAway } = follow;
  return (
    <div class="conversation-frame">
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
          {start === 0 ? null : (
            <button type="button" class="link earlier" onClick={follow.showEarlier}>
              {t('show_earlier', { count: start })}
            </button>
          )}
          {entries.slice(start).map((entry) => (
            <Guard key={entry.key}>
              <EntryView entry={entry} answering={answering} />
            </Guard>
          ))}
        </div>
      </div>
      {isAway ? (
        <Jump hasRequest={entries.some((entry) => entry.type === 'request')} newCount={follow.newCount} onJump={follow.jump} />
      ) : null}
    </div>
  );
};

/** Leads back to the end, and says what has arrived there. */
const Jump = ({ hasRequest, newCount, onJump }: { hasRequest: boolean; newCount: number; onJump: () => void }): JSX.Element => {
  const { t } = useScene();
  return (
    <button type="button" class={hasRequest ? 'jump urgent' : 'jump'} onClick={onJump}>
      <Icon name="down" />
      {hasRequest ? t('jump_request') : t('jump')}
      {!hasRequest && newCount > 0 ? <span class="tag">{t('jump_count', { count: newCount })}</span> : null}
    </button>
  );
};

interface Following {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** Index of the first entry that is drawn. */
  readonly start: number;
  /** Whether the person is not at the end. */
  readonly isAway: boolean;
  /** Entries that have come since the person left the end. */
  readonly newCount: number;
  readonly onScroll: () => void;
  readonly showEarlier: () => void;
  readonly jump: () => void;
}

/** Keeps the end in sight while the person is there, and otherwise the place that they look at. */
const useFollowing = (entries: readonly Entry[]): Following => {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  const start = useRef(0);
  const countAtLeaving = useRef(0);
  const lastSent = useRef('');
  const heightBefore = useRef<number | null>(null);
  const [isAway, setAway] = useState(false);
  const [, redraw] = useState(0);

  // A person who sends something wants to see it.
  const newest = entries.at(-1);
  if (newest?.type === 'unsent' && newest.key !== lastSent.current) {
    lastSent.current = newest.key;
    isFollowing.current = true;
  }
  if (isFollowing.current) start.current = Math.max(0, entries.length - WINDOW);

  const toEnd = (): void => {
    const box = scroller.current;
    if (box === null) return;
    box.scrollTop = box.scrollHeight;
    lastTop.current = box.scrollTop;
  };

  // The end also moves when something grows later: images, highlighted code, the composer below.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) toEnd();
    });
    if (scroller.current !== null) observer.observe(scroller.current);
    if (content.current !== null) observer.observe(content.current);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    if (heightBefore.current !== null) {
      // Earlier entries were added above, so the position is moved to what the person was looking at.
      box.scrollTop += box.scrollHeight - heightBefore.current;
      heightBefore.current = null;
    } else if (isFollowing.current) toEnd();
  });

  return {
    scroller,
    content,
    start: start.current,
    isAway: isAway && !isFollowing.current,
    newCount: Math.max(0, entries.length - countAtLeaving.current),
    // Growth alone never counts as leaving the end: only a move upwards does.
    onScroll: () => {
      const box = scroller.current;
      if (box === null) return;
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_PX;
      const isUpwards = box.scrollTop < lastTop.current - 1;
      lastTop.current = box.scrollTop;
      if (isNear) {
        isFollowing.current = true;
        setAway(false);
      } else if (isUpwards && isFollowing.current) {
        isFollowing.current = false;
        countAtLeaving.current = entries.length;
        setAway(true);
      }
    },
    showEarlier: () => {
      isFollowing.current = false;
      heightBefore.current = scroller.current?.scrollHeight ?? null;
      start.current = Math.max(0, start.current - WINDOW);
      redraw((count) => count + 1);
    },
    jump: () => {
      isFollowing.current = true;
      setAway(false);
      toEnd();
    },
  };
};
