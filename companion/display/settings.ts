/** What can be set for a session beside agent, model and mode: how each setting is named, written and read in every front end. */
import type { SessionSettings } from '#protocol/events.ts';
import { readAllowedTools, readMaxCost, readMaxTokens, readMaxTurns, readMinutes, readSystemPrompt, showMinutes } from './settings-text.ts';
import type { WordKey } from './words.ts';

export const settingNames = ['maxTurns', 'maxCostUsd', 'maxTokens', 'maxTurnMs', 'maxSilenceMs', 'systemPrompt', 'allowedTools'] as const;
export type SettingName = (typeof settingNames)[number];

/** The settings that have a line of their own. */
export type OwnSettings = Pick<SessionSettings, SettingName>;

export type SettingRead =
  | { readonly change: Partial<OwnSettings> }
  | { readonly wrong: WordKey; readonly values?: Readonly<Record<string, string>> };

export interface Setting {
  readonly label: WordKey;
  readonly hint: WordKey;
  /** The value that is used while nothing is typed, or null when there is nothing to say. */
  readonly empty: WordKey | null;
  /** A whole number, an amount with a fraction, a text of several lines, or one thing on each line. */
  readonly form: 'count' | 'amount' | 'text' | 'lines';
  /** The value as a person types it. */
  readonly show: (settings: OwnSettings) => string;
  /** What the text changes, or what is wrong with it. */
  readonly read: (text: string) => SettingRead;
}

export const settings: Readonly<Record<SettingName, Setting>> = {
  maxTurns: {
    label: 'max_turns',
    hint: 'max_turns_hint',
    empty: 'no_limit',
    form: 'count',
    show: ({ maxTurns }) => String(maxTurns ?? ''),
    read: (text) => {
      const maxTurns = readMaxTurns(text);
      return maxTurns === undefined ? { wrong: 'max_turns_wrong' } : { change: { maxTurns } };
    },
  },
  maxCostUsd: {
    label: 'max_cost',
    hint: 'max_cost_hint',
    empty: 'no_limit',
    form: 'amount',
    show: ({ maxCostUsd }) => String(maxCostUsd ?? ''),
    read: (text) => {
      const maxCostUsd = readMaxCost(text);
      return maxCostUsd === undefined ? { wrong: 'max_cost_wrong' } : { change: { maxCostUsd } };
    },
  },
  maxTokens: {
    label: 'max_tokens',
    hint: 'max_tokens_hint',
    empty: 'no_limit',
    form: 'count',
    show: ({ maxTokens }) => String(maxTokens ?? ''),
    read: (text) => {
      const maxTokens = readMaxTokens(text);
      return maxTokens === undefined ? { wrong: 'max_turns_wrong' } : { change: { maxTokens } };
    },
  },
  maxTurnMs: {
    label: 'max_turn_time',
    hint: 'max_turn_time_hint',
    empty: 'usual_limit',
    form: 'amount',
    show: ({ maxTurnMs }) => showMinutes(maxTurnMs),
    read: (text) => {
      const maxTurnMs = readMinutes(text);
      return maxTurnMs === undefined ? { wrong: 'minutes_wrong' } : { change: { maxTurnMs } };
    },
  },
  maxSilenceMs: {
    label: 'max_silence',
    hint: 'max_silence_hint',
    empty: 'usual_limit',
    form: 'amount',
    show: ({ maxSilenceMs }) => showMinutes(maxSilenceMs),
    read: (text) => {
      const maxSilenceMs = readMinutes(text);
      return maxSilenceMs === undefined ? { wrong: 'minutes_wrong' } : { change: { maxSilenceMs } };
    },
  },
  systemPrompt: {
    label: 'system_prompt',
    hint: 'system_prompt_hint',
    empty: null,
    form: 'text',
    show: ({ systemPrompt }) => systemPrompt ?? '',
    read: (text) => ({ change: { systemPrompt: readSystemPrompt(text) } }),
  },
  allowedTools: {
    label: 'allowed_tools',
    hint: 'allowed_tools_hint',
    empty: null,
    form: 'lines',
    show: ({ allowedTools }) => allowedTools.join('\n'),
    read: (text) => {
      const read = readAllowedTools(text);
      return 'wrong' in read ? { wrong: 'allowed_tools_wrong', values: { tool: read.wrong } } : { change: { allowedTools: read.tools } };
    },
  },
};

/** The settings that an agent obeys. */
export const settingsOf = (capabilities: { readonly hasAllowedTools?: boolean | undefined } | undefined): SettingName[] =>
  settingNames.filter((name) => name !== 'allowedTools' || capabilities?.hasAllowedTools === true);
