/** Where the runtime's last words go: out of memory, a fault in native code. */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

/** A daemon is started without standard streams; its stderr becomes its log. One that a person watches keeps its own. */
export const sendStderrTo = (file: string): void => {
  if (isatty(2) || !fstatSync(2).isCharacterDevice()) return;
  closeSync(2);
  // The lowest free number is taken, which is 2 again.
  openSync(file, 'a', 0o600);
};
