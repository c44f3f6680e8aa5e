/** What a person chooses for all sessions, in a terminal or on the options page. */
import * as z from 'zod';

export const Preferences = z.strictObject({
  closeTabs: z.boolean().describe('whether the tabs that a session opened are closed with it; otherwise they stay, as yours'),
});
export type Preferences = z.infer<typeof Preferences>;
