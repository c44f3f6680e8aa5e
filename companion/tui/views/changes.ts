/** The whole change of a session's folder since it began, as git has it: also what commands changed. */
import { worktreeWords } from '#display/work-words.ts';
import { changeLines, changeSummary } from './diff.ts';
import { paint } from '../paint.ts';
import { spokenLanguage, t } from '../say.ts';
import type { FolderChange } from '../state.ts';
import { cleanLine, fit, wrap } from '../text.ts';

/** The lines of the page. */
export const changesLines = (report: FolderChange | null, columns: number): string[] => {
  if (report === null) return [t('Reading…')];
  const { files, left, worktree } = report;
  return [
    ...(worktree === null ? [] : wrap(cleanLine(worktreeWords(worktree, spokenLanguage())), columns)),
    ...(files.length === 0 && left.length === 0 ? [t('Nothing has changed since the session began.')] : []),
    ...files.flatMap((change) => ['', paint('strong', fit(changeSummary(change), columns)), ...changeLines(change, columns)]),
    ...(left.length === 0 ? [] : ['', paint('dim', t('Without their lines:')), ...left.map((line) => fit(` ${cleanLine(line)}`, columns))]),
  ];
};
