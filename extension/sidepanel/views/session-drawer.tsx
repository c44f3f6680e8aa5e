/** All sessions, those that want the user first. */
import { MAX_SESSION_NAME_CHARS } from '#protocol/commands.ts';
import { MAX_SEARCH_CHARS } from '#protocol/search.ts';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toCost } from '#display/amounts.ts';
import { attentionOf, sessionTitle, type Seen } from '#display/attention.ts';
import { labelText } from '#display/engines.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { groupSessions } from '../session-groups.ts';
import { toWhen } from '../text.ts';
import { Icon } from './icons.tsx';
import { Quoting, Sheet } from './parts.tsx';
import { closeByEscape, MoreButton, Rename } from './row-menu.tsx';
import { useScene } from './scene.ts';
import { SearchResults } from './session-search.tsx';
import { Stretches } from './stretches.tsx';

export interface SessionPaneProps {
  readonly onAudit: () => void;
  /** Something was chosen. */
  readonly onClose: () => void;
}

export const SessionDrawer = (props: SessionPaneProps): JSX.Element => {
  const { t } = useScene();
  return (
    <Sheet title={t('sessions')} side="left" onClose={props.onClose}>
      <SessionPane {...props} />
    </Sheet>
  );
};

/** The list with its search, in a drawer or docked beside the conversation. */
export const SessionPane = (props: SessionPaneProps): JSX.Element => {
  const { onAudit } = props;
  const { t, actions, focusComposer, state } = useScene();
  const { removed } = state;
  const [words, setWords] = useState('');
  // One goes on writing there, also where it was open already.
  const onClose = (): void => {
    props.onClose();
    focusComposer();
  };
  return (
    <>
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
        maxLength={MAX_SEARCH_CHARS}
        placeholder={t('search_sessions')}
        aria-label={t('search_sessions')}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {removed === null ? null : (
        <div class="notice session-undo" role="status">
          <span>
            <Quoting text={t('session_removed', { name: removed.name || t('new_session') })} />
          </span>
          <button type="button" onClick={() => void actions.restoreSession()}>
            {t('undo')}
          </button>
          <button type="button" class="ghost" aria-label={t('dismiss')} onClick={() => actions.forgetRemoved()}>
            <Icon name="close" />
          </button>
        </div>
      )}
      <div class="session-scroll">
        {words.trim() === '' ? <SessionList onClose={onClose} /> : <SearchResults words={words} onClose={onClose} />}
      </div>
      <div class="drawer-foot">
        <button type="button" class="link" aria-haspopup="dialog" onClick={onAudit}>
          {t('audit')}
        </button>
        <button type="button" class="link" onClick={() => actions.page.openSettings('agents')}>
          <Icon name="gear" />
          {t('settings')}
        </button>
      </div>
    </>
  );
};

const SessionList = ({ onClose }: Pick<SessionPaneProps, 'onClose'>): JSX.Element => {
  const { t, state, shown } = useScene();
  const { sessions, sessionId: current } = state;
  const { seen } = shown;
  const { top, groups, archived } = groupSessions(sessions ?? [], state.projects ?? [], seen, current);
  const labels = new Map((state.engines ?? []).map((engine) => [engine.name, labelText(engine, t)]));
  const rows = (list: readonly SessionSummary[], isFirst = false): JSX.Element => (
    <Stretches
      list={list}
      isFirst={isFirst}
      draw={(session) => (
        <SessionRow
          key={session.id}
          session={session}
          engine={labels.get(session.engineName) ?? session.engineName}
          seen={seen}
          isCurrent={session.id === current}
          onClose={onClose}
        />
      )}
    />
  );
  return (
    <>
      {sessions === null || sessions.length === 0 ? <p class="muted">{t('no_sessions')}</p> : null}
      {top.length === 0 ? null : rows(top, true)}
      {groups.map(({ project, sessions: list }, index) => (
        <section key={project?.id ?? ''} class="session-group">
          <h3>{project?.name ?? t('no_project')}</h3>
          {rows(list, index === 0)}
        </section>
      ))}
      {archived.length === 0 ? null : (
        <details class="session-group">
          <summary>{t('archived', { count: archived.length })}</summary>
          {rows(archived)}
        </details>
      )}
    </>
  );
};

const SessionRow = ({
  session,
  engine,
  seen,
  isCurrent,
  onClose,
}: {
  session: SessionSummary;
  /** The name of its agent. */
  engine: string;
  seen: Seen;
  isCurrent: boolean;
  onClose: () => void;
}): JSX.Element => {
  const { t, actions } = useScene();
  const [editing, setEditing] = useState<'menu' | 'rename' | null>(null);
  const attention = attentionOf(session, seen);
  const name = sessionTitle(session) || t('new_session');
  return (
    <li onKeyDown={editing === null ? undefined : closeByEscape(() => setEditing(null))} class={isCurrent ? 'current' : ''}>
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
          {session.isPinned === true ? <Icon name="pin" /> : null}
          <span class="list-text">
            <span class="title-row">
              <span class="list-title">{name}</span>
              <time class="muted" dateTime={session.updatedAt}>
                {toWhen(new Date(session.updatedAt))}
              </time>
            </span>
            <span class="muted">
              {[
                ...(attention === 'idle' ? [] : [t(`attention_${attention}`)]),
                ...(session.forkedFrom === undefined ? [] : [t('forked')]),
                session.kind === 'client' ? t('outside') : engine,
                ...(session.costUsd === undefined ? [] : [toCost(session.costUsd)]),
              ].join(' · ')}
            </span>
          </span>
        </button>
        <MoreButton name={name} isOpen={editing !== null} onPress={() => setEditing(editing === null ? 'menu' : null)} />
      </div>
      {editing === 'menu' ? (
        <div class="buttons row-menu">
          <button type="button" onClick={() => void actions.placeSession(session.id, { isPinned: session.isPinned !== true })}>
            {t(session.isPinned === true ? 'unpin' : 'pin')}
          </button>
          <button type="button" onClick={() => setEditing('rename')}>
            {t('rename')}
          </button>
          <button type="button" onClick={() => void actions.placeSession(session.id, { isArchived: session.isArchived !== true })}>
            {t(session.isArchived === true ? 'unarchive' : 'archive')}
          </button>
          <button type="button" class="option-danger" onClick={() => void actions.removeSession(session.id)}>
            {t('delete')}
          </button>
        </div>
      ) : null}
      {editing === 'rename' ? (
        <Rename
          name={name}
          maxLength={MAX_SESSION_NAME_CHARS}
          onRename={(next) => void actions.renameSession(session.id, next)}
          onDone={() => setEditing(null)}
        />
      ) : null}
    </li>
  );
};
