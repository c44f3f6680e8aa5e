/** Checks a call's arguments before anything is done or recorded for it: a client may send anything, of any size. */
import * as z from 'zod';
import type { ToolInfo } from '#protocol/browser.ts';
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
  return checked.success ? null : new CompanionError('INPUT_INVALID', `${tool.name}: ${explain(tool, checked.error)}`);
};

const Shape = z.object({ properties: z.record(z.string(), z.unknown()).default({}), required: z.array(z.string()).default([]) });

/** It uses the tools' own words, so that a model learns one form. */
const explain = ({ inputSchema }: ToolInfo, { issues }: z.ZodError): string => {
  const faults = issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return `unknown: ${issue.keys.join(', ').slice(0, 200)}; remove and retry`;
    return `"${issue.path.join('.')}": ${issue.message.slice(0, 200)}`;
  });
  const { properties, required } = Shape.parse(inputSchema);
  const expected = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  return `${faults.join('; ')}. Expected arguments: ${expected.join(', ')}.`;
};
