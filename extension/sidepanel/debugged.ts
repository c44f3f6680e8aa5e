/** Why Chrome's debugger is in a tab, in words. Pure. */
import type { DebugReason } from '#extension/shared/messages.ts';
import type { Translate } from './i18n.ts';

/** The sentence for a tab; empty where the debugger is not there. */
export const whyDebugged = (reasons: readonly DebugReason[], t: Translate): string =>
  reasons.length === 0 ? '' : t('tab_debugged', { why: reasons.map((reason) => t(`debugged_${reason}`)).join(t('debugged_between')) });
