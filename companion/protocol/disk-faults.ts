/** What stands behind a fault of the disk, in words that a person can act on. */

export interface DiskFault {
  readonly cause: string;
  readonly remedy: string;
}

/** By the system's names (https://man7.org/linux/man-pages/man3/errno.3.html) and SQLite's codes (https://sqlite.org/rescode.html). */
const FAULTS: ReadonlyMap<string | number, (file: string | null) => DiskFault> = new Map(
  Object.entries({
    'ENOSPC EDQUOT 13': (file: string | null) => ({
      cause: 'The disk is full.',
      remedy: `Free disk space${file === null ? '' : ` where ${folderOf(file)} lies`}; what was acknowledged is safe.`,
    }),
    EROFS: (file: string | null) => ({
      cause: `The disk${file === null ? '' : ` of ${file}`} can only be read.`,
      remedy: 'Make it writable again: a system does this to a disk that reports faults. Or set PILOTFISH_HOME to a folder elsewhere.',
    }),
    'EACCES EPERM 8 14 23': (file: string | null) => ({
      cause: `${file ?? 'A file'} cannot be written or read by you.`,
      remedy: `Check the rights of ${file === null ? 'its folder' : folderOf(file)}, or set PILOTFISH_HOME to a folder of your own.`,
    }),
    'EBUSY 5 6': (file: string | null) => ({
      cause: `Another program holds ${file ?? 'a file'}.`,
      remedy: 'Close the program that has opened it (a backup, a database viewer), then try again.',
    }),
    'EMFILE ENFILE': () => ({
      cause: 'Too many files are open.',
      remedy: 'Close other programs, or raise the limit of open files (ulimit -n), then start pilotfish again.',
    }),
    'EIO 10': (file: string | null) => ({
      cause: `The disk reports a fault${file === null ? '' : ` at ${file}`}.`,
      remedy: 'Check the disk, and save a copy of that folder.',
    }),
    'ENOTDIR EISDIR ELOOP': (file: string | null) => ({
      cause: `${file ?? 'A path'} is not what it should be: a file stands where a folder is needed, or the other way round.`,
      remedy: 'Move what stands there away, or set PILOTFISH_HOME to a folder of your own, then start pilotfish again.',
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
  if (typeof code !== 'string' || typeof syscall !== 'string' || !FILE_CALLS.test(syscall)) return null;
  return toDiskFault(code, 'path' in error && typeof error.path === 'string' ? error.path : null);
};

const folderOf = (file: string): string => file.replace(/[\\/][^\\/]*$/, '') || '/';
