/** The recordings of real agents as the logs of sessions, for the gallery: each goes through the codec of its agent. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { Effect, ProcessEngine } from '#companion/engines/engine.ts';
import { EventBody, type SessionEvent } from '#protocol/events.ts';
import { SessionId } from '#protocol/ids.ts';
import type { RequestOption } from '#protocol/requests.ts';
import { eventsOf, launchOptions, linesOf, TRANSCRIPTS } from '#test/unit/engines/replay.ts';

const Input = z.object({
  prompts: z.array(z.string()),
  answers: z.array(z.union([z.string(), z.object({ texts: z.array(z.string()) })])).default([]),
});

/** When each of these sessions began: the pictures are to be the same each time. */
const BEGAN_AT = Date.parse('2026-01-05T09:00:00Z');
const STEP_MS = 800;

/** What a session's log has after a recording. With `isWaiting` it ends at the first thing that the agent asks. */
export const recordedLog = (engine: ProcessEngine, scenario: string, { isWaiting = false } = {}): SessionEvent[] => {
  const input = Input.parse(JSON.parse(readFileSync(path.join(TRANSCRIPTS, scenario, 'input.json'), 'utf8')));
  const codec = engine.codec(launchOptions());
  const events: SessionEvent[] = [];
  const answers = [...input.answers];
  const prompts = [...input.prompts];
  let turnId = '';
  let hasAsked = false;
  const add = (body: z.input<typeof EventBody>): void => {
    const at = BEGAN_AT + events.length * STEP_MS;
    events.push({ ...EventBody.parse(body), sessionId: SessionId.parse('s1'), seq: events.length + 1, at });
  };

  const promptNext = (): void => {
    const text = prompts.shift();
    if (text === undefined) return;
    turnId = `turn-${input.prompts.length - prompts.length}`;
    add({ type: 'turn.started', turnId, prompt: { text, attachments: [] } });
    add({ type: 'item.started', turnId, itemId: `${turnId}-prompt`, item: { kind: 'message', role: 'user', text } });
    add({ type: 'item.completed', turnId, itemId: `${turnId}-prompt`, status: 'completed' });
    apply(codec.prompt({ turnId, text, attachments: [] }));
  };
  const answer = (requestId: string, options: readonly RequestOption[], questions: readonly string[]): void => {
    const given = answers.shift();
    const option = typeof given === 'string' ? options.find(({ kind }) => kind === given) : options[0];
    if (given === undefined || option === undefined) return;
    const texts = typeof given === 'string' ? {} : Object.fromEntries(questions.map((name, index) => [name, [given.texts[index] ?? '']]));
    const outcome = option.kind === 'reject' ? 'denied' : typeof given === 'string' ? 'allowed' : 'answered';
    add({ type: 'request.resolved', requestId, outcome, optionId: option.optionId, answers: texts, by: 'panel' });
    apply(codec.answer(requestId, { optionId: option.optionId, ...(typeof given === 'string' ? {} : { answers: texts }) }));
  };
  const apply = (effects: readonly Effect[]): void => {
    for (const event of eventsOf(effects)) {
      if (hasAsked) return;
      const body = EventBody.safeParse({ durationMs: 12_400, turnId, ...event });
      if (body.success) add(body.data);
      if (event.type === 'request.opened') {
        hasAsked = isWaiting;
        const questions = (event.request.questions ?? []).map(({ question }) => question);
        if (!isWaiting) answer(event.requestId, event.request.options, questions);
      }
      if (event.type === 'turn.completed') promptNext();
    }
  };

  add({
    type: 'session.created',
    projectId: 'p1',
    engine: engine.name,
    name: '',
    kind: 'agent',
    settings: launchOptions().settings,
  });
  add({ type: 'run.changed', state: 'ready' });
  apply(codec.start());
  promptNext();
  for (const line of linesOf(scenario, engine.name)) if (!hasAsked) apply(codec.line(line));
  return events;
};
