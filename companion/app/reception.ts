/** Who comes from outside, browsers by the link and MCP clients, and how a browser is received. */
import type { Socket } from 'node:net';
import { toBrowserComer, toClientComer, type Comer } from '#companion/admission/comer.ts';
import type { Admission } from '#protocol/admission.ts';
import type { Admissions } from '#companion/admission/admissions.ts';
import type { Reception } from '#companion/browser/connection.ts';
import type { Caller } from '#companion/lib/peer.ts';
import { isSameProcess, startTimeOf } from '#companion/process/identity.ts';
import { programOf } from '#companion/process/lineage.ts';
import { isInstalledBrowser } from './browser-programs.ts';
import type { Doorkeeper } from './doorkeeper.ts';
import type { PanelAccess } from './panel-access.ts';

export const createReception = (admissions: Admissions, panels: PanelAccess): ((caller: Caller | null) => Reception) => {
  const facts = { ownProgram: programOf('self'), isBrowser: isInstalledBrowser };
  return (caller) => ({
    meet: (hello) => admissions.meet(toBrowserComer(hello, caller, facts)),
    welcome: (hello, { id }) => panels.welcome(hello, id),
  });
};

/** A browser that is elsewhere has proven the key of its pairing. */
export const receptionOfPaired = (paired: Admission, admissions: Pick<Admissions, 'findKey'>, panels: PanelAccess): Reception => ({
  meet: () => admissions.findKey(paired.id)?.admission ?? { ...paired, state: 'denied' },
  welcome: (hello, { id }) => panels.welcome(hello, id),
});

/** A program that the system does not tell may call again for as long as this; no person thinks for longer between two calls. */
const UNKNOWN_MS = 8 * 3_600_000;

/** Says which program an MCP client is, and whether one of them may still call. */
export class Comers {
  readonly #doorkeeper: Pick<Doorkeeper, 'identifyLoopback'>;
  readonly #facts = { ownProgram: programOf('self') };
  /** The process behind a connection over loopback: to find it takes a look at all processes. */
  readonly #callers = new WeakMap<Socket, Promise<Caller>>();

  /** A client that opens a connection for each call is the same process again. */
  #last: number | null = null;

  readonly #heardOf = new WeakSet<Socket>();
  /** When the processes that have spoken MCP were started, by their ids. */
  readonly #programs = new Map<number, string>();
  /** When one spoke that the system does not tell, on the clock of `performance.now()`. */
  #unknownAt = -Infinity;

  constructor(doorkeeper: Pick<Doorkeeper, 'identifyLoopback'>) {
    this.#doorkeeper = doorkeeper;
  }

  local(name: string, caller: Caller | null): Comer {
    return toClientComer(name, caller, this.#facts);
  }

  async overLoopback(name: string, socket: Socket): Promise<Comer> {
    return this.local(name, await this.#heard(socket));
  }

  /**
   * Finds out which program is behind a connection over loopback; returns what tells whether it still runs, as far as that is known. It is not
   * expected for that: an agent of Pilotfish's own needs no daemon between its turns.
   */
  watch(socket: Socket): () => boolean {
    let program: { readonly pid: number; readonly startTime: string } | null = null;
    void this.#callerOf(socket).then(({ pid }) => {
      const startTime = pid === null ? null : startTimeOf(pid);
      if (pid !== null && startTime !== null) program = { pid, startTime };
    });
    return () => program === null || isSameProcess(program.pid, program.startTime);
  }

  /** A program from outside has spoken over loopback, with or without a call. It can start no daemon, so this one is needed while it runs. */
  async spoke(socket: Socket): Promise<void> {
    await this.#heard(socket);
  }

  /** Whether a program that has spoken may do so again. */
  get areExpected(): boolean {
    for (const [pid, startTime] of this.#programs) if (!isSameProcess(pid, startTime)) this.#programs.delete(pid);
    return this.#programs.size > 0 || performance.now() - this.#unknownAt < UNKNOWN_MS;
  }

  /** Who has spoken may do so again. */
  async #heard(socket: Socket): Promise<Caller> {
    const caller = await this.#callerOf(socket);
    if (this.#heardOf.has(socket)) return caller;
    this.#heardOf.add(socket);
    const { pid } = caller;
    const startTime = pid === null ? null : startTimeOf(pid);
    if (pid === null) this.#unknownAt = performance.now();
    else if (startTime !== null) this.#programs.set(pid, startTime);
    return caller;
  }

  #callerOf(socket: Socket): Promise<Caller> {
    const looking = this.#callers.get(socket) ?? this.#identify(socket);
    this.#callers.set(socket, looking);
    return looking;
  }

  async #identify(socket: Socket): Promise<Caller> {
    const caller = await this.#doorkeeper.identifyLoopback(socket, this.#last);
    this.#last = caller.pid;
    return caller;
  }
}
