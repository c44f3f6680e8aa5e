/** An error as the result of a tool: a model reads it, so it says what to do. */
import { ERROR_META, type ToolResult } from '#protocol/browser.ts';
import type { ErrorBody } from '#protocol/errors.ts';

/** Some repeat what was given, which may be a whole file. */
const MAX_CHARS = 4_000;
const END_CHARS = 400;

export const toErrorResult = ({ code, message, remedy }: ErrorBody): ToolResult => {
  // What to do may quote the page, which stands in its envelope and nowhere else.
  const told = { code, message: bounded(message) };
  return { content: [{ type: 'text', text: `${code}: ${told.message} ${remedy}` }], isError: true, _meta: { [ERROR_META]: told } };
};

/** The beginning and the end, where the right form of an argument stands. */
const bounded = (text: string): string =>
  text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - END_CHARS)} … ${text.slice(-END_CHARS)}`;
