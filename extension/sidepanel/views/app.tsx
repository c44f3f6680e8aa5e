/** The whole panel. Draws the state; everything that happens goes through the actions. */
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { toBadge } from '#display/amounts.ts';
import { countWanting, type Seen } from '#display/attention.ts';
import { reportIn } from '#display/reports.ts';
import { sayEnglish } from '#display/request-text.ts';
import { isChinese } from '#display/words.ts';
import type { Project, SessionSummary } from '#protocol/api.ts';
import { SessionId } from '#protocol/ids.ts';
import { emptyView } from '#protocol/view.ts';
import { toEntries, type Entry } from '../entries.ts';
import { Escapes } from '../escapes.ts';
import type { Look } from '#extension/shared/look.ts';
import type { Translate } from '../i18n.ts';
import type { Panel } from '../panel.ts';
import { canCompose, select, type Selected } from '../selected.ts';
import type { PanelState } from '../state.ts';
import { statusOf, type Status } from '../status.ts';
import { ActivitySheet } from './activity-sheet.tsx';
import { AuditSheet } from './audit-sheet.tsx';
import { ChangesSheet } from './changes-sheet.tsx';
import { Composer } from './composer.tsx';
import { ConnectionBanner, ConnectionPage } from './connection.tsx';
import { ConversationView } from './conversation.tsx';
import { useNoStrayDrops } from './drops.ts';
import { NewcomerPage } from './newcomer.tsx';
import { FindBar } from './find-bar.tsx';
import { Homeless } from './homeless.tsx';
import { Icon } from './icons.tsx';
import { ErrorText, Sentence, Sheet, Spinner } from './parts.tsx';
import { DEEDS, focusRequest, isEscape, RequestDock } from './request-dock.tsx';
import { ProjectPicker } from './project-picker.tsx';
import { SceneContext, useScene } from './scene.ts';
import { SessionDrawer, SessionPane } from './session-drawer.tsx';
import { SessionSettingsSheet } from './session-settings.tsx';
import { ModelList, SettingsRow } from './settings-row.tsx';
import { PinnedPlan, StatusLine, toActivity } from './status-line.tsx';
import { Welcome } from './welcome.tsx';

export const App = ({ panel, t, look }: { panel: Pick<Panel, 'store' | 'actions'>; t: Translate; look: Look }): JSX.Element => {
  const { store, actions } = panel;
  const [state, setState] = useState(store.state);
  const [focusCount, setFocusCount] = useState(0);
  useEffect(() => {
    setState(store.state);
    return store.subscribe(() => setState(store.state));
  }, [store]);
  const scene = useMemo(
    () => ({ t, actions, enter: look.enter, focusComposer: () => setFocusCount((count) => count + 1) }),
    [t, actions, look.enter],
  );
  return (
    <SceneContext.Provider value={scene}>
      <PanelView state={state} focusCount={focusCount} />
    </SceneContext.Provider>
  );
};

const PanelView = ({ state, focusCount }: { state: PanelState; focusCount: number }): JSX.Element => {
  const { t } = useScene();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [isAuditOpen, setAuditOpen] = useState(false);
  const [isFinding, setFinding] = useState(false);
  const [sheet, setSheet] = useState<'changes' | 'activity' | null>(null);
  const isWide = useWide();
  const dock = useRef<HTMLDivElement>(null);
  const status = statusOf(state);
  const selected = select(state);
  const { view } = selected;
  const outbox = state.outbox.filter((unsent) => unsent.sessionId === state.sessionId);
  const entries = useMemo(
    () => toEntries(state.conversation?.view ?? nowhere, outbox),
    [state.conversation, state.outbox, state.sessionId],
  );
  const { onEscape, isAgain } = useEscapes(selected, dock);
  useNoStrayDrops();
  useKeys({ onFind: () => setFinding(state.sessionId !== null), onEscape });
  const { sessions, projects, engines, removed, sessionId } = state;
  const seen = useMemo(
    () => (sessionId === null ? state.seen : { ...state.seen, [sessionId]: Number.POSITIVE_INFINITY }),
    [state.seen, sessionId],
  );
  // The list of sessions is left as it is while an answer grows beside it.
  const place = useMemo(() => {
    const showAudit = (): void => {
      setDrawerOpen(false);
      setAuditOpen(true);
    };
    const list = { state, seen, isWide, onAudit: showAudit, onClose: () => setDrawerOpen(false) };
    return <SessionPlace {...list} isOpen={isDrawerOpen} />;
  }, [sessions, projects, engines, removed, sessionId, seen, isWide, isDrawerOpen]);
  if (state.connection.state === 'newcomer') return <NewcomerPage admission={state.connection.admission} />;
  // Until the first lists have arrived, nothing on screen is worth keeping.
  if (sessions === null && status.kind !== 'connected') return <ConnectionPage status={status} />;

  return (
    <div class={isWide ? 'docked' : 'alone'}>
      {place}
      <div class={selected.mode?.isDangerous === true ? 'panel dangerous-mode' : 'panel'}>
        <Header
          state={state}
          selected={selected}
          status={status}
          wanting={countWanting(sessions ?? [], seen, sessionId)}
          onMenu={() => setDrawerOpen(true)}
          onSheet={setSheet}
        />
        <ConnectionBanner status={status} />
        <Banners state={state} />
        {isFinding && sessionId !== null ? <FindBar key={sessionId} sessionId={sessionId} onClose={() => setFinding(false)} /> : null}
        <Content state={state} selected={selected} entries={entries} isEmpty={outbox.length === 0} />
        <Footer state={state} selected={selected} focusCount={focusCount} dock={dock} isEscapeAgain={isAgain} />
        <p class="spoken" role="status" aria-live="polite">
          {view === null ? '' : isAgain ? t('escape_again') : toActivity(selected, view, t, Number.POSITIVE_INFINITY)}
        </p>
        <Sheets state={state} selected={selected} sheet={sheet} onClose={() => setSheet(null)} />
        {isAuditOpen ? <AuditSheet onClose={() => setAuditOpen(false)} /> : null}
      </div>
    </div>
  );
};

/** What is open above the conversation. */
const Sheets = ({
  state,
  selected,
  sheet,
  onClose,
}: {
  state: PanelState;
  selected: Selected;
  sheet: 'changes' | 'activity' | null;
  onClose: () => void;
}): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <>
      <SessionSettingsSheet state={state} selected={selected} />
      {state.isShowingModels && selected.engine !== null ? (
        <Sheet title={t('model')} onClose={() => actions.showModels(false)}>
          <ModelList engine={selected.engine} selected={selected} onDone={() => actions.showModels(false)} />
        </Sheet>
      ) : null}
      {sheet === 'activity' ? <ActivitySheet onClose={onClose} /> : null}
      {sheet === 'changes' && state.sessionId !== null ? (
        <ChangesSheet key={state.sessionId} sessionId={state.sessionId} view={selected.view} onClose={onClose} />
      ) : null}
    </>
  );
};

/** The list of sessions: docked where there is room for both, else a drawer. */
const SessionPlace = ({
  state,
  seen,
  isWide,
  isOpen,
  onAudit,
  onClose,
}: {
  state: PanelState;
  seen: Seen;
  isWide: boolean;
  isOpen: boolean;
  onAudit: () => void;
  onClose: () => void;
}): JSX.Element | null => {
  const { t } = useScene();
  const list = {
    sessions: state.sessions ?? [],
    projects: state.projects ?? [],
    engines: state.engines ?? [],
    removed: state.removed,
    seen,
    current: state.sessionId,
    onAudit,
    onClose,
  };
  if (!isWide) return isOpen ? <SessionDrawer {...list} /> : null;
  return (
    <aside class="dock" aria-label={t('sessions')}>
      <h2 class="spoken">{t('sessions')}</h2>
      <SessionPane {...list} />
    </aside>
  );
};

/** Whether the list of sessions has room beside the conversation. */
const useWide = (): boolean => {
  const [isWide, setWide] = useState(hasRoom);
  useEffect(() => {
    const root = document.querySelector('#root');
    if (root === null) return;
    const observer = new ResizeObserver(() => setWide(hasRoom()));
    observer.observe(root);
    return () => observer.disconnect();
  }, []);
  return isWide;
};

/** In the pixels of the panel, of which a window has fewer the larger the text is. */
const hasRoom = (): boolean => (document.querySelector('#root')?.clientWidth ?? 0) >= WIDE_PX;

const WIDE_PX = 640;

/** Keys that mean the same wherever the focus is, also where nothing has it. */
const useKeys = (on: { readonly onFind: () => void; readonly onEscape: () => void }): void => {
  const newest = useRef(on);
  newest.current = on;
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      if (event.isComposing || event.altKey || event.shiftKey) return;
      if (event.key === 'f' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        newest.current.onFind();
      }
      // In a line of a form, Escape is for that line.
      if (event.key === 'Escape' && !(event.target instanceof HTMLInputElement)) newest.current.onEscape();
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, []);
};

/** As in the terminal, Escape leads to the request that waits; where one has just gone, it stops only when it is pressed again. */
const useEscapes = (
  { view, isRunning }: Selected,
  dock: RefObject<HTMLDivElement | null>,
): { readonly onEscape: () => void; /** Whether to press it again was the last thing said. */ readonly isAgain: boolean } => {
  const { actions } = useScene();
  const { current: escapes } = useRef(new Escapes());
  const [isAgain, setAgain] = useState(false);
  const isWaiting = view !== null && view.requests.length > 0;
  const shown = useRef({ sessionId: view?.sessionId, isWaiting });
  // Before anything else can be pressed: an Escape that comes right after the card must not stop the agent.
  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = { sessionId: view?.sessionId, isWaiting };
    if (before.sessionId !== view?.sessionId) escapes.goOn();
    else if (before.isWaiting && !isWaiting) escapes.cardGone(performance.now());
    setAgain(false);
  }, [view?.sessionId, isWaiting, isRunning]);
  useEffect(() => {
    const goOn = (event: Event): void => {
      if (isEscape(event)) return;
      escapes.goOn();
      setAgain(false);
    };
    for (const type of DEEDS) document.addEventListener(type, goOn, { capture: true });
    return () => {
      for (const type of DEEDS) document.removeEventListener(type, goOn, { capture: true });
    };
  }, []);
  const onEscape = (): void => {
    const meaning = escapes.press({ isWaiting, isRunning }, performance.now());
    setAgain(meaning === 'again');
    if (meaning === 'card') focusRequest(dock);
    else if (meaning === 'stop') void actions.stop();
  };
  return { onEscape, isAgain };
};

const Header = ({
  state,
  selected: { title, project },
  status,
  wanting,
  onMenu,
  onSheet,
}: {
  state: PanelState;
  selected: Selected;
  status: Status;
  wanting: number;
  onMenu: () => void;
  onSheet: (sheet: 'changes' | 'activity') => void;
}): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <header class="top">
      <button
        type="button"
        class="ghost menu"
        aria-label={wanting === 0 ? t('sessions') : t('sessions_wanting', { count: wanting })}
        aria-haspopup="dialog"
        onClick={onMenu}
      >
        <Icon name="menu" />
        {wanting === 0 ? null : <span class="badge">{toBadge(wanting)}</span>}
      </button>
      <div class="heading">
        <h1 class="title">{title || t('new_session')}</h1>
        {project === null ? null : <ProjectButton projects={state.projects ?? []} sessions={state.sessions ?? []} project={project} />}
      </div>
      {state.sessionId === null ? null : (
        <button
          type="button"
          class="ghost"
          aria-label={t('changes')}
          aria-haspopup="dialog"
          title={t('changes')}
          onClick={() => onSheet('changes')}
        >
          <Icon name="changes" />
        </button>
      )}
      <button
        type="button"
        class="ghost"
        aria-label={t('activity')}
        aria-haspopup="dialog"
        title={t('activity')}
        onClick={() => onSheet('activity')}
      >
        <Icon name="pulse" />
      </button>
      <span class={`dot status-${status.kind}`} role="img" aria-label={t(status.kind)} title={t(status.kind)} />
      <button type="button" class="ghost" aria-label={t('new_session')} title={t('new_session')} onClick={() => actions.openSession(null)}>
        <Icon name="plus" />
      </button>
    </header>
  );
};

/** The folder in which the agent works, below the name of the session; a click chooses another. */
const ProjectButton = ({
  projects,
  sessions,
  project,
}: {
  projects: readonly Project[];
  sessions: readonly SessionSummary[];
  project: Project;
}): JSX.Element => {
  const { t } = useScene();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="project-button"
        aria-label={t('labelled', { label: t('project'), text: project.name })}
        aria-haspopup="dialog"
        title={project.rootPath}
        onClick={() => setOpen(true)}
      >
        <Icon name="folder" />
        <span>{project.name}</span>
        <Icon name="caret" />
      </button>
      {isOpen ? (
        <Sheet title={t('projects')} onClose={() => setOpen(false)}>
          <ProjectPicker projects={projects} sessions={sessions} current={project.id} onDone={() => setOpen(false)} />
        </Sheet>
      ) : null}
    </>
  );
};

const Content = ({
  state,
  selected,
  entries,
  isEmpty,
}: {
  state: PanelState;
  selected: Selected;
  entries: readonly Entry[];
  /** Whether no prompt waits here to be sent. */
  isEmpty: boolean;
}): JSX.Element => {
  const { t } = useScene();
  if (state.sessionId === null && entries.length === 0) return <Welcome state={state} selected={selected} />;
  if (selected.view === null && isEmpty) {
    return (
      <main class="page">
        <p role="status">
          <Spinner /> {t('loading')}
        </p>
      </main>
    );
  }
  return <ConversationView key={state.sessionId} entries={entries} earlier={state.conversation?.earlier ?? 0} reveal={state.reveal} />;
};

/** What the session does now, and the composer. Before there is a project, and an agent that can answer, there is no composer. */
const Footer = ({
  state,
  selected,
  focusCount,
  dock,
  isEscapeAgain,
}: {
  state: PanelState;
  selected: Selected;
  focusCount: number;
  dock: RefObject<HTMLDivElement | null>;
  /** Whether the next Escape stops the agent. */
  isEscapeAgain: boolean;
}): JSX.Element | null => {
  const { t } = useScene();
  const { view, mode } = selected;
  if (!selected.isHomeless && (state.projects ?? []).length === 0) return null;
  if (!canCompose(state)) return null;
  return (
    <footer class="bottom">
      {view === null ? null : (
        <RequestDock requests={view.requests} items={view.items} answering={state.answering} isStopping={selected.isStopping} dock={dock} />
      )}
      {view === null ? null : <PinnedPlan view={view} />}
      {view === null ? null : <StatusLine selected={selected} view={view} isEscapeAgain={isEscapeAgain} />}
      {mode?.isDangerous === true ? <p class="danger-line">{t('danger_on', { mode: sayEnglish(mode.label, t) })}</p> : null}
      {selected.isForeign ? (
        <p class="muted foreign">{t('foreign')}</p>
      ) : selected.isHomeless ? (
        <Homeless state={state} />
      ) : (
        <>
          <Composer selected={selected} draft={state.draft} draftKey={state.sessionId ?? 'new'} focusCount={focusCount} />
          <SettingsRow state={state} selected={selected} />
        </>
      )}
    </footer>
  );
};

const nowhere = emptyView(SessionId.parse('new'));

/** What the companion has to tell, one thing at a time. */
const Warning = ({ state }: { state: PanelState }): JSX.Element | null => {
  const { t, actions } = useScene();
  const [first, ...others] = state.warnings.filter((text) => !state.dismissed.includes(text));
  if (first === undefined) return null;
  return (
    <div class="banner" role="status">
      <p>
        <Icon name="warning" /> <Sentence text={reportIn(isChinese(t) ? 'zh' : 'en', first)} />
        {others.length === 0 ? null : <span class="muted"> {t('more_warnings', { count: others.length })}</span>}
      </p>
      <button type="button" class="ghost" aria-label={t('dismiss')} onClick={() => actions.dismissWarning(first)}>
        <Icon name="close" />
      </button>
    </div>
  );
};

/** Notices that the user should see but need not act on. */
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
      <Warning state={state} />
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
        <div class="banner" role="status">
          <p>
            <Sentence text={t('other_version')} />
          </p>
        </div>
      )}
      {state.skippedEvents === 0 ? null : (
        <div class="banner" role="status">
          <p>{t('skipped', { count: state.skippedEvents })}</p>
        </div>
      )}
    </>
  );
};
