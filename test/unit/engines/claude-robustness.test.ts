import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claude } from '#companion/engines/claude.ts';
import { ClaudeCodec } from '#companion/engines/claude/codec.ts';
import type { EngineEvent } from '#companion/engines/engine.ts';
import { LineReader } from '#companion/lib/line-reader.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { prompted } from './claude-stage.ts';
import { eventsOf, launchOptions, linesOf, scenariosOf, TRANSCRIPTS } from './replay.ts';

const MALFORMED = isWhole ? 10_000 : 2_000;

const LINES = [
  { type: 'system', subtype: 'init', session_id: 's1' },
  { type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'Schön 🐟 日本語 ½ €' }] } },
  { type: 'result', subtype: 'success', is_error: false, terminal_reason: 'completed', result: 'Schön 🐟' },
];

const read = (chunks: readonly Buffer[]): EngineEvent[] => {
  const codec = claude.codec(launchOptions());
  const events = eventsOf(codec.prompt({ turnId: 't', text: 'x', attachments: [] }));
  const reader = new LineReader({ onLine: (line) => events.push(...eventsOf(codec.line(line))), onOverflow: () => {} });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return events;
};

describe('claude from bytes', () => {
  test('the same events, wherever the stream is cut', () => {
    const bytes = Buffer.from(`\uFEFF${LINES.map((line) => JSON.stringify(line)).join('\r\n')}`);
    const reference = read([bytes]);
    expect(reference).toContainEqual({
      type: 'item.completed',
      itemId: 'm1:0',
      status: 'completed',
      patch: { text: 'Schön 🐟 日本語 ½ €' },
    });

    for (let at = 1; at < bytes.length; at++) expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(reference);
  });
});

describe('claude robustness', () => {
  test('thousands of malformed lines do no harm, and a good turn works after them', () => {
    const run = prompted();
    const good = linesOf('mcp', 'claude').join('\n');
    let seed = 1;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };

    for (let count = 0; count < MALFORMED; count++) {
      const at = random(good.length - 400);
      const piece = good.slice(at, at + 1 + random(400)).split('\n')[0] ?? '';
      const line =
        [
          piece,
          `{"type":"${['stream_event', 'assistant', 'user', 'system', 'result', 'control_request', 'control_response', 'control_cancel_request', 'command_lifecycle', 'rate_limit_event'][random(10)]}","x":${JSON.stringify(piece)}}`,
          '['.repeat(random(2_000)),
          '{"type":5}',
          'null',
          '"\\u0000"',
          `{"type":"user","message":{"content":[${random(9)}]}}`,
        ][random(7)] ?? '';
      expect(() => run.take(run.codec.line(line))).not.toThrow();
    }

    const malformed = run.events.filter((event) => event.type === 'malformed');
    expect(malformed.length).toBeGreaterThan(MALFORMED / 2);
    expect(Math.max(...malformed.map(({ line }) => line.length))).toBeLessThanOrEqual(500);
    run.take(run.codec.prompt({ turnId: 't2', text: 'x', attachments: [] }));
    for (const line of linesOf('answer', 'claude')) run.take(run.codec.line(line));
    expect(run.events.at(-1)).toEqual({ type: 'turn.completed', outcome: 'completed' });
  });

  test('a fault of our own is not told as a malformed line of claude', () => {
    const codec = new ClaudeCodec(launchOptions(), {
      now: () => {
        throw new TypeError('a fault of our own');
      },
    });

    expect(() => codec.line('{"type":"system","subtype":"api_retry","retry_delay_ms":5}')).toThrow('a fault of our own');
  });

  test('a frame with keys of the prototype is inert', () => {
    const run = prompted();

    run.take(
      run.codec.line(
        '{"type":"assistant","__proto__":{"polluted":true},"constructor":{"x":1},"message":{"id":"__proto__","content":[{"type":"text","text":"a"}]}}',
      ),
    );

    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(run.events).toMatchObject([{ type: 'item.started' }, { type: 'item.completed', patch: { text: 'a' } }]);
  });

  test('no recording holds a machine path or a key', () => {
    for (const scenario of scenariosOf('claude')) {
      const text = readFileSync(join(TRANSCRIPTS, scenario, 'claude.jsonl'), 'utf8');
      expect(text).not.toMatch(/\/home\/|\/root\/|Bearer |sk-ant-api/);
    }
  });
});
