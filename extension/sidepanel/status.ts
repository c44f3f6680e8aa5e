/** How the panel stands with the companion: one state, one sentence, one action. Pure. */
import type { ErrorBody } from '#protocol/errors.ts';
import type { PanelState } from './state.ts';

type StatusKind =
  | 'starting'
  | 'connected'
  | 'reconnecting'
  | 'host_missing'
  | 'host_forbidden'
  | 'host_crashed'
  | 'refused'
  | 'daemon_lost'
  /** The conversation works, the browser tools wait for the link. */
  | 'link_lost';

export interface Status {
  readonly kind: StatusKind;
  readonly error: ErrorBody | null;
}

/** A blip is not worth a word: only the second failed try in a row is said. */
const PATIENCE = 2;

export const statusOf = ({ connection, daemon }: PanelState): Status => {
  const isLive = daemon?.state === 'live';
  switch (connection.state) {
    case 'starting':
      return { kind: isLive ? 'connected' : 'starting', error: null };
    case 'connected':
      if (daemon?.state === 'waiting' && daemon.attempt >= PATIENCE) return { kind: 'daemon_lost', error: daemon.error };
      if (daemon?.state === 'ended') return { kind: 'daemon_lost', error: daemon.error };
      return { kind: isLive ? 'connected' : daemon?.state === 'waiting' ? 'reconnecting' : 'starting', error: null };
    case 'refused':
      return { kind: 'refused', error: connection.error };
    case 'reconnecting':
      // The worker of an extension restarts now and then; the chat does not notice.
      if (isLive && connection.attempt < PATIENCE) return { kind: 'connected', error: null };
      return { kind: isLive ? 'link_lost' : connection.state, error: connection.error };
    case 'host_missing':
    case 'host_forbidden':
    case 'host_crashed':
      return { kind: isLive ? 'link_lost' : connection.state, error: connection.error };
  }
};
