import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ToolUpdate } from '#companion/engines/acp/schema.ts';
import { toToolPatch } from '#companion/engines/acp/tool-call.ts';
import { linesOf } from './replay.ts';

const Line = z.object({ params: z.object({ update: ToolUpdate }) });

/** What the last word of an engine about its failed call says. */
const failed = (engine: string): ToolUpdate => {
  const updates = linesOf('mcp-error', engine).flatMap((line) => {
    const parsed = Line.safeParse(JSON.parse(line));
    return parsed.success && parsed.data.params.update.status === 'failed' ? [parsed.data.params.update] : [];
  });
  const last = updates.at(-1);
  if (last === undefined) throw new Error(`no failed call in the recording of ${engine}`);
  return last;
};

const textOf = (update: ToolUpdate): string | undefined => toToolPatch(update, { tool: 'fail' }, '/project').text;

const saying = (text: string): ToolUpdate => ({ ...failed('gemini'), content: [{ type: 'content', content: { type: 'text', text } }] });

const response = (text: string): string =>
  JSON.stringify([{ functionResponse: { name: 'fail', response: { content: [{ type: 'text', text }], isError: true } } }]);

describe('a failed MCP call', () => {
  test.for(['gemini', 'qwen', 'opencode'])("shows the server's words, as %s recorded it", (engine) => {
    expect(textOf(failed(engine))).toBe('It always fails.');
  });

  test('is read behind arguments and before words that look like it', () => {
    const args = JSON.stringify({ text: 'with response: [1]' });

    expect(
      textOf(saying(`MCP tool 'fail' reported tool error for function call: ${args} with response: ${response('No with response: [2]')}`)),
    ).toBe('No with response: [2]');
  });

  test.for([
    `MCP tool 'fail' reported tool error for function call: {} with response: [{"functionResponse":{"na`,
    `MCP tool 'fail' reported tool error for function call: {} with response: [{"other":1}]`,
    `MCP tool 'fail' reported an error`,
    `It said: MCP tool 'fail' reported x with response: ${response('inner')}`,
  ])('stays as it is when it is not that: %s', (text) => {
    expect(textOf(saying(text))).toBe(text);
  });
});
