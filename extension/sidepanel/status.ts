/** The state of the panel's connection to the companion: one state, one sentence, one action. Pure. */
import type { ErrorBody } from '#protocol/errors.ts';
import type { Preparing } from '#protocol/health.ts';
import type { PanelState } from './state.ts';

type StatusKind =
  | 'starting'
  | 'connected'
  /** The person has yet to admit this browser, or has refused it. */
  | 'newcomer'
  | 'reconnecting'
  | 'host_missing'
  | 'host_forbidden'
  | 'host_crashed'
  | 'refused'
  | 'daemon_lost'
  /** The conversation works, but the browser tools wait for the link. */
  | 'link_lost';

export interface Status {
  readonly kind: StatusKind;
  readonly error: ErrorBody | null;
  /** What the companion does before it is ready, where it says so. */
  readonly preparing?: Preparing;
}

/** A short break is not shown: only the second failed attempt in a row is. */
const PATIENCE = 2;

export const statusOf = ({ connection, daemon }: PanelState): Status => {
  const isLive = daemon?.state === 'live';
  switch (connection.state) {
    case 'starting':
      if (connection.preparing !== undefined) return { kind: 'starting', error: null, preparing: connection.preparing };
      return { kind: isLive ? 'connected' : 'starting', error: null };
    case 'resting':
      return { kind: isLive ? 'connected' : 'starting', error: null };
    case 'connected':
      if (daemon?.state === 'waiting' && daemon.attempt >= PATIENCE) return { kind: 'daemon_lost', error: daemon.error };
      if (daemon?.state === 'ended') return { kind: 'daemon_lost', error: daemon.error };
      return { kind: isLive ? 'connected' : daemon?.state === 'waiting' ? 'reconnecting' : 'starting', error: null };
    case 'newcomer':
      return { kind: 'newcomer', error: null };
    case 'refused':
      return { kind: 'refused', error: connection.error };
    case 'reconnecting':
      // The worker of an extension restarts now and then, which does not affect the conversation.
      if (isLive && connection.attempt < PATIENCE) return { kind: 'connected', error: null };
      return { kind: isLive ? 'link_lost' : connection.state, error: connection.error };
    case 'host_missing':
    case 'host_forbidden':
    case 'host_crashed':
      return { kind: isLive ? 'link_lost' : connection.state, error: connection.error };
  }
};
