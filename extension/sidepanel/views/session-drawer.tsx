/** All sessions, those that want the user first. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { attentionOf, byAttention, sessionTitle, withCurrentFirst, type Seen } from '#display/attention.ts';
import type { SessionSummary } from '#protocol/api.ts';
import type { SessionId } from '#protocol/ids.ts';
import { Icon } from './icons.tsx';
import { Sheet } from './parts.tsx';
import { useScene } from './scene.ts';
import { SearchResults } from './session-search.tsx';

export const SessionDrawer = ({
  sessions,
  seen,
  current,
  onAudit,
  onClose,
}: {
  sessions: readonly SessionSummary[];
  seen: Seen;
  current: SessionId | null;
  onAudit: () => void;
  onClose: () => void;
}): JSX.Element => {
  const { t, actions } = useScene();
  const [words, setWords] = useState('');
  return (
    <Sheet title={t('sessions')} side="left" onClose={onClose}>
      <button
        type="button"
        class="wide"
        onClick={() => {
          actions.openSession(null);
          onClose();
        }}
      >
        <Icon name="plus" />
        {t('new_session')}
      </button>
      <input
        type="search"
        class="field"
        value={words}
        maxLength={500}
        placeholder={t('search_sessions')}
        aria-label={t('search_sessions')}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {words.trim() === '' ? (
        <SessionList sessions={sessions} seen={seen} current={current} onClose={onClose} />
      ) : (
        <SearchResults words={words} onClose={onClose} />
      )}
      <div class="drawer-foot">
        <button type="button" class="link" aria-haspopup="dialog" onClick={onAudit}>
          {t('audit')}
        </button>
        <button type="button" class="link" onClick={() => actions.page.openSettings('agents')}>
          <Icon name="gear" />
          {t('settings')}
        </button>
      </div>
    </Sheet>
  );
};

const SessionList = ({
  sessions,
  seen,
  current,
  onClose,
}: {
  sessions: readonly SessionSummary[];
  seen: Seen;
  current: SessionId | null;
  onClose: () => void;
}): JSX.Element => {
  const { t } = useScene();
  return (
    <>
      {sessions.length === 0 ? <p class="muted">{t('no_sessions')}</p> : null}
      <ul class="list sessions">
        {withCurrentFirst(byAttention(sessions, seen), current).map((session) => (
          <SessionRow key={session.id} session={session} seen={seen} isCurrent={session.id === current} onClose={onClose} />
        ))}
      </ul>
    </>
  );
};

const SessionRow = ({
  session,
  seen,
  isCurrent,
  onClose,
}: {
  session: SessionSummary;
  seen: Seen;
  isCurrent: boolean;
  onClose: () => void;
}): JSX.Element => {
  const { t, actions } = useScene();
  const [editing, setEditing] = useState<'menu' | 'rename' | 'delete' | null>(null);
  const attention = attentionOf(session, seen);
  const name = sessionTitle(session) || t('new_session');
  return (
    <li class={isCurrent ? 'current' : ''}>
      <div class="list-row">
        <button
          type="button"
          class="list-item"
          aria-current={isCurrent}
          onClick={() => {
            actions.openSession(session.id);
            onClose();
          }}
        >
          <span class={`dot attention-${attention}`} role="img" aria-label={t(`attention_${attention}`)} />
          <span class="list-text">
            <span class="list-title">{name}</span>
            <span class="muted">
              {attention === 'idle' ? (session.name === '' ? session.engineName : session.preview) : t(`attention_${attention}`)}
            </span>
          </span>
          <time class="muted" dateTime={session.updatedAt}>
            {toWhen(new Date(session.updatedAt))}
          </time>
        </button>
        <button
          type="button"
          class="ghost"
          aria-label={t('more', { name })}
          aria-expanded={editing !== null}
          onClick={() => setEditing(editing === null ? 'menu' : null)}
        >
          <Icon name="more" />
        </button>
      </div>
      {editing === 'menu' ? (
        <div class="buttons row-menu">
          <button type="button" onClick={() => setEditing('rename')}>
            {t('rename')}
          </button>
          <button type="button" class="option-danger" onClick={() => setEditing('delete')}>
            {t('delete')}
          </button>
          <span class="muted">{session.kind === 'client' ? t('outside') : session.engineName}</span>
        </div>
      ) : null}
      {editing === 'rename' ? <Rename session={session} name={name} onDone={() => setEditing(null)} /> : null}
      {editing === 'delete' ? (
        <div class="row-menu" role="alertdialog" aria-label={t('delete')}>
          <p>{t('delete_confirm', { name })}</p>
          <div class="buttons">
            <button type="button" class="option option-danger" onClick={() => void actions.removeSession(session.id)}>
              {t('delete')}
            </button>
            <button type="button" onClick={() => setEditing(null)}>
              {t('cancel')}
            </button>
          </div>
        </div>
      ) : null}
    </li>
  );
};

const Rename = ({ session, name, onDone }: { session: SessionSummary; name: string; onDone: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  const [text, setText] = useState(name);
  return (
    <form
      class="row-menu field-row"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') void actions.renameSession(session.id, text.trim());
        onDone();
      }}
    >
      <input
        class="field"
        value={text}
        aria-label={t('name')}
        ref={(field) => field?.select()}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit">{t('save')}</button>
    </form>
  );
};

const toWhen = (date: Date): string =>
  date.toDateString() === new Date().toDateString()
    ? date.toLocaleTimeString(document.documentElement.lang, { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString(document.documentElement.lang, { month: 'short', day: 'numeric' });
