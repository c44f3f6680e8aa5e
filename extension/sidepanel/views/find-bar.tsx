/** Finds words in the whole conversation, also in what is not loaded, and goes from one place to the next. */
import { MAX_SEARCH_CHARS } from '#protocol/search.ts';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ErrorBody } from '#protocol/errors.ts';
import type { ItemId, SessionId } from '#protocol/ids.ts';
import type { SearchAnswer } from '#protocol/search.ts';
import { searchUntilWhole } from '../search-again.ts';
import { markFound, showMark } from './found-words.ts';
import { Icon } from './icons.tsx';
import { ErrorText } from './parts.tsx';
import { useScene } from './scene.ts';

interface Found {
  readonly words: string;
  /** The newest first. */
  readonly items: readonly ItemId[];
  /** As they are written there. */
  readonly texts: readonly string[];
  readonly hasMore: boolean;
  /** A part of the conversation is still being read in. */
  readonly isPart: boolean;
}

const nothing: Found = { words: '', items: [], texts: [], hasMore: false, isPart: false };

export const FindBar = ({ sessionId, onClose }: { sessionId: SessionId; onClose: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  const field = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState('');
  const [found, setFound] = useState<Found>(nothing);
  const [chosen, setChosen] = useState<ItemId | null>(null);
  const [error, setError] = useState<ErrorBody | null>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    const wanted = words.trim();
    if (wanted === '') return setFound(nothing);
    let isFirst = true;
    const take = ({ hits, next, indexing }: SearchAnswer): void => {
      setError(null);
      if (isFirst) setChosen(null);
      isFirst = false;
      const texts = hits.flatMap(({ snippet: { text, marks } }) => marks.map(([from, to]) => text.slice(from, to)));
      const items = [...new Set(hits.map(({ itemId }) => itemId))];
      setFound({ words: wanted, items, texts: [...new Set(texts)], hasMore: next !== null, isPart: indexing !== null });
    };
    return searchUntilWhole(() => actions.find(sessionId, wanted), { found: take, failed: setError });
  }, [words, sessionId]);
  // While more is read in, the place that one is at stays.
  const at = chosen === null ? 0 : Math.max(0, found.items.indexOf(chosen));
  const current = found.items[at];
  useEffect(() => {
    if (current !== undefined) actions.reveal(sessionId, current);
  }, [current, found.words]);

  useMarks(found, current);

  const { length } = found.items;
  const go = (step: number): void => {
    if (length > 0) setChosen(found.items[(at + step + length) % length] ?? null);
  };
  return (
    <search
      class="find-bar"
      aria-label={t('find')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        // Here Escape closes the search and does not stop the agent.
        event.stopPropagation();
        onClose();
      }}
    >
      <input
        ref={field}
        class="field"
        type="search"
        value={words}
        maxLength={MAX_SEARCH_CHARS}
        dir="auto"
        placeholder={t('find')}
        aria-label={t('find')}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
        }}
      />
      <span class="muted small-text" role="status">
        {found.words === ''
          ? ''
          : length > 0
            ? `${at + 1}/${length}${found.hasMore || found.isPart ? '+' : ''}`
            : t(found.isPart ? 'find_reading' : 'search_nothing')}
      </span>
      <FindButton name="up" label={t('find_older')} isDisabled={length === 0} onPress={() => go(1)} />
      <FindButton name="down" label={t('find_newer')} isDisabled={length === 0} onPress={() => go(-1)} />
      <FindButton name="close" label={t('close')} isDisabled={false} onPress={onClose} />
      {error === null ? null : <ErrorText error={error} />}
    </search>
  );
};

/** Marks the words, and scrolls to the first of them in the item that one is at: of a long one they may be far from its middle. */
const useMarks = (found: Found, current: ItemId | undefined): void => {
  const { state } = useScene();
  const at = useRef(current);
  at.current = current;
  useEffect(() => {
    const root = document.querySelector('.entries');
    if (root === null || found.texts.length === 0) return undefined;
    // What was in sight once stays as the person scrolls it.
    let shown: ItemId | undefined;
    return markFound(root, found.texts, (marks) => {
      if (at.current === shown || state.reveal !== null) return;
      const mark = marks.find(({ startContainer }) => startContainer.parentElement?.closest('.entry.found') != null);
      if (mark === undefined) return;
      shown = at.current;
      showMark(mark);
    });
  }, [found]);
};

const FindButton = ({
  name,
  label,
  isDisabled,
  onPress,
}: {
  name: 'up' | 'down' | 'close';
  label: string;
  isDisabled: boolean;
  onPress: () => void;
}): JSX.Element => (
  <button type="button" class="ghost tiny" aria-label={label} title={label} disabled={isDisabled} onClick={onPress}>
    <Icon name={name} />
  </button>
);
