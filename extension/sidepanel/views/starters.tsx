/** What a new session may begin with: the page in front of the person, prompts about it, and the last sessions. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sessionTitle } from '#display/attention.ts';
import type { OpenTab } from '#extension/shared/capture.ts';
import { recentSessions } from '../session-groups.ts';
import { useCapture } from './context-menu.tsx';
import { Icon } from './icons.tsx';
import { Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

const prompts = ['ask_summary', 'ask_possible', 'ask_table'] as const;

/** One press attaches the page; a prompt is put into the composer beside it, where it can still be changed. */
export const CurrentPage = (): JSX.Element | null => {
  const { t, actions, focusComposer, state } = useScene();
  const { draft } = state;
  const [tab, setTab] = useState<OpenTab | null>(null);
  const [takenUrl, setTakenUrl] = useState<string | null>(null);
  const [isNothing, setNothing] = useState(false);
  useEffect(() => actions.page.watchTab(setTab), [actions]);
  const { taking, take } = useCapture(
    (taken) => {
      actions.attach([taken]);
      focusComposer();
    },
    () => {
      setTakenUrl(null);
      setNothing(true);
    },
  );
  if (tab === null) return null;
  const isTaken = takenUrl === tab.url && (taking !== null || draft.attachments.some(({ kind }) => kind === 'page'));
  const attach = (): void => {
    if (isTaken || taking !== null) return;
    setTakenUrl(tab.url);
    setNothing(false);
    take('page', tab.tabId);
  };
  const ask = (prompt: string): void => {
    const own = prompts.some((key) => t(key) === draft.text) ? '' : draft.text.trim();
    actions.changeDraft({ text: own === '' ? prompt : `${own}\n${prompt}` });
    attach();
    focusComposer();
  };
  const title = tab.title || tab.url;
  return (
    <div class="starters">
      <button type="button" class="tab-chip" disabled={isTaken} aria-label={t('use_page', { title })} title={tab.url} onClick={attach}>
        {taking === null ? <Icon name={isTaken ? 'check' : 'read'} /> : <Spinner />}
        <span class="chip-name">{title}</span>
      </button>
      {isNothing ? (
        <p class="muted" role="status">
          {t('nothing_found')}
        </p>
      ) : null}
      {prompts.map((key) => (
        <button key={key} type="button" class="link" onClick={() => ask(t(key))}>
          {t(key)}
        </button>
      ))}
    </div>
  );
};

export const RecentSessions = (): JSX.Element | null => {
  const { t, actions, state } = useScene();
  const { sessions, projects } = state;
  const recent = recentSessions(sessions ?? []);
  if (recent.length === 0) return null;
  return (
    <section class="session-group recent">
      <h2>{t('recent_sessions')}</h2>
      <ul class="list">
        {recent.map((session) => (
          <li key={session.id}>
            <button type="button" class="list-item" onClick={() => actions.openSession(session.id)}>
              <span class="list-text">
                <span class="list-title">{sessionTitle(session) || t('new_session')}</span>
                <span class="muted">{projects?.find(({ id }) => id === session.projectId)?.name ?? t('no_project')}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
};
