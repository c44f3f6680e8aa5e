/** How the log is looked at. */
import { t } from '../say.ts';
import { logLevels, outcome, type Outcome, type TuiState } from '../state.ts';
import { shownLogs } from '#companion/tui/views/logs.ts';

/** Why nothing can be done with the log now. */
export const logsDisabled = ({ tab }: TuiState): string | null =>
  tab === 'logs' ? null : t('The log is not shown; <global ]> leads to it.');

/** Saves what is shown, filtered as it is. */
export const saveLogs = (state: TuiState): Outcome => {
  const lines = shownLogs(state).map(({ level, text }) => `${level.padEnd(5)} ${text}`);
  return outcome(state, { type: 'logs.save', lines });
};

export const wrapLogs = (state: TuiState): Outcome => outcome({ ...state, isLogWrapped: !state.isLogWrapped });

/** The next level from which on lines are shown; after the last comes the first. */
export const nextLogLevel = (state: TuiState): Outcome => {
  const logLevel = logLevels[(logLevels.indexOf(state.logLevel) + 1) % logLevels.length] ?? 'all';
  const texts = { all: t('All of the log is shown.'), warn: t('Warnings and errors are shown.'), error: t('Errors are shown.') } as const;
  return outcome({ ...state, logLevel, notice: { level: 'info', text: texts[logLevel], remedy: null } });
};
