/** Unified diffs for edits, in one form whatever the engine gave: old and new text, or bare hunks. */
import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';

/** Beyond this the exact diff may take seconds; the whole file is then shown as replaced. */
const MAX_DIFF_MS = 500;

/** From both texts; null: the file did not or does not exist. A fragment of a file says neither where in it it stands nor how the file ends. */
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

/** From hunks alone (`@@ …`), as some engines give them. */
export const unifiedFromHunks = (path: string, hunks: string): string =>
  hunks.startsWith('--- ') ? hunks : header(path, false, false) + hunks;

const header = (path: string, isAdded: boolean, isDeleted: boolean): string =>
  `--- ${isAdded ? '/dev/null' : path}\n+++ ${isDeleted ? '/dev/null' : path}\n`;

/** Line 0 there is not: readers of diffs take it for no line. */
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
