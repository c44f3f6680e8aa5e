/** The whole panel. Draws the state; everything that happens goes through the actions. */
import { useSignal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { toBadge } from '#display/amounts.ts';
import { warningLine } from '#display/said.ts';
import { labelText } from '#display/engines.ts';
import type { Project } from '#protocol/api.ts';
import type { SessionId } from '#protocol/ids.ts';
import { warningText } from '#protocol/warnings.ts';
import { Escapes } from '../escapes.ts';
import type { Look } from '#extension/shared/look.ts';
import type { Translate } from '../i18n.ts';
import type { Panel } from '../panel.ts';
import { canCompose } from '../selected.ts';
import { Shown } from '../shown.ts';
import { ChangesSheet } from './changes-sheet.tsx';
import { Composer } from './composer.tsx';
import { ConnectionBanner, ConnectionPage } from './connection.tsx';
import { ConversationView } from './conversation.tsx';
import { useNoStrayDrops } from './drops.ts';
import { Lazy } from './lazy.tsx';
import { NewcomerPage } from './newcomer.tsx';
import { FindBar } from './find-bar.tsx';
import { Homeless } from './homeless.tsx';
import { Icon } from './icons.tsx';
import { KeptContext, newKept, type Kept } from './kept.ts';
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
  const { actions } = panel;
  const { state } = panel.store;
  const shown = useMemo(() => new Shown(state), [state]);
  const focusCount = useSignal(0);
  const scene = useMemo(
    () => ({ t, actions, state, shown, enter: look.enter, focusComposer: () => void (focusCount.value += 1) }),
    [t, actions, state, shown, look.enter, focusCount],
  );
  useNoStrayDrops();
  return (
    <SceneContext.Provider value={scene}>
      <PanelView focusCount={focusCount} />
    </SceneContext.Provider>
  );
};

const PanelView = ({ focusCount }: { focusCount: ReadonlySignal<number> }): JSX.Element => {
  const { state, shown } = useScene();
  const { connection } = state;
  if (connection.state === 'newcomer') return <NewcomerPage admission={connection.admission} />;
  // Until the first lists have arrived, nothing on screen is worth keeping.
  if (state.sessions === null && shown.status.kind !== 'connected') return <ConnectionPage />;
  return <ReadyPanel focusCount={focusCount} />;
};

type SheetName = 'changes' | 'activity' | 'audit';

/** The panel once there is something to show. */
const ReadyPanel = ({ focusCount }: { focusCount: ReadonlySignal<number> }): JSX.Element => {
  const { state, shown } = useScene();
  const isDrawerOpen = useSignal(false);
  const isFinding = useSignal(false);
  const sheet = useSignal<SheetName | null>(null);
  const isWide = useWide();
  const kept = useKeptOf(state.sessionId);
  const dock = useRef<HTMLDivElement>(null);
  const { onEscape, isAgain } = useEscapes(dock);
  useKeys({ onFind: () => (isFinding.value = state.sessionId !== null), onEscape });
  return (
    <div class={isWide ? 'docked' : 'alone'}>
      <SessionPlace isWide={isWide} isOpen={isDrawerOpen} sheet={sheet} />
      <div class={shown.selected.mode?.isDangerous === true ? 'panel dangerous-mode' : 'panel'}>
        <Header isDrawerOpen={isDrawerOpen} sheet={sheet} />
        <ConnectionBanner />
        <Banners />
        <Find isOpen={isFinding} />
        <KeptContext.Provider value={kept}>
          <Content />
          <Footer focusCount={focusCount} dock={dock} isEscapeAgain={isAgain} />
        </KeptContext.Provider>
        <Spoken isEscapeAgain={isAgain} />
        <Sheets sheet={sheet} />
      </div>
    </div>
  );
};

/** What is said aloud while the agent works. */
const Spoken = ({ isEscapeAgain }: { isEscapeAgain: ReadonlySignal<boolean> }): JSX.Element => {
  const { t, shown } = useScene();
  const { view } = shown.selected;
  return (
    <p class="spoken" role="status" aria-live="polite">
      {view === null ? '' : isEscapeAgain.value ? t('escape_again') : toActivity(shown.selected, view, t, Number.POSITIVE_INFINITY)}
    </p>
  );
};

const Find = ({ isOpen }: { isOpen: Signal<boolean> }): JSX.Element | null => {
  const { sessionId } = useScene().state;
  if (!isOpen.value || sessionId === null) return null;
  return <FindBar key={sessionId} sessionId={sessionId} onClose={() => (isOpen.value = false)} />;
};

/** What is open above the conversation. */
const Sheets = ({ sheet }: { sheet: Signal<SheetName | null> }): JSX.Element => {
  const { t, actions, state, shown } = useScene();
  const { engine } = shown.selected;
  const onClose = (): void => {
    sheet.value = null;
  };
  return (
    <>
      <SessionSettingsSheet />
      {state.isShowingModels && engine !== null ? (
        <Sheet title={t('model')} onClose={() => actions.showModels(false)}>
          <ModelList engine={engine} onDone={() => actions.showModels(false)} />
        </Sheet>
      ) : null}
      {sheet.value === 'activity' ? <Lazy load={loadActivity} props={{ onClose }} /> : null}
      {sheet.value === 'changes' && state.sessionId !== null ? (
        <ChangesSheet key={state.sessionId} sessionId={state.sessionId} onClose={onClose} />
      ) : null}
      {sheet.value === 'audit' ? <Lazy load={loadAudit} props={{ onClose }} /> : null}
    </>
  );
};

const loadActivity = async () => (await import('./activity-sheet.tsx')).ActivitySheet;
const loadAudit = async () => (await import('./audit-sheet.tsx')).AuditSheet;

/** The list of sessions: docked where there is room for both, else a drawer. */
const SessionPlace = ({
  isWide,
  isOpen,
  sheet,
}: {
  isWide: boolean;
  isOpen: Signal<boolean>;
  sheet: Signal<SheetName | null>;
}): JSX.Element | null => {
  const { t } = useScene();
  const onClose = (): void => {
    isOpen.value = false;
  };
  const onAudit = (): void => {
    onClose();
    sheet.value = 'audit';
  };
  if (!isWide) return isOpen.value ? <SessionDrawer onAudit={onAudit} onClose={onClose} /> : null;
  return (
    <aside class="dock" aria-label={t('sessions')}>
      <h2 class="spoken">{t('sessions')}</h2>
      <SessionPane onAudit={onAudit} onClose={onClose} />
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
  dock: RefObject<HTMLDivElement | null>,
): {
  readonly onEscape: () => void;
  /** Whether to press it again was the last thing said. */ readonly isAgain: ReadonlySignal<boolean>;
} => {
  const { actions, state, shown } = useScene();
  const { current: escapes } = useRef(new Escapes());
  const isAgain = useSignal(false);
  const { sessionId } = state;
  const { isRunning, requests } = shown.selected;
  const isWaiting = requests.length > 0;
  const before = useRef({ sessionId, isWaiting });
  // Before anything else can be pressed: an Escape that comes right after the card must not stop the agent.
  useLayoutEffect(() => {
    const last = before.current;
    before.current = { sessionId, isWaiting };
    if (last.sessionId !== sessionId) escapes.goOn();
    else if (last.isWaiting && !isWaiting) escapes.cardGone(performance.now());
    isAgain.value = false;
  }, [sessionId, isWaiting, isRunning]);
  useEffect(() => {
    const goOn = (event: Event): void => {
      if (isEscape(event)) return;
      escapes.goOn();
      isAgain.value = false;
    };
    for (const type of DEEDS) document.addEventListener(type, goOn, { capture: true });
    return () => {
      for (const type of DEEDS) document.removeEventListener(type, goOn, { capture: true });
    };
  }, []);
  const onEscape = (): void => {
    const meaning = escapes.press({ isWaiting, isRunning }, performance.now());
    isAgain.value = meaning === 'again';
    if (meaning === 'card') focusRequest(dock);
    else if (meaning === 'stop') void actions.stop();
  };
  return { onEscape, isAgain };
};

const Header = ({ isDrawerOpen, sheet }: { isDrawerOpen: Signal<boolean>; sheet: Signal<SheetName | null> }): JSX.Element => {
  const { t, actions, state, shown } = useScene();
  const { title, project } = shown.selected;
  const { status, wanting } = shown;
  return (
    <header class="top">
      <button
        type="button"
        class="ghost menu"
        aria-label={wanting === 0 ? t('sessions') : t('sessions_wanting', { count: wanting })}
        aria-haspopup="dialog"
        onClick={() => (isDrawerOpen.value = true)}
      >
        <Icon name="menu" />
        {wanting === 0 ? null : <span class="badge">{toBadge(wanting)}</span>}
      </button>
      <div class="heading">
        <h1 class="title">{title || t('new_session')}</h1>
        {project === null ? null : <ProjectButton project={project} />}
      </div>
      {state.sessionId === null ? null : (
        <button
          type="button"
          class="ghost"
          aria-label={t('changes')}
          aria-haspopup="dialog"
          title={t('changes')}
          onClick={() => (sheet.value = 'changes')}
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
        onClick={() => (sheet.value = 'activity')}
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
const ProjectButton = ({ project }: { project: Project }): JSX.Element => {
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
          <ProjectPicker current={project.id} onDone={() => setOpen(false)} />
        </Sheet>
      ) : null}
    </>
  );
};

const Content = (): JSX.Element => {
  const { t, state, shown } = useScene();
  const { entries, outbox, selected } = shown;
  if (state.sessionId === null && entries.length === 0) return <Welcome />;
  if (selected.view === null && outbox.length === 0) {
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

/** What the person unfolded and wrote in each session. */
const useKeptOf = (sessionId: SessionId | null): Kept => {
  const all = useRef(new Map<SessionId | null, Kept>());
  const kept = all.current.get(sessionId) ?? newKept();
  all.current.set(sessionId, kept);
  return kept;
};

/** What the session does now, and the composer. Before there is a project, and an agent that can answer, there is no composer. */
const Footer = ({
  focusCount,
  dock,
  isEscapeAgain,
}: {
  focusCount: ReadonlySignal<number>;
  dock: RefObject<HTMLDivElement | null>;
  /** Whether the next Escape stops the agent. */
  isEscapeAgain: ReadonlySignal<boolean>;
}): JSX.Element | null => {
  const { t, state, shown } = useScene();
  const { mode, isForeign, isHomeless } = shown.selected;
  if (!isHomeless && (state.projects ?? []).length === 0) return null;
  if (!canCompose(state)) return null;
  return (
    <footer class="bottom">
      <RequestDock dock={dock} />
      <PinnedPlan />
      <StatusLine isEscapeAgain={isEscapeAgain} />
      {mode?.isDangerous === true ? <p class="danger-line">{t('danger_on', { mode: labelText(mode, t) })}</p> : null}
      {isForeign ? (
        <p class="muted foreign">{t('foreign')}</p>
      ) : isHomeless ? (
        <Homeless />
      ) : (
        <>
          <Composer focusCount={focusCount} />
          <SettingsRow />
        </>
      )}
    </footer>
  );
};

/** What the companion has to tell, one thing at a time. */
const Warning = (): JSX.Element | null => {
  const { t, actions, state } = useScene();
  const [first, ...others] = state.warnings.filter((warning) => !state.dismissed.includes(warningText(warning)));
  if (first === undefined) return null;
  return (
    <div class="banner" role="status">
      <p>
        <Icon name="warning" /> <Sentence text={warningLine(first, t)} />
        {others.length === 0 ? null : <span class="muted"> {t('more_warnings', { count: others.length })}</span>}
      </p>
      <button type="button" class="ghost" aria-label={t('dismiss')} onClick={() => actions.dismissWarning(warningText(first))}>
        <Icon name="close" />
      </button>
    </div>
  );
};

/** Notices that the user should see but need not act on. */
const Banners = (): JSX.Element => {
  const { t, actions, state } = useScene();
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
      <Warning />
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
