import { describe, expect, test } from 'vitest';
import { Redactor } from '#companion/lib/redact.ts';
import { RedactedLines } from '#companion/runs/redacted-lines.ts';

const SECRETS = ['wxyz-secret-of-20-chars', 'hunter2', 'p@ss/w:rd"x\\y'];

const collect = () => {
  const told: string[] = [];
  const lines = new RedactedLines({ redactor: new Redactor(SECRETS) }, (line) => void told.push(line));
  return { told, lines };
};

const piecesOf = (text: string, length: number): string[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length));

/** How agents write a piece of the arguments of a call, or of a text; each line has something of its own, too. */
const SHAPES: Readonly<Record<string, (piece: string, at: number) => string>> = {
  'arguments of claude': (piece, at) =>
    `{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(piece)}}},"session_id":"s","parent_tool_use_id":null,"uuid":"u-${at}"}`,
  'a delta of codex': (piece) =>
    `{"method":"item/commandExecution/outputDelta","params":{"threadId":"t","turnId":"1","itemId":"i","delta":${JSON.stringify(piece)}}}`,
  'a chunk of ACP': (piece) =>
    `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":${JSON.stringify(piece)}}}}}`,
  'arguments of a local model': (piece) =>
    `data: {"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(piece)}}}]}}]}`,
};

/** What is left of the pieces, put together. */
const piecesIn = (told: readonly string[]): string =>
  told
    .flatMap((line) =>
      [...line.matchAll(/"(?:partial_json|delta|text|arguments)":("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '""']) => JSON.parse(quoted)),
    )
    .join('');

describe('lines of an agent', () => {
  test.for(Object.entries(SHAPES))('keep no secret that comes in pieces, a line each: %s', ([, shape]) => {
    for (const secret of SECRETS) {
      for (const length of [1, 2, 3, 5, 9]) {
        const { told, lines } = collect();
        const said = `{"command":${JSON.stringify(`echo ${secret} and so on until now`)}}`;

        for (const [at, piece] of piecesOf(said, length).entries()) lines.add(shape(piece, at));
        lines.end();

        const kept = piecesIn(told);
        expect(kept).toContain('{"comm');
        expect(kept).toContain('now"}');
        // What is left of it cannot be told from other words.
        const parts = piecesOf(secret, 4).slice(1, -1);
        expect(parts.filter((part) => kept.includes(part))).toEqual([]);
      }
    }
  });

  test('stay in order, and wait no longer than a text may still go on', () => {
    const { told, lines } = collect();
    const shape = SHAPES['arguments of claude'] ?? String;
    lines.add(shape('hunt', 0));
    const others = Array.from({ length: 400 }, (_, at) => `{"type":"other","at":${at}}`);

    for (const line of others) lines.add(line);

    expect(told.length).toBeGreaterThan(150);
    expect(told).toEqual(others.slice(0, told.length));
    lines.end();
    expect(told).toEqual(others);
  });

  test('are kept as they are when what looked like a secret was none', () => {
    const { told, lines } = collect();
    const shape = SHAPES['a chunk of ACP'] ?? String;
    const said = piecesOf('the hunter was here, h', 1).map(shape);

    for (const line of said) lines.add(line);
    lines.end();

    expect(told).toEqual(said);
  });

  test('that are written side by side are followed each for itself', () => {
    const { told, lines } = collect();
    const of = (index: number, piece: string): string =>
      `{"type":"stream_event","event":{"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":"${piece}"}}}`;

    for (const piece of piecesOf(SECRETS[0] ?? '', 3)) for (const index of [1, 2]) lines.add(of(index, `${piece}`));
    lines.end();

    expect(told.join('\n')).not.toMatch(/secr|ecre|cret|-20-/);
  });
});
