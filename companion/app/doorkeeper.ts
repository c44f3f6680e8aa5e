/** Tells for whom each process at the private socket acts, and keeps the descendants of agents recognisable for that. */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { warn, type Warning } from '#protocol/warnings.ts';
import type { Log } from '#companion/lib/log.ts';
import { peerOf, UNKNOWN_PROCESS, type Caller, type Peer } from '#companion/lib/peer.ts';
import { loopbackPeerOf } from '#companion/lib/tcp-peers.ts';
import { identifyCaller } from '#companion/process/lineage.ts';
import { Orphans } from '#companion/process/orphans.ts';

export class Doorkeeper {
  readonly #orphans = new Orphans();
  readonly #log: Log;
  #runLeaders: () => readonly number[] = () => [];

  constructor(log: Log) {
    this.#log = log;
    if (process.platform === 'linux' && !this.#orphans.areAdopted) log.warn('doorkeeper.blind');
  }

  /** A warning for a person: without the system's help an agent with a shell cannot be told from them. */
  get warnings(): Warning[] {
    return process.platform !== 'linux' || this.#orphans.areAdopted ? [] : [{ what: warn('callers_unknown') }];
  }

  /** Where the process ids of the live runs are found, once the history is open. */
  knowRuns(leaders: () => readonly number[]): void {
    this.#runLeaders = leaders;
  }

  /** Looks at a new connection of the private socket. It throws nothing: what cannot be looked at does not act for the person. */
  readonly identify = (socket: Duplex): Caller => {
    try {
      return this.#identify(peerOf(socket));
    } catch (error) {
      return this.#notIdentified(error);
    }
  };

  /** Looks at a connection of the loopback port. It rejects as little. */
  async identifyLoopback(socket: Socket, likely: number | null): Promise<Caller> {
    try {
      return this.#identify(await loopbackPeerOf(socket, likely));
    } catch (error) {
      return this.#notIdentified(error);
    }
  }

  #identify(peer: Peer | null): Caller {
    const leaders = new Set(this.#runLeaders());
    const caller = identifyCaller(peer, { isRun: (leader) => leaders.has(leader) });
    if (caller.actsFor !== 'person') this.#log.info('caller.not_the_person', { ...caller });
    return caller;
  }

  #notIdentified(error: unknown): Caller {
    this.#log.warn('caller.not_identified', { error });
    return { ...UNKNOWN_PROCESS, actsFor: 'unknown' };
  }

  close(): void {
    this.#orphans.close();
  }
}
