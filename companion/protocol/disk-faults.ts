/** What stands behind a fault of the disk, in words that a person can act on. */
import { explainLink } from './link-faults.ts';
import type { Said } from './said.ts';

interface DiskFault {
  readonly cause: Said;
  readonly remedy: Said;
}

/** By the system's names (https://man7.org/linux/man-pages/man3/errno.3.html) and SQLite's codes (https://sqlite.org/rescode.html). */
const FAULTS: ReadonlyMap<string | number, (file: string | null) => DiskFault> = new Map(
  Object.entries({
    'ENOSPC EDQUOT 13': (file: string | null) => ({
      cause: explainLink('disk_full'),
      remedy: file === null ? explainLink('free_disk') : explainLink('free_disk_at', { folder: folderOf(file) }),
    }),
    EROFS: (file: string | null) => ({
      cause: file === null ? explainLink('disk_read_only') : explainLink('disk_read_only_at', { file }),
      remedy: explainLink('make_writable'),
    }),
    'EACCES EPERM 8 14 23': (file: string | null) => ({
      cause: file === null ? explainLink('file_forbidden') : explainLink('file_forbidden_at', { file }),
      remedy: file === null ? explainLink('check_rights') : explainLink('check_rights_of', { folder: folderOf(file) }),
    }),
    'EBUSY 5 6': (file: string | null) => ({
      cause: file === null ? explainLink('file_held') : explainLink('file_held_at', { file }),
      remedy: explainLink('close_holder'),
    }),
    'EMFILE ENFILE': () => ({ cause: explainLink('too_many_open'), remedy: explainLink('close_programs') }),
    'EIO 10': (file: string | null) => ({
      cause: file === null ? explainLink('disk_fault') : explainLink('disk_fault_at', { file }),
      remedy: explainLink('check_disk'),
    }),
    'ENOTDIR EISDIR EEXIST ELOOP': (file: string | null) => ({
      cause: file === null ? explainLink('path_wrong') : explainLink('path_wrong_at', { file }),
      remedy: explainLink('move_away_and_start'),
    }),
  }).flatMap(([codes, tell]) => codes.split(' ').map((code) => [/^\d+$/.test(code) ? Number(code) : code, tell] as const)),
);

/** The calls of the system that are about files: a port that is taken and a program that cannot be run have the same codes. */
const FILE_CALLS =
  /^(?:access|chmod|close|copyfile|cp|fsync|ftruncate|link|lstat|mkdir|mkdtemp|open|opendir|read|readlink|realpath|rename|rmdir|scandir|stat|symlink|unlink|write|writev)$/;

/** What a code means for a file; null when it is not known. */
export const toDiskFault = (code: string | number, file: string | null): DiskFault | null => FAULTS.get(code)?.(file) ?? null;

/** What an error of Node's means that a call about a file brought about; null for any other. */
export const diskFaultOf = (error: unknown): DiskFault | null => {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null;
  const { code, syscall } = error;
  // Node's name for the call that asks in which folder the process is, which fails when that was removed.
  if (syscall === 'uv_cwd') return { cause: explainLink('folder_gone'), remedy: explainLink('go_elsewhere') };
  if (typeof code !== 'string' || typeof syscall !== 'string' || !FILE_CALLS.test(syscall)) return null;
  return toDiskFault(code, 'path' in error && typeof error.path === 'string' ? error.path : null);
};

const folderOf = (file: string): string => file.replace(/[\\/][^\\/]*$/, '') || '/';
