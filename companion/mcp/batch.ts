/** Several calls in one: each goes its own way, through policy and journal, and the first that surprises is the last. */
import * as z from 'zod';
import { ERROR_META, SURPRISE_META, type ToolResult } from '#protocol/browser.ts';
import { ENVELOPE_END } from '#protocol/envelope.ts';
import { CompanionError } from '#protocol/errors.ts';

const Calls = z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }));

interface Making {
  /** The tool's own name, which may not stand among the calls. */
  readonly batch: string;
  readonly make: (name: string, args: Record<string, unknown>, index: number) => Promise<ToolResult>;
  /** Whether a call only looks: that is what follows a surprise anyway. */
  readonly onlyLooks: (name: string, args: Record<string, unknown>) => boolean;
  /** What is wrong with a call as it is written, as the model is told; null where it can be made. */
  readonly faultOf: (name: string, args: Record<string, unknown>) => ToolResult | null;
}

/** Makes the calls in order; the results follow each other, and the last words say what was not made and why. */
export const makeBatch = async (given: unknown, { batch, make, onlyLooks, faultOf }: Making): Promise<ToolResult> => {
  const calls = Calls.parse(given);
  if (calls.some(({ name }) => name === batch)) throw new CompanionError('INPUT_INVALID', `${batch} cannot be one of its own calls.`);
  // What was half made because of a slip in writing would have to be looked at first.
  for (const [index, { name, arguments: args }] of calls.entries()) {
    const fault = faultOf(name, args);
    if (fault !== null) return { ...fault, content: [heading(index, name), ...fault.content, text(noneMade(calls.length))] };
  }
  const content: ToolResult['content'] = [];
  let surprise: string | null = null;
  for (const [index, { name, arguments: args }] of calls.entries()) {
    if (surprise !== null && !onlyLooks(name, args)) return { content: [...content, stopped(index, calls.length, surprise)] };
    const result = await make(name, args, index);
    content.push(heading(index, name), ...fitting(result.content, MAX_SIZE - sizeOf(content)));
    const left = calls.length - index - 1;
    if (result.isError === true) {
      const _meta = { [ERROR_META]: result._meta?.[ERROR_META] };
      return { isError: true, content: left === 0 ? content : [...content, stopped(index + 1, calls.length, 'it failed')], _meta };
    }
    const told = result._meta?.[SURPRISE_META];
    if (typeof told === 'string') surprise = told;
    if (left > 0 && sizeOf(content) > FULL_SIZE) return { content: [...content, stopped(index + 1, calls.length, TOO_LONG)] };
  }
  return { content };
};

const MAX_NAME_CHARS = 60;

/** Of 28,000 characters Qwen Code shows the beginning only, of 40,000 Gemini CLI and of 48,000 bytes Codex leave the middle out. */
const MAX_SIZE = 27_500;
const BYTES_PER_SIZE = 1.7;
/** From here on no other call is made: its answer would hardly fit. */
const FULL_SIZE = 18_000;
const TOO_LONG = 'the answer has become long';

const sizeOf = (content: ToolResult['content']): number => content.reduce((sum, { text: words }) => sum + sizeOfText(words), 0);

const sizeOfText = (words: unknown): number =>
  typeof words === 'string' ? Math.max(words.length, new TextEncoder().encode(words).length / BYTES_PER_SIZE) : 0;

/** What was said last in an envelope, with its end. */
const LAST_END = new RegExp(`${ENVELOPE_END}$`);

/** A result that is too long beside those before it is cut after a line, within its envelope. */
const fitting = (content: ToolResult['content'], room: number): ToolResult['content'] => {
  let left = room;
  return content.map((block) => {
    const { text: words } = block;
    const size = sizeOfText(words);
    if (typeof words !== 'string' || size <= left) {
      left -= size;
      return block;
    }
    const [end = ''] = LAST_END.exec(words) ?? [];
    const kept = words.slice(0, Math.max(0, Math.floor((words.length * left) / size) - end.length - CUT.length));
    const lines = kept.slice(0, kept.lastIndexOf('\n'));
    left = 0;
    return { ...block, text: `${lines.length > kept.length / 2 ? lines : kept}${end}\n${CUT}` };
  });
};

const CUT = '(Cut here, for the answers together have become long: a look in a call of its own tells the rest.)';

const text = (words: string): ToolResult['content'][number] => ({ type: 'text', text: words });

const heading = (index: number, name: string): ToolResult['content'][number] =>
  text(`Call ${index + 1}, ${name.slice(0, MAX_NAME_CHARS)}:`);

const noneMade = (count: number): string =>
  `${count === 1 ? 'It was not made' : `None of the ${count} calls was made`}. Correct this one, then make ${count === 1 ? 'it' : 'them all'}.`;

const stopped = (made: number, count: number, why: string): ToolResult['content'][number] =>
  text(`Stopped after call ${made} of ${count}: ${why}. Look at the page, then make the others if they still fit.`);
