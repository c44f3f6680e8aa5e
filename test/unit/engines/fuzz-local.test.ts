/** The reader of a model server's answer against streams with random faults in them. */
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { readAnswer, type Answer, type AnswerSink } from '#companion/engines/local/stream.ts';
import { CompanionError } from '#protocol/errors.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { spoilLines, type Random } from './fuzz.ts';

const ROUNDS = isWhole ? 3000 : 400;

const choice = (delta: object, finish_reason: string | null = null): string =>
  JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
const call = (name: string | null, text: string): object => ({
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: text } }],
});

const ANSWERS: readonly (readonly string[])[] = [
  [
    choice({ role: 'assistant', reasoning_content: 'Hm.' }),
    choice({ content: 'Hel' }),
    choice({ content: [{ type: 'text', text: 'lo' }] }),
    choice({}, 'stop'),
    JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }),
  ],
  [choice({ content: '<think>Hm.</think>' }), choice(call('browser_click', '{"ref"')), choice(call(null, ':1}')), choice({}, 'tool_calls')],
  [JSON.stringify({ error: { message: 'no luck', code: 500 } })],
];

/** What a turn takes from an answer, nothing more. */
const Whole = z.strictObject({
  text: z.string(),
  toolCalls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })),
  finishReason: z.string().nullable(),
  usage: z.strictObject({ inputTokens: z.number(), outputTokens: z.number() }).nullable(),
}) satisfies z.ZodType<Answer>;

/** The bytes of a stream, in pieces cut anywhere. */
const bytesOf = (lines: readonly string[], random: Random): Buffer[] => {
  const text = lines.map((line) => (random(20) === 0 ? line : `data: ${line}`)).join('\n\n');
  const bytes = Buffer.from(`${text}\n\n${random(2) === 0 ? 'data: [DONE]\n\n' : ''}`);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const next = at + 1 + random(200);
    pieces.push(bytes.subarray(at, next));
    at = next;
  }
  return pieces;
};

test('a model server that writes anything at all gives an answer of the right form, or a failure that says what it was', async () => {
  const outcomes = { answers: 0, failures: 0 };
  for (let seed = 0; seed < ROUNDS; seed += 1) {
    const random = createRandom(seed);
    const lines = ANSWERS[random(ANSWERS.length)] ?? [];
    const said: unknown[] = [];
    const sink: AnswerSink = {
      onText: (text) => said.push(text),
      onThought: (text) => said.push(text),
      onWasThought: () => {},
      onMalformed: (line) => said.push(line),
    };

    const result = await readAnswer(Readable.from(bytesOf(spoilLines(lines, random), random)), sink, AbortSignal.any([])).catch(
      (error: unknown) => error,
    );

    if (result instanceof Error) {
      expect(result, `seed ${seed}`).toBeInstanceOf(CompanionError);
      outcomes.failures += 1;
    } else {
      expect(Whole.safeParse(result).error, `seed ${seed}`).toBeUndefined();
      outcomes.answers += 1;
    }
    expect(said.filter((text) => typeof text !== 'string')).toEqual([]);
  }

  expect(Math.min(outcomes.answers, outcomes.failures)).toBeGreaterThan(100);
});
