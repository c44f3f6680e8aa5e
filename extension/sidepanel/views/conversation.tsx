/** The scrolling conversation: follows its end while the user is there, and leaves the user alone elsewhere. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from '../entries.ts';
import { EntryView } from './entry.tsx';
import { Guard } from './guard.tsx';
import { Icon } from './icons.tsx';
import { useScene } from './scene.ts';

/** Entries drawn at most before the user asks for earlier ones. */
const WINDOW = 200;

/** Closer to the end than this is at the end. */
const NEAR_PX = 40;

export const ConversationView = ({ entries, answering }: { entries: readonly Entry[]; answering: string | null }): JSX.Element => {
  const { t } = useScene();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  const start = useRef(0);
  const countAtLeaving = useRef(0);
  const lastSent = useRef('');
  const [isAway, setAway] = useState(false);
  const heightBefore = useRef<number | null>(null);
  const [, redraw] = useState(0);

  // Whoever sends something wants to see it.
  const newest = entries.at(-1);
  if (newest?.type === 'unsent' && newest.key !== lastSent.current) {
    lastSent.current = newest.key;
    isFollowing.current = true;
  }
  if (isFollowing.current) start.current = Math.max(0, entries.length - WINDOW);
  const shown = entries.slice(start.current);
  const newCount = Math.max(0, entries.length - countAtLeaving.current);
  const hasRequest = entries.some((entry) => entry.type === 'request');

  const toEnd = (): void => {
    const box = scroller.current;
    if (box === null) return;
    box.scrollTop = box.scrollHeight;
    lastTop.current = box.scrollTop;
  };

  // What grows later (images, colours, the composer below) moves the end as well.
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
      // Earlier entries came in above: stay at what the user was looking at.
      box.scrollTop += box.scrollHeight - heightBefore.current;
      heightBefore.current = null;
    } else if (isFollowing.current) toEnd();
  });

  // Growth alone never counts as leaving the end: only a move upwards does.
  const onScroll = (): void => {
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
  };

  return (
    <div class="conversation-frame">
      <div class="conversation" ref={scroller} onScroll={onScroll} tabIndex={0} role="log" aria-live="off" aria-label={t('conversation')}>
        <div ref={content} class="entries">
          {start.current === 0 ? null : (
            <button
              type="button"
              class="link earlier"
              onClick={() => {
                isFollowing.current = false;
                heightBefore.current = scroller.current?.scrollHeight ?? null;
                start.current = Math.max(0, start.current - WINDOW);
                redraw((count) => count + 1);
              }}
            >
              {t('show_earlier', { count: start.current })}
            </button>
          )}
          {shown.map((entry) => (
            <Guard key={entry.key}>
              <EntryView entry={entry} answering={answering} />
            </Guard>
          ))}
        </div>
      </div>
      {isAway && !isFollowing.current ? (
        <button
          type="button"
          class={hasRequest ? 'jump urgent' : 'jump'}
          onClick={() => {
            isFollowing.current = true;
            setAway(false);
            toEnd();
          }}
        >
          <Icon name="down" />
          {hasRequest ? t('jump_request') : t('jump')}
          {!hasRequest && newCount > 0 ? <span class="tag">{t('jump_count', { count: newCount })}</span> : null}
        </button>
      ) : null}
    </div>
  );
};
