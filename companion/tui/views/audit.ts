/** The audit: the newest entries, and whether all of it is whole. */
import { auditLines, auditText, type AuditLine } from '#display/audit.ts';
import { withCommand } from '#display/command-name.ts';
import type { AuditReport } from '#protocol/audit.ts';
import { paint } from '../paint.ts';
import { languageTag, say, t } from '../say.ts';
import { cleanLine, wrap } from '../text.ts';

/** The lines of the page; `command` is what starts this program in a shell. */
export const auditPageLines = (report: AuditReport | null, columns: number, command: string): string[] => {
  if (report === null) return [t('Reading…')];
  const { entries, entryCount, fault, says } = report;
  const whole = t('{count entry|entries}, of which nothing was changed afterwards. `pilotfish logs --audit` prints them all.', {
    count: entryCount,
  });
  const state =
    fault === null
      ? wrap(cleanLine(withCommand(whole, command)), columns)
      : wrap(t('It was changed afterwards. {fault}', { fault: says === undefined ? fault : auditText(says, say) }), columns).map((line) =>
          paint('error', line),
        );
  return [...state, ...auditLines(entries, say, languageTag()).flatMap((line) => entryLines(line, columns))];
};

const entryLines = ({ time, what, where, by, result, amount }: AuditLine, columns: number): string[] => [
  '',
  ...wrap(cleanLine(`${time}  ${what}`), columns).map((line) => paint('strong', line)),
  ...[where, by, result, amount]
    .filter((text) => text !== '')
    .flatMap((text) => wrap(cleanLine(text), columns - 2).map((line) => `  ${line}`)),
];
