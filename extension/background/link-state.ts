/** How a lost connection is reported to the user. Pure. */
import { errorSaying, type ErrorBody } from '#protocol/errors.ts';
import { explainInFront } from '#protocol/front-faults.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** What ended a connection. */
export interface Ending {
  /** `chrome.runtime.lastError` of the port. */
  readonly text: string;
  /** The error that host or daemon reported before the end. */
  readonly error: ErrorBody | null;
  readonly isRefused: boolean;
  /** Whether the host had answered. */
  readonly hasSpoken: boolean;
  /** Whether the companion is elsewhere, where no host of this machine has a part in it. */
  readonly isElsewhere?: boolean;
}

/** The state to show; the texts are Chrome's own, see extensions/browser/api/messaging/native_message_process_host.h. */
export const toState = ({ text, error, isRefused, hasSpoken, isElsewhere }: Ending, attempt: number): ConnectionState => {
  if (isRefused && error !== null) return { state: 'refused', error, attempt };
  if (error !== null) return { state: isElsewhere === true ? 'reconnecting' : 'host_crashed', error, attempt };
  if (/not found/i.test(text)) return { state: 'host_missing', error: missing, attempt };
  if (/forbidden/i.test(text)) return { state: 'host_forbidden', error: forbidden, attempt };
  if (hasSpoken) return { state: 'reconnecting', error: lost, attempt };
  return { state: 'host_crashed', error: crashed(text.trim()), attempt };
};

/** The pause before the next attempt: 0.5 s, doubled up to 30 s, for ever. What only the user can mend is not tried more often. */
export const pauseBefore = (attempt: number, state: ConnectionState): number =>
  state.state === 'refused' ? LONGEST_PAUSE_MS : Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_PAUSE_MS);

const missing = errorSaying('INSTALL_FAILED', explainInFront('not_registered'), explainInFront('start_or_install'));
const forbidden = errorSaying('INSTALL_FAILED', explainInFront('other_copy'), explainInFront('install_and_load'));
const lost = errorSaying('DAEMON_NOT_RUNNING', explainInFront('connection_lost'), explainInFront('link_comes_back'));

/** `words` are Chrome's. */
const crashed = (words: string): ErrorBody =>
  errorSaying(
    'DAEMON_START_FAILED',
    words === '' ? explainInFront('ended_at_once') : explainInFront('ended_at_once_said', { words }),
    explainInFront('doctor_in_terminal'),
  );
