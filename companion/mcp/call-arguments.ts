/** Checks a call's arguments before anything is done or recorded for it: a client may send anything, of any size. */
import * as z from 'zod';
import { TOOL_ARGUMENTS_META, type ToolInfo } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';

/** Even a long text to type is much smaller. */
const MAX_CHARS = 256 * 1024;

const schemas = new WeakMap<ToolInfo, z.ZodType>();

/** That the arguments are too large, or null. It is asked of them as they came, also of those that mean nothing here. */
export const sizeFault = (name: string, args: Readonly<Record<string, unknown>>): CompanionError | null => {
  const sizeChars = JSON.stringify(args).length;
  return sizeChars <= MAX_CHARS
    ? null
    : new CompanionError('INPUT_TOO_LARGE', `${name}: its arguments have ${sizeChars} characters, ${MAX_CHARS} are read.`);
};

/**
 * What else is wrong with the arguments, in words that help a model, or null. The schema of a tool that the build does not know is
 * not checked.
 */
export const argumentFault = (tool: ToolInfo, isBuilt: boolean, args: Readonly<Record<string, unknown>>): CompanionError | null => {
  if (!isBuilt) return null;
  const schema = schemas.get(tool) ?? z.fromJSONSchema(tool.inputSchema);
  schemas.set(tool, schema);
  const checked = schema.safeParse(args);
  if (!checked.success) return new CompanionError('INPUT_INVALID', `${tool.name}: ${explain(tool, checked.error)}`);
  const { address } = tool._meta[TOOL_ARGUMENTS_META] ?? {};
  return address !== undefined && WAYS.test(String(args[address]))
    ? new CompanionError('INPUT_INVALID', `${tool.name}: ${WAY_TOOLS}`)
    : null;
};

/** Others give them in the place of an address. The person would be asked for a site of this name. */
const WAYS = /^\s*(?:back|forward|reload|refresh)\s*$/i;
const WAY_TOOLS = 'back, forward and reload have tools of their own: browser_navigate_back, browser_navigate_forward, browser_reload.';

/** What others have as an argument, and another tool or another argument does here. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['viewport', 'browser_resize lays the page out in another size'],
  ['extraHttpHeaders', 'browser_route with "headers" sends others (the set "network")'],
  ...['append', 'clear', 'clearFirst', 'clear_first', 'replace'].map(
    (name) => [name, 'what is typed takes the place of what the field holds: give the whole text'] as const,
  ),
  ['args', '"target" gives the function one element; write other values into its code'],
]);

const Shape = z.object({ properties: z.record(z.string(), z.unknown()).default({}), required: z.array(z.string()).default([]) });

/** It uses the tools' own words, so that a model learns one form. */
const explain = ({ inputSchema }: ToolInfo, { issues }: z.ZodError): string => {
  const faults = issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const instead = issue.keys.flatMap((key) => ELSEWHERE.get(key) ?? []).map((way) => `; ${way}`);
      return `unknown: ${issue.keys.join(', ').slice(0, 200)}; remove and retry${instead.join('')}`;
    }
    return `"${issue.path.join('.')}": ${issue.message.slice(0, 200)}`;
  });
  const { properties, required } = Shape.parse(inputSchema);
  const expected = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  return `${faults.join('; ')}. Expected arguments: ${expected.join(', ')}.`;
};
