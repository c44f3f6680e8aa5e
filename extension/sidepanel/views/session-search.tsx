/** What is found in all sessions while somebody types: names first, then what was said or run. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sessionTitle } from '#display/attention.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { SearchAnswer } from '#protocol/search.ts';
import { searchUntilWhole } from '../search-again.ts';
import { ErrorText } from './parts.tsx';
import { useScene } from './scene.ts';

type Found = { readonly answer: SearchAnswer } | { readonly error: ErrorBody };

export const SearchResults = ({ words, onClose }: { words: string; onClose: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    const found = (answer: SearchAnswer): void => setFound({ answer });
    return searchUntilWhole(() => actions.search(words), { found, failed: (error) => setFound({ error }) });
  }, [words]);
  if (found === null) return <p class="muted">{t('loading')}</p>;
  if ('error' in found) return <ErrorText error={found.error} />;
  const { titles, hits, indexing } = found.answer;
  return (
    <>
      {titles.length + hits.length === 0 ? <p class="muted">{t('search_nothing')}</p> : null}
      {indexing === null ? null : <p class="muted">{t('indexing', { done: indexing.done, total: indexing.total })}</p>}
      <ul class="list sessions" aria-label={t('search_found')}>
        {titles.map(({ session, marks }) => (
          <li key={session.id}>
            <button
              type="button"
              class="list-item"
              onClick={() => {
                actions.openSession(session.id);
                onClose();
              }}
            >
              <span class="list-text">
                <span class="list-title">{session.name === '' ? sessionTitle(session) : <Marked text={session.name} marks={marks} />}</span>
              </span>
            </button>
          </li>
        ))}
        {hits.map(({ sessionId, sessionName, itemId, kind, snippet, at }) => (
          <li key={itemId}>
            <button
              type="button"
              class="list-item"
              onClick={() => {
                actions.reveal(sessionId, itemId);
                onClose();
              }}
            >
              <span class="list-text">
                <span class="snippet">
                  <Marked text={snippet.text} marks={snippet.marks} />
                </span>
                <span class="muted">
                  {t(`found_${kind}`)} · {toVisible(sessionName)}
                </span>
              </span>
              <time class="muted" dateTime={at}>
                {new Date(at).toLocaleDateString(document.documentElement.lang, { month: 'short', day: 'numeric' })}
              </time>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
};

const Marked = ({ text, marks }: { text: string; marks: readonly (readonly [number, number])[] }): JSX.Element => {
  const ends = [0, ...marks.flat(), text.length];
  return (
    <>
      {ends.slice(1).map((end, index) => {
        const part = toVisible(text.slice(ends[index], end));
        return index % 2 === 1 ? <mark key={index}>{part}</mark> : part;
      })}
    </>
  );
};
