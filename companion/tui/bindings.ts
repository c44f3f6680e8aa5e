/** Every key as data: the footer, the help page and the documentation are drawn from this table, and pressing a key looks it up here. */
import {
  composerDisabled,
  clearFilter,
  focusComposer,
  focusOn,
  focusOnList,
  isFiltered,
  moveFocus,
  moveTab,
  openFilter,
  zoom,
} from './commands/focus.ts';
import { focusedList, noRow, moveSelection, openSelected, pageRows, refreshEngines, selectRow } from './commands/lists.ts';
import {
  closeOverlay,
  confirm,
  decideAdmission,
  movePicker,
  openAudit,
  openGuide,
  openHelp,
  pick,
  pickLanguage,
  pickRecent,
  pickTheme,
  scrollOverlay,
  submitInput,
} from './commands/overlay.ts';
import {
  askToForget,
  completeFolder,
  folderDisabled,
  moveProject,
  openProjectInput,
  pickFolder,
  renameProject,
} from './commands/projects.ts';
import { detach, detachDisabled, openAttach } from './commands/attach.ts';
import { askToRevert, changesDisabled, moveInChanges, moveInParts, openChanges, partsDisabled, stageFile } from './commands/changes.ts';
import { fix, fixDisabled } from './commands/fix.ts';
import { copyAnswer, copyDisabled, copyFix, copyFixDisabled, copyFolderDisabled, copyForLoading } from './commands/copy.ts';
import { logsDisabled, nextLogLevel, saveLogs, wrapLogs } from './commands/logs.ts';
import { openCheckpoints, openManage } from './commands/manage.ts';
import { newLine, moveUpDown, send, steerDisabled } from './commands/composer.ts';
import {
  answerWithKey,
  denyWithReason,
  isOwnRow,
  keyDisabled,
  moveInForm,
  onceSeen,
  openQuestions,
  questionsDisabled,
  submitForm,
  toggleInForm,
} from './commands/request.ts';
import { moveInSearch, openFound, openSearch } from './commands/search.ts';
import { scrollBy, scrollCardDisabled, scrollCardPage, scrollPage, scrollToEnd, scrollToStart } from './commands/scroll.ts';
import {
  askToDelete,
  effortDisabled,
  modeDisabled,
  moveDisabled,
  newSession,
  noSession,
  pickEffort,
  pickHome,
  pickMode,
  pickModel,
  rename,
  stop,
  stopDisabled,
  stopTasks,
  stopTasksDisabled,
  toggleArchived,
  togglePin,
  undelete,
  undeleteDisabled,
  unqueue,
  unqueueDisabled,
} from './commands/session.ts';
import { visibleChoices } from './views/picker.ts';
import { pickSetting } from './commands/settings.ts';
import { toggleExpanded } from './commands/tasks.ts';
import { pickWorktreeEnd, worktreeDisabled } from './commands/worktree.ts';
import { contextTitles, type Context } from './contexts.ts';
import { showKey } from './key-names.ts';
import { hasOpenRequest } from './layout.ts';
import { holding } from './own-keys.ts';
import { say, t, type OwnText } from './say.ts';
import { outcome, type Choice, type ListName, type Outcome, type QuestionForm, type TuiState } from './state.ts';

export interface Binding {
  readonly context: Context;
  readonly keys: readonly string[];
  /** The keys that it has where the person has chosen others. */
  readonly usualKeys?: readonly string[];
  readonly description: OwnText;
  /** Whether it is shown in the line at the bottom, and not only in the help. */
  readonly isHinted?: boolean;
  /** Whether the hints before it leave it its place. */
  readonly hasPlace?: boolean;
  readonly run: (state: TuiState) => Outcome;
  /** Why it cannot do anything now. */
  readonly disabledReason?: (state: TuiState) => string | null;
}

const form = (state: TuiState, run: (form: QuestionForm) => Outcome): Outcome =>
  state.overlay?.type === 'question' ? run(state.overlay.form) : outcome(state);

const noRequest = (state: TuiState): string | null => (hasOpenRequest(state) ? null : t('Nothing waits for an answer.'));

const answerBinding = (key: string, description: OwnText, isHinted = true): Binding => ({
  context: 'request',
  keys: [key],
  description,
  isHinted,
  run: onceSeen((state) => answerWithKey(state, key)),
  disabledReason: (state) => keyDisabled(state, key),
});

/** Escape leads out of where one is, a composer or a filter. It stops a turn only when it is pressed again: one of it may be meant for anything. */
const escapeOut = (state: TuiState): Outcome => {
  const canStop = !state.isReadOnly && stopDisabled(state) === null;
  if (canStop && state.isStopAsked) return stop(state);
  const left = state.focus === 'composer' ? focusOn(state, 'main') : clearFilter(state);
  if (!canStop || isFiltered(state)) return left;
  const notice = { level: 'info', text: t('<global escape> again stops the turn.'), remedy: null, isOf: 'stop' } as const;
  return { ...left, state: { ...left.state, notice } };
};

/** While a request waits, Escape moves to its card and stops nothing, because the person meant the card. */
const escapeToRequest = (state: TuiState): Outcome => {
  const notice = { level: 'info', text: `${say('jump_request')}.`, remedy: t('<always C-x> stops the turn.'), isOf: 'request' } as const;
  return outcome({ ...state, focus: 'request', notice });
};

export const bindings: readonly Binding[] = [
  answerBinding('a', 'allow this once'),
  answerBinding('s', 'allow for this session'),
  answerBinding('A', 'always allow this'),
  answerBinding('d', 'deny'),
  {
    context: 'request',
    keys: ['D'],
    description: 'deny and say why',
    isHinted: true,
    run: onceSeen(denyWithReason),
    disabledReason: (state) => keyDisabled(state, 'd'),
  },
  { context: 'request', keys: ['o'], description: 'show all of it', run: toggleExpanded },
  {
    context: 'request',
    keys: ['pagedown'],
    description: 'more of what is asked, once all of it is shown',
    run: (state) => scrollCardPage(state, 1),
    disabledReason: scrollCardDisabled,
  },
  {
    context: 'request',
    keys: ['pageup'],
    description: 'back in what is asked',
    run: (state) => scrollCardPage(state, -1),
    disabledReason: scrollCardDisabled,
  },
  {
    context: 'request',
    keys: ['enter'],
    description: 'answer the questions',
    run: onceSeen(openQuestions),
    disabledReason: questionsDisabled,
  },
  ...['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((key) => answerBinding(key, 'choose the answer of this number', false)),

  { context: 'waiting', keys: ['escape'], description: 'to the request; stops nothing', isHinted: true, run: escapeToRequest },

  { context: 'composer', keys: ['enter'], description: 'send', isHinted: true, run: (state) => send(state, 'queue') },
  { context: 'composer', keys: ['M-enter', 'C-j', 'S-enter'], description: 'new line', isHinted: true, run: newLine },
  {
    context: 'composer',
    keys: ['M-s'],
    description: 'send into the running turn',
    run: (state) => send(state, 'steer'),
    disabledReason: steerDisabled,
  },
  { context: 'composer', keys: ['M-f'], description: 'attach a file or picture by its path', run: openAttach },
  {
    context: 'composer',
    keys: ['M-r'],
    description: 'take the last attached file away',
    run: detach,
    disabledReason: detachDisabled,
  },
  { context: 'composer', keys: ['up'], description: 'line up, then earlier messages', run: (state) => moveUpDown(state, -1) },
  { context: 'composer', keys: ['down'], description: 'line down, then later messages', run: (state) => moveUpDown(state, 1) },
  { context: 'composer', keys: ['escape'], description: 'leave the composer; twice: stop the turn', isHinted: true, run: escapeOut },
  { context: 'composer', keys: ['pageup'], description: 'scroll up', run: (state) => scrollPage(state, -1) },
  { context: 'composer', keys: ['pagedown'], description: 'scroll down', run: (state) => scrollPage(state, 1) },

  {
    context: 'projects',
    keys: ['enter'],
    description: "show the project's sessions",
    isHinted: true,
    run: openSelected,
    disabledReason: noRow,
  },
  { context: 'projects', keys: ['a'], description: 'add a project', isHinted: true, run: openProjectInput },
  { context: 'projects', keys: ['r'], description: 'rename the project', run: renameProject, disabledReason: noRow },
  { context: 'projects', keys: ['v'], description: 'say where its folder is now', run: moveProject, disabledReason: noRow },
  {
    context: 'projects',
    keys: ['D'],
    description: 'forget the project; folder and sessions stay',
    run: askToForget,
    disabledReason: noRow,
  },
  { context: 'engines', keys: ['enter'], description: 'about this agent', isHinted: true, run: openSelected, disabledReason: noRow },
  {
    context: 'engines',
    keys: ['r'],
    description: 'check this agent again',
    isHinted: true,
    run: (state) => refreshEngines(state, 'selected'),
  },
  { context: 'sessions', keys: ['enter'], description: 'open', isHinted: true, run: openSelected, disabledReason: noRow },
  { context: 'sessions', keys: ['p'], description: 'pin at the top, or no longer', run: togglePin, disabledReason: noRow },
  { context: 'sessions', keys: ['H'], description: 'put away to the end, or take out again', run: toggleArchived, disabledReason: noRow },
  { context: 'sessions', keys: ['D'], description: 'delete', run: askToDelete, disabledReason: noRow },
  {
    context: 'sessions',
    keys: ['u'],
    description: 'bring back what was deleted',
    run: undelete,
    disabledReason: undeleteDisabled,
  },
  { context: 'browsers', keys: ['enter'], description: 'how to connect it, or to let it in', isHinted: true, run: openSelected },

  { context: 'list', keys: ['up', 'k'], description: 'up', run: (state) => moveSelection(state, -1) },
  { context: 'list', keys: ['down', 'j'], description: 'down', run: (state) => moveSelection(state, 1) },
  { context: 'list', keys: ['pageup'], description: 'page up', run: (state) => moveSelection(state, -pageRows(state)) },
  { context: 'list', keys: ['pagedown'], description: 'page down', run: (state) => moveSelection(state, pageRows(state)) },
  { context: 'list', keys: ['home', 'g'], description: 'first', run: (state) => selectEnd(state, 0) },
  { context: 'list', keys: ['end', 'G'], description: 'last', run: (state) => selectEnd(state, Number.MAX_SAFE_INTEGER) },

  { context: 'main', keys: ['up', 'k'], description: 'scroll up', run: (state) => scrollBy(state, -1) },
  { context: 'main', keys: ['down', 'j'], description: 'scroll down', run: (state) => scrollBy(state, 1) },
  { context: 'main', keys: ['pageup', 'b'], description: 'page up', run: (state) => scrollPage(state, -1) },
  { context: 'main', keys: ['pagedown', 'space'], description: 'page down', run: (state) => scrollPage(state, 1) },
  { context: 'main', keys: ['home', 'g'], description: 'to the beginning', run: scrollToStart },
  { context: 'main', keys: ['end', 'G', 'f'], description: 'to the end, and follow', isHinted: true, run: scrollToEnd },
  {
    context: 'main',
    keys: ['s'],
    description: 'save the lines of the log that are shown',
    isHinted: true,
    run: saveLogs,
    disabledReason: logsDisabled,
  },
  { context: 'main', keys: ['w'], description: 'fold or cut long lines of the log', run: wrapLogs, disabledReason: logsDisabled },
  {
    context: 'main',
    keys: ['e'],
    description: 'all of the log, warnings, errors',
    isHinted: true,
    run: nextLogLevel,
    disabledReason: logsDisabled,
  },
  { context: 'main', keys: ['enter'], description: 'write a message', run: focusComposer, disabledReason: composerDisabled },

  { context: 'global', keys: ['i'], description: 'write a message', isHinted: true, run: focusComposer, disabledReason: composerDisabled },
  { context: 'global', keys: ['n'], description: 'new session', isHinted: true, run: newSession },
  { context: 'global', keys: ['['], description: 'previous tab', run: (state) => moveTab(state, -1) },
  { context: 'global', keys: [']'], description: 'next tab: conversation, diff, logs', isHinted: true, run: (state) => moveTab(state, 1) },
  {
    context: 'global',
    keys: ['o'],
    description: 'open or fold thoughts and outputs',
    run: toggleExpanded,
  },
  { context: 'global', keys: ['/'], description: 'filter this list or tab', isHinted: true, run: openFilter },
  { context: 'global', keys: ['C-r'], description: 'the sessions that were used last', run: pickRecent },
  { context: 'global', keys: ['S'], description: 'search all that was ever said or run', run: openSearch },
  { context: 'global', keys: ['escape'], description: 'clear the filter; twice: stop the turn', run: escapeOut },
  { context: 'global', keys: ['m'], description: 'choose the model', run: pickModel, disabledReason: noSession },
  { context: 'global', keys: ['M'], description: 'choose the mode', run: pickMode, disabledReason: modeDisabled },
  { context: 'global', keys: ['E'], description: 'choose the effort', run: pickEffort, disabledReason: effortDisabled },
  { context: 'global', keys: ['L'], description: 'session settings: limits, tools', run: pickSetting, disabledReason: noSession },
  {
    context: 'global',
    keys: ['P'],
    description: 'choose the project or its folder again',
    run: pickHome,
    disabledReason: moveDisabled,
  },
  {
    context: 'global',
    keys: ['W'],
    description: 'merge, keep or discard the worktree',
    run: pickWorktreeEnd,
    disabledReason: worktreeDisabled,
  },
  {
    context: 'global',
    keys: [','],
    description: 'manage: agents, keys, permissions, trust, folders, use and limits',
    run: openManage,
  },
  { context: 'global', keys: ['e'], description: 'rename the session', run: rename, disabledReason: noSession },
  { context: 'global', keys: ['x'], description: 'take the newest queued message back', run: unqueue, disabledReason: unqueueDisabled },
  { context: 'global', keys: ['B'], description: 'stop what runs in the background', run: stopTasks, disabledReason: stopTasksDisabled },
  { context: 'global', keys: ['R'], description: 'check all agents again', run: (state) => refreshEngines(state, 'all') },
  { context: 'global', keys: ['w'], description: 'welcome page: what is connected', run: openGuide },
  { context: 'global', keys: ['v'], description: 'what was decided and done, and by whom', run: openAudit },
  { context: 'global', keys: ['y'], description: 'copy the last answer', run: copyAnswer, disabledReason: copyDisabled },
  { context: 'global', keys: ['t'], description: 'mouse on or off, for selecting text', run: toggleMouse },
  { context: 'global', keys: ['1'], description: 'sessions', run: (state) => focusOnList(state, 'sessions') },
  { context: 'global', keys: ['2'], description: 'projects', run: (state) => focusOnList(state, 'projects') },
  { context: 'global', keys: ['3'], description: 'agents', run: (state) => focusOnList(state, 'engines') },
  { context: 'global', keys: ['4'], description: 'browsers', run: (state) => focusOnList(state, 'browsers') },
  { context: 'global', keys: ['z'], description: 'the conversation on the whole screen, and back', run: zoom },
  { context: 'global', keys: ['T'], description: 'choose the colours', run: pickTheme },
  { context: 'global', keys: ['l'], description: 'choose the language', run: pickLanguage },
  {
    context: 'global',
    keys: ['C'],
    description: 'what has changed in the folder since the session began',
    run: openChanges,
    disabledReason: noSession,
  },
  {
    context: 'global',
    keys: ['K'],
    description: 'checkpoints: the folder as it was before a turn',
    run: openCheckpoints,
    disabledReason: noSession,
  },
  { context: 'global', keys: [':'], description: 'find a command by its words', run: openPalette },
  { context: 'global', keys: ['?'], description: 'all keys', isHinted: true, hasPlace: true, run: openHelp },
  { context: 'global', keys: ['q'], description: 'quit; the agents go on', isHinted: true, run: quit },

  { context: 'always', keys: ['tab'], description: 'next pane', run: (state) => moveFocus(state, 1) },
  { context: 'always', keys: ['S-tab'], description: 'previous pane', run: (state) => moveFocus(state, -1) },
  { context: 'always', keys: ['C-x'], description: 'stop the turn and the queue', isHinted: true, run: stop, disabledReason: stopDisabled },
  {
    context: 'always',
    keys: ['M-a'],
    description: 'allow once, from anywhere',
    run: onceSeen((state) => answerWithKey(state, 'a')),
    disabledReason: noRequest,
  },
  {
    context: 'always',
    keys: ['M-d'],
    description: 'deny, from anywhere',
    run: onceSeen((state) => answerWithKey(state, 'd')),
    disabledReason: noRequest,
  },
  { context: 'always', keys: ['C-p'], description: 'find a command by its words', run: openPalette },
  { context: 'always', keys: ['f1'], description: 'all keys', run: openHelp },
  { context: 'always', keys: ['C-z'], description: 'suspend', run: (state) => outcome(state, { type: 'suspend' }) },
  { context: 'always', keys: ['C-c'], description: 'quit; the agents go on', run: quit },

  ...(['help', 'guide', 'audit', 'changes'] as const).flatMap((context): Binding[] => [
    { context, keys: ['up', 'k'], description: 'up', run: (state) => scrollOverlay(state, -1) },
    { context, keys: ['down', 'j'], description: 'down', run: (state) => scrollOverlay(state, 1) },
    { context, keys: ['pageup', 'b'], description: 'page up', run: (state) => scrollOverlay(state, -10) },
    { context, keys: ['pagedown', 'space'], description: 'page down', run: (state) => scrollOverlay(state, 10) },
    { context, keys: ['escape', 'enter', 'q'], description: 'close', isHinted: true, run: closeOverlay },
  ]),
  { context: 'changes', keys: ['n'], description: 'next file', isHinted: true, run: (state) => moveInChanges(state, 1) },
  { context: 'changes', keys: ['p'], description: 'previous file', isHinted: true, run: (state) => moveInChanges(state, -1) },
  {
    context: 'changes',
    keys: [']'],
    description: 'next part of the file',
    isHinted: true,
    run: (state) => moveInParts(state, 1),
    disabledReason: partsDisabled,
  },
  {
    context: 'changes',
    keys: ['['],
    description: 'part before, then the whole file',
    run: (state) => moveInParts(state, -1),
    disabledReason: partsDisabled,
  },
  {
    context: 'changes',
    keys: ['s'],
    description: "put it into git's index",
    isHinted: true,
    run: (state) => stageFile(state, true),
    disabledReason: changesDisabled,
  },
  {
    context: 'changes',
    keys: ['u'],
    description: "take it out of git's index",
    run: (state) => stageFile(state, false),
    disabledReason: changesDisabled,
  },
  {
    context: 'changes',
    keys: ['r'],
    description: 'bring it back to what it was',
    isHinted: true,
    run: askToRevert,
    disabledReason: changesDisabled,
  },
  { context: 'help', keys: ['/', ':'], description: 'find a key by its words', isHinted: true, run: openPalette },
  {
    context: 'guide',
    keys: ['y'],
    description: 'copy what the browser needs: the page, then the folder',
    isHinted: true,
    run: copyForLoading,
    disabledReason: copyFolderDisabled,
  },
  {
    context: 'guide',
    keys: ['c'],
    description: 'check the whole chain',
    isHinted: true,
    run: checkChain,
  },
  {
    context: 'guide',
    keys: ['r'],
    description: 'register with the browsers again',
    isHinted: true,
    run: (state) => outcome(state, { type: 'setup.install' }),
  },
  { context: 'guide', keys: ['n'], description: 'new session', isHinted: true, run: (state) => newSession({ ...state, overlay: null }) },
  { context: 'engine', keys: ['f'], description: 'run the command that mends it', isHinted: true, run: fix, disabledReason: fixDisabled },
  {
    context: 'engine',
    keys: ['y'],
    description: 'copy the command that mends it',
    isHinted: true,
    run: copyFix,
    disabledReason: copyFixDisabled,
  },
  { context: 'engine', keys: ['r'], description: 'check again', isHinted: true, run: (state) => refreshEngines(state, 'selected') },
  { context: 'engine', keys: ['escape', 'enter', 'q'], description: 'close', isHinted: true, run: closeOverlay },

  { context: 'admission', keys: ['a'], description: 'let it in', isHinted: true, run: (state) => decideAdmission(state, true) },
  { context: 'admission', keys: ['d'], description: 'turn it away', isHinted: true, run: (state) => decideAdmission(state, false) },
  { context: 'admission', keys: ['escape', 'enter', 'q'], description: 'later', isHinted: true, run: closeOverlay },

  { context: 'search', keys: ['up'], description: 'up', isHinted: true, run: (state) => moveInSearch(state, -1) },
  { context: 'search', keys: ['down'], description: 'down', isHinted: true, run: (state) => moveInSearch(state, 1) },
  { context: 'search', keys: ['enter'], description: 'go to it', isHinted: true, run: openFound },
  { context: 'search', keys: ['escape'], description: 'back', isHinted: true, run: closeOverlay },

  { context: 'picker', keys: ['up'], description: 'up', isHinted: true, run: (state) => movePicker(state, -1) },
  { context: 'picker', keys: ['down'], description: 'down', isHinted: true, run: (state) => movePicker(state, 1) },
  { context: 'picker', keys: ['enter'], description: 'choose', isHinted: true, run: (state) => runCommand(state) ?? pick(state) },
  { context: 'picker', keys: ['escape'], description: 'back', isHinted: true, run: closeOverlay },

  {
    context: 'input',
    keys: ['enter'],
    description: 'take it',
    isHinted: true,
    run: (state) => (state.overlay?.type === 'input' ? submitInput(state, state.overlay) : outcome(state)),
  },
  { context: 'input', keys: ['tab'], description: 'complete the path of a folder', run: completeFolder, disabledReason: folderDisabled },
  { context: 'input', keys: ['C-o'], description: 'choose the folder in a window', run: pickFolder, disabledReason: folderDisabled },
  { context: 'input', keys: ['escape'], description: 'back', isHinted: true, run: closeOverlay },

  {
    context: 'question',
    keys: ['up'],
    description: 'up',
    isHinted: true,
    run: (state) => form(state, (open) => moveInForm(state, open, -1)),
  },
  {
    context: 'question',
    keys: ['down'],
    description: 'down',
    isHinted: true,
    run: (state) => form(state, (open) => moveInForm(state, open, 1)),
  },
  {
    context: 'question',
    keys: ['space'],
    description: 'tick',
    isHinted: true,
    run: (state) => form(state, (open) => toggleInForm(state, open)),
    disabledReason: (state) =>
      state.overlay?.type === 'question' && isOwnRow(state, state.overlay.form) ? t('A space is typed here.') : null,
  },
  {
    context: 'question',
    keys: ['enter'],
    description: 'answer',
    isHinted: true,
    run: (state) => form(state, (open) => submitForm(state, open)),
  },
  { context: 'question', keys: ['escape'], description: 'back', isHinted: true, run: closeOverlay },

  { context: 'confirm', keys: ['y'], description: 'yes', isHinted: true, run: confirm },
  { context: 'confirm', keys: ['n', 'escape', 'enter'], description: 'no', isHinted: true, run: closeOverlay },
];

const selectEnd = (state: TuiState, index: number): Outcome => {
  const list: ListName | null = focusedList(state);
  return list === null ? outcome(state) : selectRow(state, list, index);
};

function toggleMouse(state: TuiState): Outcome {
  return outcome({ ...state, isMouseOn: !state.isMouseOn }, { type: 'mouse', isOn: !state.isMouseOn });
}

function quit(state: TuiState): Outcome {
  return outcome(state, { type: 'quit' });
}

function checkChain(state: TuiState): Outcome {
  return outcome({ ...state, checks: 'running', overlay: { type: 'guide', top: 0 } }, { type: 'setup.check' });
}

/** The contexts whose commands can be run from anywhere; those of the others are found here and used in their places. */
const anywhere: readonly Context[] = ['global', 'always'];

/** All commands, to be found by their words; the key of each stands beside it. */
function openPalette(state: TuiState): Outcome {
  const behind = { ...state, overlay: null };
  const choices = holding(bindings).flatMap((binding, index): Choice[] => {
    const { context, keys, description, disabledReason, run } = binding;
    if (run === openPalette) return [];
    const isAnywhere = anywhere.includes(context);
    const reason = isAnywhere ? (disabledReason?.(behind) ?? null) : null;
    const detail = `${keys.map(showKey).join(' ')}${isAnywhere ? '' : `  ${t(contextTitles[context])}`}`;
    return [{ value: String(index), label: t(description), detail, ...(reason === null ? {} : { disabledReason: reason }) }];
  });
  const sorted = choices.toSorted((one, other) => Number(isRunnable(other)) - Number(isRunnable(one)));
  return outcome({
    ...state,
    overlay: { type: 'picker', purpose: 'command', title: t('Commands and keys'), choices: sorted, index: 0, filter: '', engine: null },
  });
}

const isRunnable = ({ value, disabledReason }: Choice): boolean =>
  disabledReason === undefined && anywhere.includes(bindings[Number(value)]?.context ?? 'picker');

/** Runs the command that was found; null where the picker is for something else. */
function runCommand(state: TuiState): Outcome | null {
  const { overlay } = state;
  if (overlay?.type !== 'picker' || overlay.purpose !== 'command') return null;
  const choice = visibleChoices(overlay)[overlay.index];
  const binding = bindings[Number(choice?.value ?? -1)];
  if (choice === undefined || binding === undefined) return outcome(state);
  if (isRunnable(choice)) return binding.run({ ...state, overlay: null });
  const where = choice.disabledReason ?? t('It is used there: {place}.', { place: t(contextTitles[binding.context]) });
  return outcome({ ...state, notice: { level: 'info', text: where, remedy: null } });
}
