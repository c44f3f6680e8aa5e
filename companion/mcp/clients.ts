/** For whom a call is made: an agent of Pilotfish, or a program from outside, which the person has to let in once before it does anything. */
import type { Admission } from '#protocol/admission.ts';
import type { GrantClient } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { Admissions } from '#companion/admission/admissions.ts';
import type { Comer } from '#companion/admission/comer.ts';
import type { AskingCall } from '#companion/sessions/asking-call.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import { toClientCard } from './consent-card.ts';
import type { Consent } from './consent.ts';

interface Call {
  readonly sessionId: SessionId;
  /** The tool. */
  readonly name: string;
  readonly comer: () => Comer | Promise<Comer>;
  readonly asking: AskingCall;
  readonly signal: AbortSignal;
}

export class Clients {
  readonly #admissions: Pick<Admissions, 'meet' | 'find' | 'decide' | 'subscribe'>;
  readonly #sessions: Pick<Sessions, 'view'>;
  readonly #consent: Consent;
  readonly #labelOf: (engine: string) => string;

  constructor(
    admissions: Pick<Admissions, 'meet' | 'find' | 'decide' | 'subscribe'>,
    sessions: Pick<Sessions, 'view'>,
    consent: Consent,
    labelOf: (engine: string) => string = (engine) => engine,
  ) {
    this.#labelOf = labelOf;
    this.#admissions = admissions;
    this.#sessions = sessions;
    this.#consent = consent;
  }

  /** The agent of a session; null for a program from outside. */
  agentOf(sessionId: SessionId): GrantClient | null {
    const { kind, engine } = this.#sessions.view(sessionId);
    return kind === 'agent' ? { id: `agent ${engine}`, name: this.#labelOf(engine) } : null;
  }

  /** Whose permissions count for the call. Asks the person about a program that comes for the first time; throws when they turn it away. */
  async admit(call: Call, onWaiting: () => void): Promise<GrantClient> {
    const agent = this.agentOf(call.sessionId);
    if (agent !== null) return agent;
    const comer = await call.comer();
    const admission = this.#admissions.meet(comer);
    if (!isLetIn(admission)) {
      onWaiting();
      await this.#ask(admission, comer, call);
    }
    return { id: admission.id, name: admission.name };
  }

  async #ask(admission: Admission, comer: Comer, { sessionId, name, asking, signal }: Call): Promise<void> {
    const { id } = admission;
    // The answer may come by another way: from the terminal, or to the same program's question in another session.
    const decided = new AbortController();
    const stop = this.#admissions.subscribe((changed) => {
      if (changed === id && this.#state(id) !== 'waiting') decided.abort();
    });
    try {
      await this.#consent.ask({
        sessionId,
        tool: name,
        kind: `client ${id}`,
        isOfAllSessions: true,
        request: toClientCard(admission),
        call: asking,
        isSettled: () => Promise.resolve(this.#state(id) !== 'waiting'),
        signal: AbortSignal.any([signal, decided.signal]),
      });
      if (this.#state(id) === 'waiting') this.#decide(comer, true);
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof CompanionError && error.code === 'CONSENT_DENIED') this.#decide(comer, false);
      else if (!decided.signal.aborted) throw error;
    } finally {
      stop();
    }
    const now = this.#admissions.find(id);
    if (now === null || !isLetIn(now)) throw notAllowed(admission);
  }

  /** One that waited long may have made room for others that came. */
  #decide(comer: Comer, isAllowed: boolean): void {
    this.#admissions.decide(this.#admissions.meet(comer).id, isAllowed);
  }

  #state(id: string): Admission['state'] {
    return this.#admissions.find(id)?.state ?? 'waiting';
  }
}

const isLetIn = (admission: Admission): boolean => {
  if (admission.state === 'denied') throw notAllowed(admission);
  return admission.state === 'allowed';
};

const notAllowed = ({ name, program }: Admission): CompanionError =>
  new CompanionError('CLIENT_NOT_ALLOWED', `It calls itself "${name}"${program === null ? '' : ` and is ${program}`}.`);
