/** A codec of claude's with its effects sorted out, for tests. */
import { ClaudeCodec } from '#companion/engines/claude/codec.ts';
import type { Codec, Effect, EngineEvent, LaunchOptions } from '#companion/engines/engine.ts';
import { eventsOf, launchOptions } from './replay.ts';

/** A line to claude, as far as tests look at it. */
interface Written {
  readonly type: string;
  readonly uuid?: string;
  readonly request_id?: string;
  readonly request?: Record<string, unknown>;
  readonly response?: { readonly response: Record<string, unknown> };
  readonly message?: { readonly content: readonly { readonly type: string; readonly text?: string }[] };
}

export interface Run {
  readonly codec: Codec;
  /** All events so far. */
  readonly events: EngineEvent[];
  readonly written: Written[];
  readonly take: (effects: readonly Effect[]) => readonly Effect[];
  /** One line of claude's. */
  readonly says: (frame: unknown) => EngineEvent[];
}

export const start = (options: Partial<LaunchOptions> = {}, now = 0): Run => {
  const codec = new ClaudeCodec({ ...launchOptions(), ...options }, { now: () => now });
  const events: EngineEvent[] = [];
  const written: Written[] = [];
  const take = (effects: readonly Effect[]): readonly Effect[] => {
    events.push(...eventsOf(effects));
    for (const effect of effects) if (effect.type === 'write') written.push(JSON.parse(effect.line) as Written);
    return effects;
  };
  return { codec, events, written, take, says: (frame) => eventsOf(take(codec.line(JSON.stringify(frame)))) };
};

/** With a prompt on its way. */
export const prompted = (options: Partial<LaunchOptions> = {}): Run => {
  const run = start(options);
  run.take(run.codec.prompt({ turnId: 't1', text: 'hello', attachments: [] }));
  return run;
};

export const result = (more: object = {}): object => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  terminal_reason: 'completed',
  ...more,
});
