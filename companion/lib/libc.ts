/** The few calls of the system's C library that Node has no function for, through `node:ffi`. */

export interface Libc {
  /** Fills `value` with an option of a socket; returns false when the system refuses. */
  getsockopt(fd: number, level: number, option: number, value: Buffer): boolean;
  /** Sets an attribute of this process, on Linux only; returns false when the system refuses. */
  prctl(option: number, argument: number): boolean;
  /** Reaps a child that has ended; returns false when it has not ended. */
  reap(pid: number): boolean;
}

/** The option to ask without waiting: https://man7.org/linux/man-pages/man2/waitpid.2.html */
const WNOHANG = 1;

let loaded: Libc | null | undefined;

/** Null where these calls do not exist (Windows) or cannot be reached. */
export const libc = (): Libc | null => (loaded === undefined ? (loaded = load()) : loaded);

const load = (): Libc | null => {
  if (process.platform === 'win32') return null;
  try {
    // It is loaded only when it is needed, because the native messaging host answers Chrome first. Without a path, `dlopen`
    // gives the symbols of this process.
    const { dlopen } = process.getBuiltinModule('node:ffi');
    const { getsockopt, waitpid } = dlopen(null, {
      getsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'pointer'], return: 'i32' },
      waitpid: { arguments: ['i32', 'pointer', 'i32'], return: 'i32' },
    }).functions;
    const prctl =
      process.platform === 'linux'
        ? dlopen(null, { prctl: { arguments: ['i32', 'u64', 'u64', 'u64', 'u64'], return: 'i32' } }).functions.prctl
        : null;
    const length = Buffer.alloc(4);
    const status = Buffer.alloc(4);
    return {
      getsockopt: (fd, level, option, value) => {
        length.writeUInt32LE(value.length);
        return getsockopt(fd, level, option, value, length) === 0;
      },
      prctl: (option, argument) => prctl !== null && prctl(option, BigInt(argument), 0n, 0n, 0n) === 0,
      reap: (pid) => waitpid(pid, status, WNOHANG) === pid,
    };
  } catch {
    // This build of Node has no FFI, or the system forbids it; the callers then say what they cannot tell.
    return null;
  }
};
