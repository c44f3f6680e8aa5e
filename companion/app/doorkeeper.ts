/** Tells for whom each process at the private socket acts, and keeps what agents start recognisable for it. */
import type { Duplex } from 'node:stream';
import type { Log } from '#companion/lib/log.ts';
import { peerOf, type Caller } from '#companion/lib/peer.ts';
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

  /** What a person should know: without the system's help an agent with a shell cannot be told from them. */
  get warnings(): string[] {
    return process.platform !== 'linux' || this.#orphans.areAdopted
      ? []
      : ['This system does not tell where a process comes from: an agent that may run commands can also run `pilotfish` in your name.'];
  }

  /** Where the process ids of the live runs are found, once the history is open. */
  knowRuns(leaders: () => readonly number[]): void {
    this.#runLeaders = leaders;
  }

  /** Looks at a new connection. It throws nothing: what cannot be looked at does not act for the person. */
  readonly identify = (socket: Duplex): Caller => {
    try {
      const leaders = new Set(this.#runLeaders());
      const caller = identifyCaller(peerOf(socket), { isRun: (leader) => leaders.has(leader) });
      if (caller.actsFor !== 'person') this.#log.info('caller.not_the_person', { ...caller });
      return caller;
    } catch (error) {
      this.#log.warn('caller.not_identified', { error });
      return { pid: null, uid: null, program: null, actsFor: 'unknown' };
    }
  };

  close(): void {
    this.#orphans.close();
  }
}
