/** Where the runtime's last messages go, for instance when it is out of memory or native code fails. */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

/** A daemon is started without standard streams; its stderr becomes its log. One that a person watches keeps its own. */
export const sendStderrTo = (file: string): void => {
  if (isatty(2) || !fstatSync(2).isCharacterDevice()) return;
  closeSync(2);
  // The system gives the lowest free number, which is 2.
  openSync(file, 'a', 0o600);
};
