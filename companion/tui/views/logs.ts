/** The daemon's log as it is written. */
import { paint } from '../paint.ts';
import { t } from '../say.ts';
import type { LogLine, TuiState } from '../state.ts';
import { cleanLine, fit, wrap } from '../text.ts';
import { partsOf, type Parts } from './parts.ts';

/** The log tab; each line is a part. The words of a filter may name a level, too. */
export const logParts = (state: TuiState, columns: number): Parts => {
  const shown = shownLogs(state);
  if (shown.length === 0) return partsOf(1, () => ['', t(state.logs.length === 0 ? 'Nothing was logged yet.' : 'No line matches.')]);
  return partsOf(shown.length, (index) => {
    const { level, text } = shown[index] ?? { level: '', text: '' };
    const lines = state.isLogWrapped ? wrap(text, columns) : [fit(text, columns)];
    return lines.map((line) => (level === 'error' ? paint('error', line) : level === 'warn' ? paint('warning', line) : line));
  });
};

/** The lines of the chosen level that match the filter. */
export const shownLogs = ({ logs, filters, logLevel }: TuiState): readonly LogLine[] => {
  const filter = (filters.logs ?? '').toLowerCase();
  if (filter === '' && logLevel === 'all') return logs;
  const levels = logLevel === 'error' ? ['error'] : ['error', 'warn'];
  return logs.filter(
    ({ level, text }) => (logLevel === 'all' || levels.includes(level)) && `${level} ${text}`.toLowerCase().includes(filter),
  );
};

/** A line of the log file, which is JSON, in a person's order: time, event, then what belongs to it. */
export const toLogLine = (line: string): LogLine => {
  const record = parse(line);
  if (record === null) return { level: 'info', text: cleanLine(line) };
  const { at, level, event, ...fields } = record;
  const details = Object.entries(fields).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return {
    level: typeof level === 'string' ? level : 'info',
    text: cleanLine([typeof at === 'string' ? at.slice(11, 19) : '', String(event), ...details].join(' ')),
  };
};

const parse = (line: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
};
