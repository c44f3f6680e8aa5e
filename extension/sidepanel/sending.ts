/** In which order prompts are sent: those of one session one after the other, so that a short one does not overtake one with large files. */
import type { SessionId } from '#protocol/ids.ts';
import { InTurn } from '#extension/shared/in-turn.ts';

/** Makes the session of these prompts, which have none yet. */
type Make = (turnIds: ReadonlySet<string>) => Promise<SessionId>;

interface Making {
  readonly turns: InTurn;
  readonly session: Promise<SessionId>;
}

export class Sending {
  readonly #turns = new Map<SessionId, InTurn>();
  /** The session that is being made. */
  #making: Making | null = null;
  /** The prompts that wait for a session, or could get none. */
  #waiting = new Set<string>();

  /** Sends a prompt after those before it. What is sent while the session is still being made for another prompt goes into the same one. */
  async send(
    { turnId, sessionId }: { readonly turnId: string; readonly sessionId: SessionId | null },
    make: Make,
    work: (sessionId: SessionId) => Promise<void>,
  ): Promise<void> {
    if (sessionId !== null) return this.#turnsOf(sessionId).ask(() => work(sessionId));
    this.#waiting.add(turnId);
    const { turns, session } = (this.#making ??= this.#begin(make));
    return turns.ask(async () => work(await session));
  }

  #begin(make: Make): Making {
    const turns = new InTurn();
    const toMade = async (): Promise<SessionId> => {
      try {
        const sessionId = await make(this.#waiting);
        this.#turns.set(sessionId, turns);
        this.#waiting = new Set();
        return sessionId;
      } finally {
        this.#making = null;
      }
    };
    return { turns, session: toMade() };
  }

  #turnsOf(sessionId: SessionId): InTurn {
    const turns = this.#turns.get(sessionId) ?? new InTurn();
    this.#turns.set(sessionId, turns);
    return turns;
  }
}
