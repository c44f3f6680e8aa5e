/** A codec whose effects are sorted out, and an agent whose words the test writes: for codecs that speak JSON-RPC. */
import type { Codec, Effect, EngineEvent, EnginePrompt, LaunchOptions, ProcessEngine } from '#companion/engines/engine.ts';
import { launchOptions } from './replay.ts';

/** A line to the agent, as far as tests look at it. */
export interface Sent {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface CodecSession {
  readonly codec: Codec;
  readonly events: EngineEvent[];
  readonly effects: Effect[];
  readonly sent: Sent[];
  /** Applies effects and gives the events among them. */
  readonly take: (effects: readonly Effect[]) => EngineEvent[];
  /** A message of the agent's. */
  readonly says: (message: object) => EngineEvent[];
  /** The agent answers the newest request for this method. */
  readonly answers: (method: string, answer: { result: unknown } | { error: object }) => EngineEvent[];
  readonly lastOf: (method: string) => Sent | undefined;
}

export const startSession = (engine: ProcessEngine, options: Partial<LaunchOptions> = {}): CodecSession => {
  const codec = engine.codec({ ...launchOptions(), ...options });
  const session: CodecSession = {
    codec,
    events: [],
    effects: [],
    sent: [],
    take: (effects) => {
      session.effects.push(...effects);
      const events = effects.flatMap((effect) => (effect.type === 'event' ? [effect.event] : []));
      session.events.push(...events);
      for (const effect of effects) if (effect.type === 'write') session.sent.push(JSON.parse(effect.line) as Sent);
      return events;
    },
    says: (message) => session.take(codec.line(JSON.stringify(message))),
    answers: (method, answer) => {
      const request = session.lastOf(method);
      if (request === undefined) throw new Error(`${method} was not sent`);
      return session.says({ id: request.id, ...answer });
    },
    lastOf: (method) => session.sent.findLast((sent) => sent.method === method),
  };
  session.take(codec.start());
  return session;
};

export const promptOf = (text: string, attachments: EnginePrompt['attachments'] = []): EnginePrompt => ({
  turnId: 't1',
  text,
  attachments,
});
