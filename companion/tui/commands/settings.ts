/** The settings of the shown session beside model and mode: limits, instructions, tools that are allowed without asking. */
import { settings, settingsOf, settingNames, type SettingName } from '#display/settings.ts';
import { backgroundTasks, type SessionView } from '#protocol/view.ts';
import { draftOf } from '../editing.ts';
import { say, t } from '../say.ts';
import { outcome, type Choice, type Outcome, type Overlay, type TuiState } from '../state.ts';

/** Chooses what to set. */
export const pickSetting = (state: TuiState): Outcome => {
  const { session } = state;
  if (session === null) return outcome(state);
  const { capabilities } = state.engines.find(({ name }) => name === session.engine) ?? {};
  const choices = settingsOf(capabilities).map((name): Choice => {
    const { label, empty } = settings[name];
    return { value: name, label: say(label), detail: showLine(name, session) || (empty === null ? t('none') : say(empty)) };
  });
  // Background tasks belong to the process, which a change would replace.
  const warning = backgroundTasks(session).length === 0 ? '' : `: ${say('settings_end_tasks')}`;
  const title = `${say('session_settings')}${warning}`;
  return outcome({ ...state, overlay: { type: 'picker', purpose: 'setting', title, choices, index: 0, filter: '', engine: null } });
};

/** Asks for the value of the one that was chosen. */
export const openSetting = (state: TuiState, value: string): Outcome => {
  const purpose = settingNames.find((name) => name === value);
  if (purpose === undefined || state.session === null) return outcome(state);
  const draft = draftOf(showLine(purpose, state.session));
  return outcome({ ...state, overlay: { type: 'input', purpose, title: say(settings[purpose].label), draft } });
};

/** Applies what was typed. A wrong value stays in the line, with the form it must have before it. */
export const submitSetting = (state: TuiState, input: Extract<Overlay, { type: 'input' }>, name: SettingName): Outcome => {
  const { session } = state;
  const closed = { ...state, overlay: null };
  const text = input.draft.text.trim();
  if (session === null || text === showLine(name, session)) return outcome(closed);
  const read = settings[name].read(text);
  if ('wrong' in read) return outcome({ ...state, overlay: { ...input, title: say(read.wrong, read.values).replace(/\.$/u, '') } });
  return outcome(closed, { type: 'session.update', sessionId: session.sessionId, change: read.change });
};

/** A setting as it is typed on one line. */
const showLine = (name: SettingName, session: SessionView): string =>
  settings[name].show(session.settings).replaceAll(/\s*\n\s*/gu, settings[name].form === 'lines' ? ', ' : ' ');
