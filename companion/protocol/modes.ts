/** The names that Pilotfish gives to modes and agents; what an agent calls its modes itself has no code. */
import type { ModeInfo } from './engines.ts';
import type { Said } from './said.ts';

export const LABELS = {
  local_model: 'Local model',
  mode_ask: 'Ask',
  mode_ask_always: 'Ask always',
  mode_ask_changes: 'Ask for changes',
  mode_edits: 'Accept edits',
  mode_agent: 'Agent',
  mode_auto: 'Auto',
  mode_chat: 'Chat',
  mode_full: 'Full access',
  mode_plan: 'Plan',
  mode_project: 'Project',
  mode_read: 'Read only',
} as const;

export type LabelCode = keyof typeof LABELS;

export const MODE_DESCRIPTIONS = {
  asks_before_commands: 'Changes files without asking; asks before commands.',
  asks_by_cursor_rules: 'Works, and asks where your Cursor rules say so.',
  asks_before_unsafe: 'Asks before each command that is not known to be safe.',
  asks_before_changing_tools: 'Asks before tools that change something.',
  answers_only: 'Answers questions; changes nothing.',
  asks_before_tools: 'Asks before each tool.',
  asks_before_all: 'Asks before it changes files or runs commands.',
  model_decides: 'A model decides what needs your answer.',
  uses_no_tools: 'Uses no tools.',
  never_asks_not_root: 'Never asks. Not possible as root.',
  never_asks: 'Never asks.',
  runs_anything: 'Runs anything anywhere and never asks.',
  plans_for_approval: 'Looks and plans; changes nothing before you approve.',
  plans_only: 'Looks and plans; changes nothing.',
  works_in_project: 'Works in the project folder, asks for anything beyond it.',
  asks_before_any_change: 'Asks before it changes anything.',
} as const;

/** A label with its code beside it. */
export const labelled = (labelCode: LabelCode): { readonly label: string; readonly labelCode: LabelCode } => ({
  label: LABELS[labelCode],
  labelCode,
});

/** What has a label, within a sentence. */
export const nameIn = ({ label, labelCode }: { readonly label: string; readonly labelCode?: string | undefined }): string | Said =>
  labelCode === undefined ? label : { code: labelCode, values: {}, text: label };

/** A mode that Pilotfish names. */
export const toMode = (
  modeId: string,
  label: LabelCode,
  descriptionCode: keyof typeof MODE_DESCRIPTIONS,
  danger: 'asks' | 'asks nothing' = 'asks',
): ModeInfo => ({
  modeId,
  ...labelled(label),
  description: MODE_DESCRIPTIONS[descriptionCode],
  descriptionCode,
  isDangerous: danger === 'asks nothing',
});
