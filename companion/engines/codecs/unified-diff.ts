/** Unified diffs of edits in one form, from old and new text or from bare hunks. */
import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';

/** Beyond this the exact diff may take seconds; the whole file is then shown as replaced. */
const MAX_DIFF_MS = 500;

/**
 * A diff of both texts; null stands for a file that does not exist. A fragment does not say where in the file it stands, nor
 * how the file ends.
 */
export const unifiedFromTexts = (
  path: string,
  before: string | null,
  after: string | null,
  { isFragment = false }: { isFragment?: boolean } = {},
): string => {
  const hunks =
    createTwoFilesPatch(path, path, before ?? '', after ?? '', undefined, undefined, {
      context: 3,
      headerOptions: OMIT_HEADERS,
      timeout: MAX_DIFF_MS,
    }) ?? replaced(before ?? '', after ?? '');
  return header(path, before === null, after === null) + (isFragment ? withoutPlace(hunks) : hunks);
};

/** A diff from hunks alone (`@@ …`), which some engines give. */
export const unifiedFromHunks = (path: string, hunks: string): string =>
  hunks.startsWith('--- ') ? hunks : header(path, false, false) + hunks;

const header = (path: string, isAdded: boolean, isDeleted: boolean): string =>
  `--- ${isAdded ? '/dev/null' : path}\n+++ ${isDeleted ? '/dev/null' : path}\n`;

/** Readers of diffs do not count a line 0. */
const withoutPlace = (hunks: string): string =>
  hunks
    .split('\n')
    .filter((line) => !line.startsWith('\\'))
    .map((line) => line.replace(/^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/, '@@ -0$1 +0$2 @@'))
    .join('\n');

const replaced = (before: string, after: string): string => {
  const old = before.split('\n');
  const now = after.split('\n');
  return [`@@ -1,${old.length} +1,${now.length} @@`, ...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`), ''].join('\n');
};
