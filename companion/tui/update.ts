/** The one place where the state changes: something happened, this is the next state and what is to be done about it. */
import { warningLine } from '#display/said.ts';
import { byAttention, withSeen } from '#display/attention.ts';
import type { Admission } from '#protocol/admission.ts';
import type { Project, SessionSummary, StateEvent } from '#protocol/api.ts';
import type { AuditReport } from '#protocol/audit.ts';
import type { SessionEvent } from '#protocol/events.ts';
import type { ItemId, RequestId, SessionId } from '#protocol/ids.ts';
import type { SearchAnswer } from '#protocol/search.ts';
import type { BrowserSetup, ExtensionSetup, Finding } from '#protocol/setup.ts';
import { withEarlier } from '#protocol/pages.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';
import { warningsIn, warningText, type Warning } from '#protocol/warnings.ts';
import { takeChanges } from './commands/changes.ts';
import { stopDisabled, takeEngines } from './commands/session.ts';
import { change } from './commands/composer.ts';
import { focusOn, showTab } from './commands/focus.ts';
import { openSession, selectRow } from './commands/lists.ts';
import { takeFolder, takeFolders } from './commands/projects.ts';
import { takeManaged } from './commands/manage.ts';
import { openMention, takeFiles } from './commands/mention.ts';
import { changeInput, filterPicker, movePicker, scrollOverlay } from './commands/overlay.ts';
import { answerWithKey, isOwnRow, openQuestions, withForm } from './commands/request.ts';
import { scrollBy, scrollCard, scrollCardDisabled } from './commands/scroll.ts';
import { changeSearch, foundIn, moveInSearch, takeFound } from './commands/search.ts';
import { readTasks, takeOutput } from './commands/tasks.ts';
import { offerChoices } from './commands/worktree.ts';
import { draftOf, edit, insert } from './editing.ts';
import { layoutOf } from './frame.ts';
import type { Input } from './keys.ts';
import { onlyLooking } from './read-only.ts';
import { activeBindings, bindingFor } from './keymap.ts';
import { currentDraft, focusRing, hit, type Layout } from './layout.ts';
import { rowsOf, selectedIndex, waitingBrowsers } from './rows.ts';
import { languageTag, say, t } from './say.ts';
import { firstRow } from './views/list.ts';
import { tabAt } from './views/main.ts';
import { toLogLine } from './views/logs.ts';
import { pageLines, pageOf, type Page } from './views/overlay.ts';
import { PICKER_HEAD, visibleChoices } from './views/picker.ts';
import { SEARCH_HEAD } from './views/search.ts';
import { answerAt } from './views/request.ts';
import type { Area } from './manage.ts';
import { attachedTo, outcome, type Attached, type Choice, type FolderChange, type Notice, type Outcome, type TuiState } from './state.ts';

/** What can happen to the terminal UI. */
export type Happening =
  | { type: 'input'; input: Input }
  | { type: 'resized'; columns: number; rows: number }
  | { type: 'state'; event: StateEvent }
  | { type: 'audit'; report: AuditReport }
  | { type: 'changes'; report: FolderChange }
  | { type: 'files'; files: readonly string[] }
  | { type: 'folders'; typed: string; folders: readonly string[] }
  | { type: 'folder'; folder: string }
  /** The session that is opened, as it stands. */
  | { type: 'view'; view: SessionView }
  /** What stands before the item with which the conversation begins here. */
  | { type: 'earlier'; sessionId: SessionId; before: ItemId; part: Pick<SessionView, 'turns' | 'items' | 'answered'> }
  | { type: 'event'; event: SessionEvent }
  | { type: 'resync'; sessionId: SessionId }
  | { type: 'link'; link: TuiState['link'] }
  | { type: 'setup'; browserSetups: readonly BrowserSetup[]; extension: ExtensionSetup | null; command: string }
  /** A list to manage, as it stands. */
  | { type: 'managed'; area: Area; choices: readonly Choice[] }
  | { type: 'checks'; checks: readonly Finding[] }
  /** The request has been on the screen long enough to be answered from the composer. */
  | { type: 'armed'; requestId: RequestId }
  | { type: 'created'; sessionId: SessionId }
  | { type: 'deleted'; sessionId: SessionId }
  | { type: 'warnings'; warnings: readonly Warning[] }
  | { type: 'logs'; lines: readonly string[] }
  | { type: 'notice'; notice: Notice | null }
  /** A prompt that the daemon did not take. */
  | { type: 'unsent'; sessionId: SessionId; text: string; attached?: readonly Attached[] }
  /** A file that goes along with the next message. */
  | { type: 'attached'; sessionId: SessionId; file: Attached }
  /** Another agent works in the folder of a prompt. */
  | { type: 'taken'; sessionId: SessionId; text: string }
  /** A person who is probably new here; `registers` when nothing was ever put in place for them. */
  | { type: 'welcome'; registers: boolean }
  /** Time to look again at what tells nothing by itself. */
  | { type: 'tick' }
  | { type: 'output'; itemId: ItemId; text: string }
  /** What a search came to. */
  | { type: 'found'; query: string; answer: SearchAnswer };

/** Most log lines kept here; the file has the rest. */
const MAX_LOG_LINES = 2000;

/** Most keys of notifications remembered. */
const MAX_RUNG = 200;

/** Lines a turn of the wheel scrolls. */
const WHEEL_LINES = 3;

/** The next state. */
export const update = (state: TuiState, happening: Happening): Outcome =>
  keepWithin(watchStop(watchCard(onlyLooking(state, react(state, happening)))));

const react = (state: TuiState, happening: Happening): Outcome => {
  switch (happening.type) {
    case 'input':
      return takeInput({ ...state, notice: null, isStopAsked: state.notice?.isOf === 'stop' }, happening.input);
    case 'resized':
      return outcome({ ...state, size: { columns: happening.columns, rows: happening.rows } });
    case 'state':
      return takeState(state, happening.event);
    case 'event':
      if (state.session?.sessionId !== happening.event.sessionId) return outcome(state);
      return outcome({ ...state, session: project(state.session, happening.event) });
    case 'view':
      return outcome(state.session?.sessionId === happening.view.sessionId ? { ...state, session: happening.view } : state);
    case 'earlier':
      return outcome({ ...state, session: withPart(state.session, happening) });
    case 'resync':
      return outcome(state.session?.sessionId === happening.sessionId ? { ...state, session: emptyView(happening.sessionId) } : state);
    case 'link':
      return outcome({ ...state, link: happening.link });
    case 'setup':
      return outcome({ ...state, browserSetups: happening.browserSetups, extension: happening.extension, command: happening.command });
    case 'managed':
      return outcome(takeManaged(state, happening.area, happening.choices));
    case 'checks':
      return outcome({ ...state, checks: happening.checks });
    case 'armed':
      return outcome(state.card?.requestId === happening.requestId ? { ...state, card: { ...state.card, isArmed: true } } : state);
    case 'created': {
      const opened = openSession(state, happening.sessionId);
      return { ...opened, state: { ...opened.state, focus: 'composer' } };
    }
    case 'deleted':
      return takeDeleted(state, happening.sessionId);
    case 'warnings':
      return outcome(takeWarnings(state, happening.warnings));
    case 'logs':
      return outcome(addLogs(state, happening.lines));
    case 'notice':
      return outcome({ ...state, notice: happening.notice });
    case 'unsent':
      return outcome(takeBack(state, happening));
    case 'attached':
      return outcome({
        ...withAttached(state, happening.sessionId, [...attachedTo(state, happening.sessionId), happening.file]),
        notice: null,
      });
    case 'taken':
      return offerChoices(state, happening.sessionId, happening.text);
    case 'files':
      return outcome(takeFiles(state, happening.files));
    case 'changes':
      return outcome(takeChanges(state, happening.report));
    case 'audit':
      return outcome(state.overlay?.type === 'audit' ? { ...state, overlay: { ...state.overlay, report: happening.report } } : state);
    case 'tick':
      return outcome(state, ...readTasks(state));
    case 'output':
      return takeOutput(state, happening.itemId, happening.text);
    case 'folders':
      return outcome(takeFolders(state, happening.typed, happening.folders));
    case 'folder':
      return outcome(takeFolder(state, happening.folder));
    case 'found':
      return outcome(takeFound(state, happening.query, happening.answer));
    case 'welcome':
      return outcome(
        state.overlay === null ? { ...state, overlay: { type: 'guide', top: 0 } } : state,
        ...(happening.registers ? [{ type: 'setup.install' } as const] : []),
      );
  }
};

/** A session that is shown closes; what is deleted can be brought back for a while. */
const takeDeleted = (state: TuiState, sessionId: SessionId): Outcome => {
  const remedy = t('<sessions u> in the list of sessions brings it back within an hour.');
  const next: TuiState = { ...state, deleted: sessionId, notice: { level: 'info', text: t('The session is deleted.'), remedy } };
  if (state.session !== null && state.session.sessionId !== sessionId) return outcome(next);
  return outcome({ ...next, session: null, focus: 'sessions' }, { type: 'session.open', sessionId: null });
};

/** What was not sent stands in the composer again, unless something else is written there by now. */
const takeBack = (state: TuiState, { sessionId, text, attached = [] }: Extract<Happening, { type: 'unsent' }>): TuiState => {
  const next = withAttached(state, sessionId, [...attached, ...attachedTo(state, sessionId)]);
  const draft = state.drafts[sessionId];
  return draft !== undefined && draft.text !== '' ? next : { ...next, drafts: { ...state.drafts, [sessionId]: draftOf(text) } };
};

const withAttached = (state: TuiState, sessionId: SessionId, files: readonly Attached[]): TuiState => ({
  ...state,
  attached: { ...state.attached, [sessionId]: files },
});

/** What came meanwhile, an emptied session for instance, decides. */
const withPart = (session: SessionView | null, { sessionId, before, part }: Extract<Happening, { type: 'earlier' }>): SessionView | null =>
  session?.sessionId === sessionId && session.items.some(({ itemId }) => itemId === before) ? withEarlier(session, part) : session;

const takeState = (state: TuiState, event: StateEvent): Outcome => {
  switch (event.type) {
    case 'sessions':
      return takeSessions(state, event.sessions);
    case 'projects':
      return outcome({ ...state, projects: event.projects, selected: keepProject(state, event.projects) });
    case 'engines':
      return outcome(takeEngines(state, event.engines));
    case 'browsers':
      return outcome({ ...state, browsers: event.browsers });
    case 'admissions':
      return outcome(takeAdmissions(state, event.admissions));
    case 'warnings':
      return outcome(takeWarnings(state, warningsIn(event)));
    case 'log':
      return outcome(addLogs(state, [event.line]));
    case 'notification':
      return ringOnce(state, event.notification.key);
    // The bell has rung, and there is nothing to take back.
    case 'notification.over':
    case 'heartbeat':
      return outcome(state);
  }
};

/** What is new among them is told; what is over is no longer. */
const takeWarnings = (state: TuiState, warnings: readonly Warning[]): TuiState => {
  const [before, now] = [state.warnings.map(warningText), warnings.map(warningText)];
  const fresh = warnings.find((warning) => !before.includes(warningText(warning)));
  const isOver = state.warnings.some((warning) => !now.includes(warningText(warning)) && state.notice?.text === warningLine(warning, say));
  if (fresh === undefined) return { ...state, warnings, notice: isOver ? null : state.notice };
  return { ...state, warnings, notice: { level: 'warning', text: warningLine(fresh, say), remedy: t('<global w> shows more.') } };
};

/** The same thing may be told again after a reconnection; a kind that is switched off is not told at all. */
const ringOnce = (state: TuiState, key: string): Outcome =>
  state.rung.includes(key) ? outcome(state) : outcome({ ...state, rung: [...state.rung, key].slice(-MAX_RUNG) }, { type: 'bell' });

/** A browser that comes is told once, and its page opens over the welcome, which waits for it; it closes when it was decided about elsewhere. */
const takeAdmissions = (state: TuiState, admissions: readonly Admission[]): TuiState => {
  const next = { ...state, admissions };
  const known = new Set(waitingBrowsers(state).map(({ id }) => id));
  const waiting = waitingBrowsers(next);
  const comer = waiting.find(({ id }) => !known.has(id));
  const { overlay } = state;
  const isDecided = overlay?.type === 'admission' && !waiting.some(({ id }) => id === overlay.id);
  return {
    ...next,
    overlay: isDecided ? null : comer !== undefined && overlay?.type === 'guide' ? { type: 'admission', id: comer.id } : overlay,
    notice:
      comer === undefined
        ? state.notice
        : {
            level: 'warning',
            text: t('A browser waits for you: "{name}".', { name: comer.name }),
            remedy: t('Choose it in the list of browsers (<global 4>) and press <browsers enter>.'),
          },
  };
};

/** The first list that arrives opens the session that needs the user most; a session that was deleted elsewhere closes. */
const takeSessions = (state: TuiState, sessions: readonly SessionSummary[]): Outcome => {
  const isFirst = state.sessions.length === 0;
  const isSeen = ({ id }: SessionSummary): boolean => isFirst || id === state.session?.sessionId;
  const next = { ...state, sessions, isListed: true, seen: withSeen(state.seen, sessions.filter(isSeen)) };
  const isGone =
    state.session !== null &&
    state.sessions.some(({ id }) => id === state.session?.sessionId) &&
    !sessions.some(({ id }) => id === state.session?.sessionId);
  if (isGone) return outcome({ ...next, session: null }, { type: 'session.open', sessionId: null });
  const first = byAttention(
    sessions.filter(({ isArchived }) => isArchived !== true),
    next.seen,
  )[0];
  if (state.session !== null || !isFirst || first === undefined) return outcome(next);
  const opened = openSession(next, first.id);
  return { ...opened, state: { ...opened.state, focus: 'sessions' } };
};

const keepProject = ({ selected }: TuiState, projects: readonly Project[]): TuiState['selected'] =>
  projects.some(({ id }) => id === selected.projects) ? selected : { ...selected, projects: null };

const addLogs = (state: TuiState, lines: readonly string[]): TuiState => ({
  ...state,
  logs: [...state.logs, ...lines.map(toLogLine)].slice(-MAX_LOG_LINES),
});

const takeInput = (state: TuiState, input: Input): Outcome => {
  if (input.type === 'mouse') return takeMouse(state, input);
  if (input.type === 'paste') return takePaste(state, input);
  const found = bindingFor(state, input.key);
  if (found !== null && found.disabledReason === null) return found.binding.run(state);
  const edited = takeText(state, (draft) => edit(draft, input.key), input.key);
  if (edited !== null) return edited;
  return found === null ? outcome(state) : outcome({ ...state, notice: { level: 'info', text: found.disabledReason ?? '', remedy: null } });
};

const takePaste = (state: TuiState, { text, isCut }: Extract<Input, { type: 'paste' }>): Outcome => {
  const taken = takeText(state, (draft) => insert(draft, text));
  if (taken === null || !isCut) return taken ?? outcome(state);
  const notice = {
    level: 'warning',
    text: t('Only the first {count} characters were pasted.', { count: text.length.toLocaleString(languageTag()) }),
    remedy: t('Put a long text into a file and name it with @.'),
  } as const;
  return { ...taken, state: { ...taken.state, notice } };
};

/** Typing goes where text is taken; null where it is not. */
const takeText = (
  state: TuiState,
  apply: (draft: ReturnType<typeof draftOf>) => ReturnType<typeof draftOf> | null,
  key = '',
): Outcome | null => {
  const { overlay } = state;
  if (overlay === null) {
    const draft = state.focus === 'composer' ? currentDraft(state) : null;
    const changed = draft === null ? null : apply(draft);
    return changed === null
      ? null
      : openMention(
          change(state, () => changed),
          key,
        );
  }
  if (overlay.type === 'input') {
    const draft = apply(overlay.draft);
    return draft === null ? null : changeInput(state, overlay, draft);
  }
  if (overlay.type === 'search') {
    const draft = apply(overlay.draft);
    return draft === null ? null : changeSearch(state, overlay, draft);
  }
  if (overlay.type === 'picker') {
    const draft = apply(draftOf(overlay.filter));
    return draft === null ? null : filterPicker(state, overlay, draft.text.replaceAll('\n', ' '));
  }
  if (overlay.type !== 'question' || !isOwnRow(state, overlay.form)) return null;
  const draft = apply(overlay.form.draft);
  return draft === null ? null : withForm(state, { ...overlay.form, draft });
};

const takeMouse = (state: TuiState, { action, column, row }: Extract<Input, { type: 'mouse' }>): Outcome => {
  const layout = layoutOf(state);
  const target = hit(layout, column, row);
  if (target === null) return outcome(state);
  if (action !== 'press') {
    const step = action === 'wheelup' ? -WHEEL_LINES : WHEEL_LINES;
    const page = target.focus === 'main' ? pageOf(state) : null;
    if (page?.type === 'picker') return movePicker(state, Math.sign(step));
    if (page?.type === 'search') return moveInSearch(state, Math.sign(step));
    if (page !== null) return scrollOverlay(state, step);
    const list = layout.lists.find((rect) => rect.list === target.focus)?.list;
    if (target.focus === 'request' && scrollCardDisabled(state) === null) return scrollCard(state, step);
    if (list === undefined) return scrollBy(state, step);
    return selectRow(state, list, selectedIndex(state, list, rowsOf(state, list)) + Math.sign(step));
  }
  const page = pageOf(state);
  if (page !== null && target.focus === 'main') return clickInPage(state, page, target.row);
  const clicked = clickInPane(state, layout, { column, row });
  if (clicked !== null) return clicked;
  const closed = { ...state, overlay: null };
  const focused = focusOn(closed, target.focus).state;
  const rect = layout.lists.find(({ list }) => list === target.focus);
  if (rect === undefined || target.row < 0) return outcome(focused);
  const rows = rowsOf(state, rect.list);
  const index = firstRow(selectedIndex(state, rect.list, rows), rows.length, rect.height - 2) + target.row;
  const key = rows[index]?.key;
  if (key === undefined) return outcome(focused);
  const selected = selectRow(focused, rect.list, index);
  // A click on a session shows it; elsewhere it only selects.
  const session = rect.list === 'sessions' ? state.sessions.find(({ id }) => id === key) : undefined;
  if (session === undefined) return selected;
  const opened = openSession(selected.state, session.id);
  return { ...opened, state: { ...opened.state, focus: 'sessions' } };
};

/** A click on a row that can be chosen does what Enter does there. */
const clickInPage = (state: TuiState, page: Page, row: number): Outcome => {
  if (page.type !== 'picker' && page.type !== 'search') return outcome(state);
  const [above, count] = page.type === 'picker' ? [PICKER_HEAD, visibleChoices(page).length] : [SEARCH_HEAD, foundIn(page.answer).length];
  const room = Math.max(1, layoutOf(state).main.height - 2 - above);
  const index = firstRow(page.index, count, room) + row - above;
  if (row < above || index >= count) return outcome(state);
  const chosen = { ...state, overlay: { ...page, index } };
  return (
    activeBindings(chosen)
      .find(({ keys, usualKeys = keys }) => usualKeys.includes('enter'))
      ?.run(chosen) ?? outcome(state)
  );
};

/** A click on what stands for a key: the name of a tab, an answer to the request once a person could see it. */
const clickInPane = (state: TuiState, { main, request }: Layout, { column, row }: { column: number; row: number }): Outcome | null => {
  const tab = row === main.top ? tabAt(state, column - main.left) : null;
  if (tab !== null && column >= main.left && main.height > 0) return showTab({ ...state, overlay: null, focus: 'main' }, tab);
  if (request === null || state.overlay !== null || state.card?.isArmed !== true) return null;
  const key = answerAt(state, request, { row: row - request.top - 1, column: column - request.left - 1 });
  if (key === null) return null;
  return key === 'enter' ? openQuestions(state) : answerWithKey(state, key);
};

/** A request that comes on the screen is armed after a moment; what was said of one that goes, goes with it. */
const watchCard = ({ state, effects }: Outcome): Outcome => {
  const requestId = state.session?.requests[0]?.requestId ?? null;
  if (requestId === (state.card?.requestId ?? null)) return { state, effects };
  const next: TuiState = { ...state, notice: state.notice?.isOf === undefined ? state.notice : null };
  if (requestId === null) return { state: { ...next, card: null }, effects };
  return {
    state: { ...next, card: { requestId, isArmed: false, isNext: state.card !== null, top: 0 } },
    effects: [...effects, { type: 'request.watch', requestId }],
  };
};

/** Where nothing can be stopped any more, nothing is said of it. */
const watchStop = ({ state, effects }: Outcome): Outcome => ({
  state: state.notice?.isOf === 'stop' && stopDisabled(state) !== null ? { ...state, notice: null } : state,
  effects,
});

/** Keeps what is shown within what there is. */
const keepWithin = ({ state, effects }: Outcome): Outcome => {
  const focus = focusRing(state).includes(state.focus) || state.overlay !== null ? state.focus : 'main';
  const { overlay } = state;
  if (overlay === null || !('top' in overlay)) return { state: focus === state.focus ? state : { ...state, focus }, effects };
  const { main } = layoutOf(state);
  const last = Math.max(0, pageLines(state, overlay, main.width - 4, main.height - 2).length - (main.height - 2));
  const top = Math.min(Math.max(0, overlay.top), last);
  return { state: { ...state, focus, overlay: { ...overlay, top } }, effects };
};
