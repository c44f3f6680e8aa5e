/** Who comes from outside, browsers by the link and MCP clients, and how a browser is received. */
import type { Socket } from 'node:net';
import { toBrowserComer, toClientComer, type Comer } from '#companion/admission/comer.ts';
import type { Admission } from '#protocol/admission.ts';
import type { Admissions } from '#companion/admission/admissions.ts';
import type { Reception } from '#companion/browser/connection.ts';
import type { Caller } from '#companion/lib/peer.ts';
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

/** Says which program an MCP client is. */
export class Comers {
  readonly #doorkeeper: Pick<Doorkeeper, 'identifyLoopback'>;
  readonly #facts = { ownProgram: programOf('self') };
  /** The process behind a connection over loopback: to find it takes a look at all processes. */
  readonly #callers = new WeakMap<Socket, Promise<Caller>>();

  /** A client that opens a connection for each call is the same process again. */
  #last: number | null = null;

  constructor(doorkeeper: Pick<Doorkeeper, 'identifyLoopback'>) {
    this.#doorkeeper = doorkeeper;
  }

  local(name: string, caller: Caller | null): Comer {
    return toClientComer(name, caller, this.#facts);
  }

  async overLoopback(name: string, socket: Socket): Promise<Comer> {
    const looking = this.#callers.get(socket) ?? this.#doorkeeper.identifyLoopback(socket, this.#last);
    this.#callers.set(socket, looking);
    const caller = await looking;
    this.#last = caller.pid;
    return this.local(name, caller);
  }
}
