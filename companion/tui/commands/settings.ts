/** What is set for the shown session beside model and mode: limits, instructions, tools that need no question. */
import { readAllowedTools, readMaxCost, readMaxTurns, readSystemPrompt } from '#display/settings-text.ts';
import { backgroundTasks, type SessionView } from '#protocol/view.ts';
import { draftOf } from '../editing.ts';
import { outcome, type Choice, type Effect, type Outcome, type Overlay, type SettingName, type TuiState } from '../state.ts';

type Change = Extract<Effect, { type: 'session.update' }>['change'];

interface Setting {
  readonly label: string;
  readonly hint: string;
  /** As it is typed. */
  readonly show: (settings: SessionView['settings']) => string;
  /** Null: that is none. */
  readonly read: (text: string) => Change | null;
  /** What it has to look like. */
  readonly form: string;
}

const settings: Readonly<Record<SettingName, Setting>> = {
  maxTurns: {
    label: 'Most answers of the model for one prompt',
    hint: 'no limit',
    show: ({ maxTurns }) => String(maxTurns ?? ''),
    read: (text) => {
      const maxTurns = readMaxTurns(text);
      return maxTurns === undefined ? null : { maxTurns };
    },
    form: 'A whole number above 0, or nothing',
  },
  maxCostUsd: {
    label: 'Most the session may cost, in US dollars',
    hint: 'no limit',
    show: ({ maxCostUsd }) => String(maxCostUsd ?? ''),
    read: (text) => {
      const maxCostUsd = readMaxCost(text);
      return maxCostUsd === undefined ? null : { maxCostUsd };
    },
    form: 'An amount above 0, such as 2.50, or nothing',
  },
  systemPrompt: {
    label: 'Instructions for the agent',
    hint: 'none beside its own',
    show: ({ systemPrompt }) => (systemPrompt ?? '').replaceAll(/\s+/gu, ' '),
    read: (text) => ({ systemPrompt: readSystemPrompt(text) }),
    form: '',
  },
  allowedTools: {
    label: 'Tools that may run without asking',
    hint: 'none',
    show: ({ allowedTools }) => allowedTools.join(', '),
    read: (text) => {
      const read = readAllowedTools(text);
      return 'wrong' in read ? null : { allowedTools: read.tools };
    },
    form: 'Tools with commas between, such as Read, Bash(git:*)',
  },
};

const names = ['maxTurns', 'maxCostUsd', 'systemPrompt', 'allowedTools'] as const satisfies readonly SettingName[];

/** Chooses what to set. */
export const pickSetting = (state: TuiState): Outcome => {
  const { session } = state;
  if (session === null) return outcome(state);
  const { capabilities } = state.engines.find(({ name }) => name === session.engine) ?? {};
  const choices = names
    .filter((name) => name !== 'allowedTools' || capabilities?.hasAllowedTools === true)
    .map((name): Choice => {
      const { label, hint, show } = settings[name];
      return { value: name, label, detail: show(session.settings) || hint };
    });
  // What they belong to is the process that a change starts anew.
  const title = backgroundTasks(session).length === 0 ? 'Session settings' : 'Session settings: a change ends what runs in the background';
  return outcome({
    ...state,
    overlay: { type: 'picker', purpose: 'setting', title, choices, index: 0, filter: '', engine: null },
  });
};

/** Asks for the value of the one that was chosen. */
export const openSetting = (state: TuiState, value: string): Outcome => {
  const purpose = names.find((name) => name === value);
  if (purpose === undefined || state.session === null) return outcome(state);
  const { label, show } = settings[purpose];
  return outcome({ ...state, overlay: { type: 'input', purpose, title: label, draft: draftOf(show(state.session.settings)) } });
};

/** Sets what was typed; what is wrong stays in the line, and before it what it has to look like. */
export const submitSetting = (state: TuiState, input: Extract<Overlay, { type: 'input' }>, name: SettingName): Outcome => {
  const { session } = state;
  const closed = { ...state, overlay: null };
  const { read, show, form } = settings[name];
  const text = input.draft.text.trim();
  if (session === null || text === show(session.settings)) return outcome(closed);
  const change = read(text);
  if (change === null) return outcome({ ...state, overlay: { ...input, title: form } });
  return outcome(closed, { type: 'session.update', sessionId: session.sessionId, change });
};
