/** The whole change of a session's folder since it began, as git has it: also what commands changed. */
import { worktreeWords } from '#display/work-words.ts';
import { paint } from '../paint.ts';
import { spokenLanguage, t } from '../say.ts';
import type { FolderChange } from '../state.ts';
import { cleanLine, fit, wrap } from '../text.ts';
import { changeLines, changeSummary } from './diff.ts';

/** The lines of the page; the file with this index is the selected one, and the part of it with that. */
export const changesLines = (report: FolderChange | null, selected: number, part: number | null, columns: number): string[] => {
  if (report === null) return [t('Reading…')];
  return [
    ...headLines(report, columns),
    ...report.files.flatMap((file, index) => fileLines(file, index === selected, columns, index === selected ? part : null)),
  ];
};

/** The line with which a file begins. */
export const startOfFile = (report: FolderChange, index: number, columns: number): number =>
  report.files.slice(0, index).reduce((lines, file) => lines + fileLines(file, false, columns).length, headLines(report, columns).length);

const headLines = ({ files, worktree, since }: FolderChange, columns: number): string[] => [
  ...(worktree === null ? [] : wrap(cleanLine(worktreeWords(worktree, spokenLanguage())), columns)),
  ...(since === 'session' ? [] : wrap(t('Since the last commit: where the session began was not kept.'), columns)),
  ...(files.length > 0 ? [] : [t(since === 'session' ? 'Nothing has changed since the session began.' : 'Nothing has changed.')]),
];

const fileLines = (
  { change, line, isCut }: FolderChange['files'][number],
  isSelected: boolean,
  columns: number,
  part: number | null = null,
): string[] => {
  const sign = isSelected && part === null ? paint('accent', '› ') : '  ';
  const title = fit(change === null ? cleanLine(line) : changeSummary(change), columns - 2);
  return [
    `${sign}${paint('strong', title)}`,
    ...(change === null ? [paint('dim', `  ${t('Its lines are not shown.')}`)] : changeLines(change, columns, part)),
    ...(isCut ? [paint('dim', `  ${t('The rest is read with `pilotfish diff`.')}`)] : []),
    '',
  ];
};
