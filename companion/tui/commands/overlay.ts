/** Pages, pickers and inputs that cover the main pane. */
import { labelText } from '#display/engines.ts';
import { ProjectId, SessionId } from '#protocol/ids.ts';
import { FinishAction } from '#protocol/work.ts';
import { draftOf } from '../editing.ts';
import { ownThemeNames, themes } from '../palettes.ts';
import { languages, say, spokenLanguage, t, type Language } from '../say.ts';
import { outcome, type Outcome, type Overlay, type TuiState } from '../state.ts';
import { cleanLine } from '../text.ts';
import { visibleChoices } from '#companion/tui/views/picker.ts';
import { attach } from './attach.ts';
import { confirmRevert, leaveRevert } from './changes.ts';
import { filterPlace } from './focus.ts';
import { openEngine, openSession } from './lists.ts';
import { confirmManaged, leaveManage, pickManaged, submitManaged } from './manage.ts';
import { insertMention } from './mention.ts';
import { deny } from './request.ts';
import { chooseProject, toCreation } from './session.ts';
import { openSetting, submitSetting } from './settings.ts';
import { endWorktree, sendTaken } from './worktree.ts';

type Picker = Extract<Overlay, { type: 'picker' }>;
type Input = Extract<Overlay, { type: 'input' }>;

/** Closes the page, picker or input. */
export const closeOverlay = (state: TuiState): Outcome => leaveManage(state) ?? leaveRevert(state) ?? outcome({ ...state, overlay: null });

/** Opens the page with all keys. */
export const openHelp = (state: TuiState): Outcome => outcome({ ...state, overlay: { type: 'help', top: 0 } });

/** Opens the welcome page. */
export const openGuide = (state: TuiState): Outcome => outcome({ ...state, overlay: { type: 'guide', top: 0 } });

/** Opens the audit, which is read anew each time. */
export const openAudit = (state: TuiState): Outcome =>
  outcome({ ...state, overlay: { type: 'audit', top: 0, report: null } }, { type: 'audit.read' });

/** Chooses among the palettes. */
export const pickTheme = (state: TuiState): Outcome => {
  const choices = [
    ...themes.map(({ name, label }) => ({ value: String(name), label: t(label), detail: '' })),
    ...ownThemeNames().map((name) => ({ value: name, label: name, detail: t('your own') })),
  ];
  return outcome({
    ...state,
    overlay: { type: 'picker', purpose: 'theme', title: t('Colours'), choices, index: 0, filter: '', engine: null },
  });
};

/** Chooses among the sessions, the one that was used last first. */
export const pickRecent = (state: TuiState): Outcome => {
  const sorted = state.sessions.toSorted((one, other) => (other.updatedAt < one.updatedAt ? -1 : 1));
  const choices = sorted.map(({ id, name }) => ({ value: String(id), label: cleanLine(name), detail: '' }));
  return outcome({
    ...state,
    overlay: { type: 'picker', purpose: 'recent', title: t('Sessions used last'), choices, index: 0, filter: '', engine: null },
  });
};

/** Chooses among the languages, each by its own name. */
export const pickLanguage = (state: TuiState): Outcome => {
  const choices = languages.map((language) => ({ value: language, label: languageNames[language], detail: '' }));
  const index = languages.indexOf(spokenLanguage());
  return outcome({
    ...state,
    overlay: { type: 'picker', purpose: 'language', title: t('Language'), choices, index, filter: '', engine: null },
  });
};

const languageNames: Readonly<Record<Language, string>> = { en: 'English', zh: '中文' };

/** Lets the browser on the page in, or turns it away. */
export const decideAdmission = (state: TuiState, isAllowed: boolean): Outcome =>
  state.overlay?.type === 'admission'
    ? outcome({ ...state, overlay: null }, { type: 'admission.decide', id: state.overlay.id, isAllowed })
    : outcome(state);

/** Scrolls a page of text; update.ts keeps it within its lines. */
export const scrollOverlay = (state: TuiState, step: number): Outcome => {
  const { overlay } = state;
  if (overlay === null || !('top' in overlay)) return outcome(state);
  return outcome({ ...state, overlay: { ...overlay, top: overlay.top + step } });
};

/** Moves in a picker. */
export const movePicker = (state: TuiState, step: number): Outcome => {
  const { overlay } = state;
  if (overlay?.type !== 'picker') return outcome(state);
  const index = Math.min(Math.max(0, overlay.index + step), Math.max(0, visibleChoices(overlay).length - 1));
  return outcome({ ...state, overlay: { ...overlay, index } });
};

/** Filters a picker by what is typed. */
export const filterPicker = (state: TuiState, picker: Picker, filter: string): Outcome =>
  outcome({ ...state, overlay: { ...picker, filter, index: 0 } });

/** Uses the selected row. */
export const pick = (state: TuiState): Outcome => {
  const { overlay, session } = state;
  const choice = overlay?.type === 'picker' ? visibleChoices(overlay)[overlay.index] : undefined;
  if (overlay?.type !== 'picker' || choice === undefined) return outcome(state);
  if (choice.disabledReason !== undefined) {
    return outcome({
      ...state,
      notice: {
        level: 'warning',
        text: t('{name} cannot be used: {reason}', { name: choice.label, reason: choice.disabledReason }),
        remedy: null,
      },
    });
  }
  const closed = { ...state, overlay: null };
  switch (overlay.purpose) {
    case 'engine':
      return chooseProject(closed, choice.value);
    case 'project':
      return outcome(closed, toCreation(state, overlay.engine ?? '', choice.value));
    case 'model':
      if (session === null) return outcome(closed);
      return outcome(closed, {
        type: 'session.update',
        sessionId: session.sessionId,
        change: { model: choice.value === '' ? null : choice.value },
      });
    case 'effort':
      if (session === null) return outcome(closed);
      return outcome(closed, {
        type: 'session.update',
        sessionId: session.sessionId,
        change: { effort: choice.value === '' ? null : choice.value },
      });
    case 'move':
      if (session === null) return outcome(closed);
      return outcome(closed, {
        type: 'session.update',
        sessionId: session.sessionId,
        change: { projectId: ProjectId.parse(choice.value) },
      });
    // The palette runs what is chosen itself.
    case 'command':
      return outcome(closed);
    case 'absent':
      return openEngine(closed, choice.value);
    case 'worktree':
      return endWorktree(closed, FinishAction.parse(choice.value));
    case 'taken':
      return sendTaken(closed, choice.value);
    case 'setting':
      return openSetting(closed, choice.value);
    case 'theme':
      return outcome(closed, { type: 'theme', name: choice.value });
    case 'recent':
      return openSession(closed, SessionId.parse(choice.value));
    case 'language': {
      const language = languages.find((name) => name === choice.value);
      return language === undefined ? outcome(closed) : outcome(closed, { type: 'language', language });
    }
    case 'file':
    case 'slash':
      return insertMention(closed, overlay.purpose, choice.value);
    case 'manage':
      return pickManaged(state, overlay.area ?? 'home', choice);
    case 'mode':
      return session === null ? outcome(closed) : setMode(closed, session.sessionId, choice.value);
  }
};

/** A mode in which the agent no longer asks must be chosen twice. */
const setMode = (state: TuiState, sessionId: NonNullable<TuiState['session']>['sessionId'], mode: string): Outcome => {
  const effect = { type: 'session.update', sessionId, change: { mode } } as const;
  const info = state.engines.find(({ name }) => name === state.session?.engine)?.modes.find(({ modeId }) => modeId === mode);
  if (info?.isDangerous !== true) return outcome(state, effect);
  return outcome({
    ...state,
    overlay: {
      type: 'confirm',
      text: t('In "{mode}" the agent does everything without asking. Use it in this session?', { mode: labelText(info, say) }),
      effect,
    },
  });
};

/** Uses the text of the input. */
export const submitInput = (state: TuiState, input: Input): Outcome => {
  const text = input.draft.text.trim();
  const closed = { ...state, overlay: null };
  switch (input.purpose) {
    case 'filter':
      return outcome({ ...closed, filters: { ...state.filters, [filterPlace(state)]: text } });
    case 'project':
      return text === '' ? outcome(closed) : outcome(closed, { type: 'project.add', rootPath: text });
    case 'project.move':
    case 'project.rename': {
      const { project } = input;
      if (project === undefined || text === '') return outcome(closed);
      return outcome(closed, {
        type: 'project.change',
        project,
        change: input.purpose === 'project.move' ? { rootPath: text } : { name: text },
      });
    }
    case 'rename':
      if (state.session === null || text === '') return outcome(closed);
      return outcome(closed, { type: 'session.update', sessionId: state.session.sessionId, change: { name: text } });
    case 'attach':
      return attach(closed, text);
    case 'denial':
      return deny(state, text);
    case 'managed':
      return submitManaged(state, input);
    case 'maxTurns':
    case 'maxCostUsd':
    case 'maxTokens':
    case 'maxTurnMs':
    case 'maxSilenceMs':
    case 'systemPrompt':
    case 'allowedTools':
      return submitSetting(state, input, input.purpose);
  }
};

/** Edits the text of an input. */
export const changeInput = (state: TuiState, input: Input, draft: Input['draft']): Outcome => {
  // The input has one line, so a pasted text of several lines is joined.
  const flat = draft.text.includes('\n') ? draftOf(draft.text.replaceAll(/\n+/gu, ' ')) : draft;
  return outcome({ ...state, overlay: { ...input, draft: flat } });
};

/** Carries out what the person has confirmed. */
export const confirm = (state: TuiState): Outcome =>
  confirmManaged(state) ??
  confirmRevert(state) ??
  (state.overlay?.type === 'confirm' ? outcome({ ...state, overlay: null }, state.overlay.effect) : outcome(state));
