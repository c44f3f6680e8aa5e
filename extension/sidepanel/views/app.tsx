/** The whole panel. Draws the state; everything that happens goes through the actions. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { isUnasked } from '#protocol/view.ts';
import { SessionId } from '#protocol/ids.ts';
import { attentionOf } from '#display/attention.ts';
import { toEntries } from '../entries.ts';
import { emptyConversation } from '../fold.ts';
import type { Translate } from '../i18n.ts';
import type { Panel } from '../panel.ts';
import { select } from '../selected.ts';
import type { PanelState } from '../state.ts';
import { statusOf } from '../status.ts';
import { Composer, type Composed } from './composer.tsx';
import { ConnectionBanner, ConnectionPage } from './connection.tsx';
import { ConversationView } from './conversation.tsx';
import { EngineSetupSheet } from './engine-setup.tsx';
import { Icon } from './icons.tsx';
import { ErrorText, Spinner } from './parts.tsx';
import { SceneContext, useScene } from './scene.ts';
import { SessionDrawer } from './session-drawer.tsx';
import { SessionSettingsSheet } from './session-settings.tsx';
import { SettingsRow } from './settings-row.tsx';
import { PinnedPlan, StatusLine, toActivity } from './status-line.tsx';
import { Welcome } from './welcome.tsx';

export const App = ({ panel, t }: { panel: Panel; t: Translate }): JSX.Element => {
  const { store, actions, local } = panel;
  const [state, setState] = useState(store.state);
  const [composed, setComposed] = useState<Composed | null>(null);
  useEffect(() => {
    setState(store.state);
    return store.subscribe(() => setState(store.state));
  }, [store]);
  const scene = useMemo(
    () => ({
      t,
      actions,
      local,
      compose: (text: string | null) => setComposed((before) => ({ text, count: (before?.count ?? 0) + 1 })),
    }),
    [t, actions, local],
  );
  return (
    <SceneContext.Provider value={scene}>
      <PanelView state={state} composed={composed} />
    </SceneContext.Provider>
  );
};

const PanelView = ({ state, composed }: { state: PanelState; composed: Composed | null }): JSX.Element => {
  const { t, actions } = useScene();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const status = statusOf(state);
  const selected = select(state);
  const { view } = selected;
  const outbox = state.outbox.filter((unsent) => unsent.sessionId === state.sessionId);
  const entries = useMemo(() => toEntries(state.conversation ?? nowhere, outbox), [state.conversation, state.outbox, state.sessionId]);
  // Until the first lists are here there is nothing worth keeping on screen.
  if (state.sessions === null && status.kind !== 'connected') return <ConnectionPage status={status} />;

  const seen = state.sessionId === null ? state.seen : { ...state.seen, [state.sessionId]: Number.POSITIVE_INFINITY };
  const wanting = (state.sessions ?? []).filter(
    (session) => session.id !== state.sessionId && !['running', 'idle'].includes(attentionOf(session, seen)),
  ).length;
  const isReady = state.projects !== null && state.projects.length > 0;
  const lastPrompt = view?.turns.findLast((turn) => !isUnasked(turn))?.prompt;

  return (
    <div
      class={selected.mode?.isDangerous === true ? 'panel dangerous-mode' : 'panel'}
      onKeyDown={(event) => {
        // In a line of a form Escape means that line.
        const isElsewhere = event.isComposing || event.target instanceof HTMLInputElement;
        // While a request waits, Escape is meant for its card.
        if (event.key === 'Escape' && !isElsewhere && selected.isRunning && view?.status !== 'waiting') void actions.stop();
      }}
    >
      <header class="top">
        <button type="button" class="ghost menu" aria-label={t('sessions')} aria-haspopup="dialog" onClick={() => setDrawerOpen(true)}>
          <Icon name="menu" />
          {wanting === 0 ? null : <span class="badge">{wanting}</span>}
        </button>
        <h1 class="title">{selected.title || t('new_session')}</h1>
        <span class={`dot status-${status.kind}`} role="img" aria-label={t(status.kind)} title={t(status.kind)} />
        <button
          type="button"
          class="ghost"
          aria-label={t('new_session')}
          title={t('new_session')}
          onClick={() => actions.openSession(null)}
        >
          <Icon name="plus" />
        </button>
      </header>
      <ConnectionBanner status={status} />
      <Banners state={state} />
      {state.sessionId === null && entries.length === 0 ? (
        <Welcome state={state} selected={selected} />
      ) : view === null && outbox.length === 0 ? (
        <main class="page">
          <p role="status">
            <Spinner /> {t('loading')}
          </p>
        </main>
      ) : (
        <ConversationView key={state.sessionId} entries={entries} answering={state.answering} />
      )}
      {isReady ? (
        <footer class="bottom">
          {view === null ? null : <PinnedPlan view={view} />}
          {view === null ? null : <StatusLine selected={selected} view={view} />}
          {selected.mode?.isDangerous === true ? <p class="danger-line">{t('danger_on', { mode: selected.mode.label })}</p> : null}
          {selected.isForeign ? (
            <p class="muted foreign">{t('foreign')}</p>
          ) : (
            <>
              <Composer
                selected={selected}
                draftKey={state.sessionId ?? 'new'}
                composed={composed}
                lastPrompt={lastPrompt?.displayText ?? lastPrompt?.text ?? ''}
              />
              <SettingsRow state={state} selected={selected} />
            </>
          )}
        </footer>
      ) : null}
      <p class="spoken" role="status" aria-live="polite">
        {view === null ? '' : toActivity(selected, view, t, Number.POSITIVE_INFINITY)}
      </p>
      <EngineSetupSheet state={state} />
      <SessionSettingsSheet state={state} selected={selected} />
      {isDrawerOpen ? (
        <SessionDrawer sessions={state.sessions ?? []} seen={seen} current={state.sessionId} onClose={() => setDrawerOpen(false)} />
      ) : null}
    </div>
  );
};

const nowhere = emptyConversation(SessionId.parse('new'));

/** What the user should know and can do without. */
const Banners = ({ state }: { state: PanelState }): JSX.Element => {
  const { t, actions } = useScene();
  const advice = state.connection.state === 'connected' ? state.connection.advice : undefined;
  const isBehind = state.log?.state === 'waiting' && state.log.attempt > 1 && state.daemon?.state === 'live';
  return (
    <>
      {state.failure === null ? null : (
        <div class="banner banner-failure" role="alert">
          <ErrorText error={state.failure} />
          <button type="button" class="ghost" aria-label={t('dismiss')} onClick={() => actions.dismissFailure()}>
            <Icon name="close" />
          </button>
        </div>
      )}
      {state.log?.state === 'ended' ? (
        <div class="banner" role="alert">
          <ErrorText error={state.log.error} />
        </div>
      ) : null}
      {isBehind ? (
        <div class="banner" role="status">
          <p>
            <Spinner /> {t('behind')}
          </p>
        </div>
      ) : null}
      {advice === undefined ? null : (
        <div class="banner">
          <p>{advice}</p>
        </div>
      )}
      {state.skippedEvents === 0 ? null : (
        <div class="banner">
          <p>{t('skipped', { count: state.skippedEvents })}</p>
        </div>
      )}
    </>
  );
};
