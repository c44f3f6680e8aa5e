/** What a person chooses for all sessions, in a terminal or on the options page. */
import * as z from 'zod';
import { BrowserId } from './ids.ts';

export const Preferences = z.strictObject({
  dailyCostUsd: z
    .number()
    .positive()
    .max(1_000_000)
    .nullable()
    .describe('what all sessions together may cost in one day, in US dollars; then every turn is stopped'),
  dailyTokens: z
    .number()
    .int()
    .positive()
    .max(1_000_000_000_000)
    .nullable()
    .describe('how many tokens all sessions together may use in one day; then every turn is stopped'),
  notifyApproval: z.boolean().describe('whether you are notified when an agent needs your approval'),
  notifyQuestion: z.boolean().describe('whether you are notified when an agent asks a question'),
  notifyFailed: z.boolean().describe('whether you are notified when a turn has failed'),
  notifyFinished: z.boolean().describe('whether you are notified when a turn has finished'),
  closeTabs: z.boolean().describe('whether the tabs that a session opened are closed with it; otherwise they stay, as yours'),
  defaultBrowser: BrowserId.nullable().describe(
    'in which browser profile new sessions work while it is connected, by its id; otherwise in the one used last',
  ),
  engineOrder: z.array(z.string().min(1).max(100)).max(200).describe('in which order agents are offered; those that are not named follow'),
  keepDays: z
    .number()
    .int()
    .positive()
    .max(36_500)
    .nullable()
    .describe(
      'after how many days a session is deleted in which nothing was done and at which nobody looked; never one that is pinned, put away or has a worktree',
    ),
});
export type Preferences = z.infer<typeof Preferences>;

/** What is not named stays. */
export const PreferencesChange = Preferences.partial();
export type PreferencesChange = z.input<typeof PreferencesChange>;
