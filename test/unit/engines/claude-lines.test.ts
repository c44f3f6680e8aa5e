import { describe, expect, test } from 'vitest';
import { StreamEventFrame } from '#companion/engines/claude/frames.ts';
import { readLine } from '#companion/engines/claude/lines.ts';
import { linesOf, scenariosOf } from './replay.ts';

const delta = (kind: string, text: string, more: object = { api_message_id: 'msg_1' }): object => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index: 3, delta: { type: `${kind}_delta`, [kind]: text } },
  session_id: 'a-b',
  parent_tool_use_id: null,
  uuid: 'c-d',
  ...more,
});
const read = (frame: object) => readLine(JSON.stringify(frame));

/** What of a frame decides what becomes of it. */
const essence = (frame: StreamEventFrame): object => ({
  parent: frame.parent_tool_use_id ?? null,
  messageId: frame.api_message_id ?? null,
  index: frame.event.index,
  delta: frame.event.delta,
});

describe('a line of claude', () => {
  test('that is a piece is read as if it were parsed, in every recording', () => {
    const lines = scenariosOf('claude').flatMap((scenario) => linesOf(scenario, 'claude'));
    const pieces = lines.filter((line) => /"type":"(?:text|thinking)_delta"/.test(line));

    expect(pieces.length).toBeGreaterThan(50);
    for (const line of pieces) {
      const found = readLine(line);
      expect(found.type, line).toBe('piece');
      if (found.type === 'piece') expect(essence(found.frame)).toEqual(essence(StreamEventFrame.parse(JSON.parse(line))));
    }
  });

  test.for([['a "quote" and a \\ backslash'], ['\n\t\u0000\u2028 controls'], ['größer 日本語 🐟'], ['"}},"session_id":"x"'], ['']])(
    'gives its text as it is: %j',
    ([text = '']) => {
      for (const kind of ['text', 'thinking']) {
        const found = read(delta(kind, text));
        expect(found.type === 'piece' && found.frame.event.delta).toEqual({ type: `${kind}_delta`, [kind]: text });
      }
    },
  );

  test('of a subagent keeps its place, and one of an older version has no message', () => {
    const found = read(delta('text', 'a', { parent_tool_use_id: 'toolu_1' }));

    expect(found).toMatchObject({ type: 'piece', frame: { parent_tool_use_id: 'toolu_1', api_message_id: null } });
  });

  test('with arguments that come again whole is not read', () => {
    expect(readLine('{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta",')).toEqual({
      type: 'nothing',
    });
  });

  test.for([
    ['more fields', delta('text', 'a', { api_message_id: 'm', abandoned: true })],
    ['another order', { uuid: 'x', ...delta('text', 'a') }],
    ['another kind', delta('citations', 'a')],
    ['a text that quotes one', { type: 'system', content: JSON.stringify(delta('input_json', 'a')) }],
  ] as const)('that has %s is parsed', ([, frame]) => {
    expect(read(frame)).toEqual({ type: 'value', value: frame });
  });

  test.for([
    ['{"type":'],
    ['nothing'],
    [`${JSON.stringify(delta('text', 'a'))}x`],
    [JSON.stringify(delta('text', 'a')).replace('"a"', '"\u0001"')],
    [JSON.stringify(delta('text', 'a')).replace('"a"', '"\\q"')],
  ])('that is broken is no value: %j', ([line = '']) => {
    expect(readLine(line)).toEqual({ type: 'malformed' });
  });
});
