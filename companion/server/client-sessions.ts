/** The sessions of MCP clients, and which process has opened each. */
import { hash } from 'node:crypto';
import { CompanionError } from '#protocol/errors.ts';
import { SessionId } from '#protocol/ids.ts';
import type { Comer } from '#companion/admission/comer.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Principal } from '#companion/mcp/tokens.ts';
import type { ServerDeps } from './deps.ts';

/** A client whose hold was cut comes back within seconds. After this time its process counts as gone, and its number may be another's. */
const RETURN_MS = 60_000;

/** A browser keeps the tabs of no more sessions. */
const MAX_LEFT = 100;

interface Opening {
  readonly name: string;
  readonly pid: number | null;
  readonly comer: Comer;
  /** Whether it is only to be found again. */
  readonly isBack: boolean;
}

export class ClientSessions {
  readonly #sessions: ServerDeps['sessions'];
  readonly #bridge: ServerDeps['bridge'];
  readonly #promised = new Set<SessionId>();
  /** Those whose clients have come to this daemon. */
  readonly #met = new Set<SessionId>();
  /** The process that opened each session: its grants are for that one, and another that names it does not find it. */
  readonly #owners = new Map<SessionId, { readonly pid: number | null; readonly comer: Comer }>();
  /** The newest hold of each session: an older one may be noticed to be gone only after its client is back. */
  readonly #holds = new Map<SessionId, symbol>();

  constructor(sessions: ServerDeps['sessions'], bridge: ServerDeps['bridge']) {
    this.#sessions = sessions;
    this.#bridge = bridge;
    setTimeout(() => this.#endLeft(), RETURN_MS).unref();
  }

  /** The id of a session that is made when somebody comes with it: a configuration that was only printed is no session. */
  promise(): SessionId {
    const sessionId = newSessionId();
    this.#promised.add(sessionId);
    return sessionId;
  }

  /** Makes the session if it was promised. */
  async keepPromise(sessionId: SessionId, name: string): Promise<void> {
    if (this.#promised.delete(sessionId)) await this.#create(sessionId, name);
  }

  /** Makes a session that only this process finds, or finds it again. One that the person has removed is left alone. */
  async open(wanted: SessionId, { name, pid, comer, isBack }: Opening): Promise<SessionId> {
    const isRemoved = this.#sessions.removed().some(({ session }) => session.id === wanted);
    if (isBack && (isRemoved || !this.#sessions.has(wanted))) throw new CompanionError('SESSION_NOT_FOUND');
    const sessionId = isRemoved ? newSessionId() : wanted;
    await this.#create(sessionId, name);
    this.#owners.set(sessionId, { pid, comer });
    return sessionId;
  }

  /** The program whose session it is, if this process has opened it; throws SESSION_NOT_FOUND. */
  checkOwner(sessionId: SessionId, pid: number | null): Comer {
    const owner = this.#owners.get(sessionId);
    if (owner === undefined || owner.pid !== pid || this.#sessions.view(sessionId).kind !== 'client') {
      throw new CompanionError('SESSION_NOT_FOUND');
    }
    return owner.comer;
  }

  /** Keeps the session's browser until the returned function is called. */
  hold(sessionId: SessionId, pid: number | null): () => void {
    this.checkOwner(sessionId, pid);
    this.#bridge.sessionStarted(sessionId, this.#sessions.view(sessionId).name);
    const hold = Symbol(sessionId);
    this.#holds.set(sessionId, hold);
    const isNewest = (): boolean => this.#holds.get(sessionId) === hold;
    return () => {
      if (!isNewest()) return;
      this.#bridge.sessionEnded(sessionId);
      setTimeout(() => {
        if (isNewest()) this.#forget(sessionId);
      }, RETURN_MS).unref();
    };
  }

  close(sessionId: SessionId, pid: number | null): void {
    this.checkOwner(sessionId, pid);
    this.#forget(sessionId);
    this.#bridge.sessionEnded(sessionId);
  }

  /** A daemon that was killed has told no browser that sessions ended, and their clients may have ended with it. */
  #endLeft(): void {
    const left = this.#sessions.list().filter(({ id, kind }) => kind === 'client' && !this.#met.has(id));
    for (const { id } of left.slice(0, MAX_LEFT)) this.#bridge.sessionEnded(id);
  }

  async #create(sessionId: SessionId, name: string): Promise<void> {
    this.#met.add(sessionId);
    await this.#sessions.dispatch({ type: 'session.create', sessionId, projectId: null, engine: 'mcp', name, kind: 'client' });
    this.#bridge.sessionStarted(sessionId, name);
  }

  #forget(sessionId: SessionId): void {
    this.#owners.delete(sessionId);
    this.#holds.delete(sessionId);
  }
}

export const newSessionId = (): SessionId => SessionId.parse(randomId('session'));

/** No daemon has to keep the key: the id that is made of it is found by the one who has it, and tells nobody else what it was. */
export const sessionOf = (key: string): SessionId => SessionId.parse(`session_${hash('sha256', key).slice(0, 40)}`);

/** Null when the system does not tell it; then all callers of the private socket count as one. */
export const processOf = (principal: Principal): number | null => (principal.type === 'local' ? (principal.caller?.pid ?? null) : null);
