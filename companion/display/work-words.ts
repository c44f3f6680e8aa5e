/** Sentences about a session's work in a git repository, the same in panel, terminal and on a command line; English and Chinese. Pure. */
import type { ChangedFile, Finished, Worktree } from '#protocol/work.ts';
import { counted } from '#protocol/counted.ts';
import { toSize } from './amounts.ts';

type Language = 'en' | 'zh';

/** Where the agent works, and what it does not see. */
export const worktreeWords = (
  { branch, baseBranch, leftBehind }: Pick<Worktree, 'branch' | 'baseBranch' | 'leftBehind'>,
  language: Language,
): string => {
  if (language === 'zh') {
    const left = leftBehind === 0 ? '' : `你的文件夹中有 ${leftBehind} 个未提交的更改，没有带入。`;
    return `工作树：分支 ${branch}${baseBranch === null ? '' : `，起始于 ${baseBranch}`}。${left}`;
  }
  const files = counted(leftBehind, 'file');
  const left = leftBehind === 0 ? '' : ` ${files} of your folder with changes that are not committed were not taken along.`;
  return `Worktree on branch ${branch}${baseBranch === null ? '' : `, begun at ${baseBranch}`}.${left}`;
};

/** What became of a worktree. */
export const finishedWords = ({ worktree, commit, committedFiles, savedAs }: Finished, language: Language): string => {
  const { state, branch, baseBranch } = worktree;
  const isEnglish = language === 'en';
  const committed =
    committedFiles === 0
      ? ''
      : isEnglish
        ? ` ${counted(committedFiles, 'uncommitted file')} ${committedFiles === 1 ? 'was' : 'were'} committed first.`
        : ` 先提交了 ${committedFiles} 个未提交的文件。`;
  switch (state) {
    case 'open':
      return isEnglish ? `The worktree of ${branch} is there again.` : `${branch} 的工作树已恢复。`;
    case 'merged':
      if (commit === null) return isEnglish ? 'Nothing had changed; the worktree is removed.' : '没有更改；工作树已移除。';
      return (isEnglish ? `Merged into ${baseBranch ?? ''}.` : `已合并到 ${baseBranch ?? ''}。`) + committed;
    case 'kept':
      return (isEnglish ? `Kept as the branch ${branch}.` : `已保留为分支 ${branch}。`) + committed;
    case 'discarded':
      if (savedAs === null) return isEnglish ? 'Nothing had changed; the worktree is removed.' : '没有更改；工作树已移除。';
      return isEnglish
        ? `Discarded. Should you want it after all: git branch NAME ${savedAs}`
        : `已丢弃。如仍需要：git branch NAME ${savedAs}`;
  }
};

/** One file of a change as a line: what happened, its name, its counts. */
export const changedFileLine = (file: ChangedFile, language: Language): string =>
  `${changedFileName(file)}  ${withoutLines(file, language) ?? `+${file.additions} -${file.deletions}`}`;

/** What happened to a file, and its name. */
export const changedFileName = ({ path, oldPath, status }: ChangedFile): string =>
  `${SIGNS[status]} ${oldPath === undefined ? path : `${oldPath} → ${path}`}`;

/** What is said of a file whose lines are not counted; null where they are. */
export const withoutLines = ({ isBinary, isHuge, sizeBytes }: ChangedFile, language: Language): string | null => {
  if (isHuge === true) return language === 'zh' ? `较大，${toSize(sizeBytes)}` : `large, ${toSize(sizeBytes)}`;
  if (isBinary) return language === 'zh' ? `二进制，${toSize(sizeBytes)}` : `binary, ${toSize(sizeBytes)}`;
  return null;
};

const SIGNS: Readonly<Record<ChangedFile['status'], string>> = {
  added: 'A',
  deleted: 'D',
  modified: 'M',
  renamed: 'R',
  'type-changed': 'T',
};
