/** The tools that a page itself offers to agents: https://webmachinelearning.github.io/webmcp/ */
import { sizeOfBase64 } from '#extension/shared/base64.ts';
import type { OfferedTool, PageToolAnswer } from './api.ts';
import { beginChange, changeOf } from './changes.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { clean, shorten } from './name.ts';

/** What a tool is called with, and its result, are JSON. */
interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly annotations?: { readonly readOnlyHint?: boolean };
  /** Tools of frames inside are listed, too. */
  readonly window?: unknown;
}

declare global {
  interface Document {
    /** Absent where the browser has none. */
    readonly modelContext?: {
      getTools(): Promise<readonly ModelTool[]>;
      executeTool(tool: ModelTool, input: unknown): Promise<unknown>;
    };
  }
}

const LIMIT_MS = 15_000;
/** A form that somebody has to send gives no answer before that, and is filled at once. A page may send it itself as soon as it is filled. */
const FILLED_MS = 500;
const MAX_TOOLS = 50;
const MAX_DESCRIPTION = 300;
const MAX_ANSWER = 20_000;

/** Empty where the page offers none, or the browser knows of none. */
export const offeredTools = async (): Promise<readonly OfferedTool[]> =>
  (await toolsHere()).slice(0, MAX_TOOLS).map(({ name, description, inputSchema, annotations }) => ({
    name: shorten(clean(name)),
    description: shorten(clean(description), MAX_DESCRIPTION),
    parameters: parametersIn(inputSchema),
    isReading: annotations?.readOnlyHint === true,
  }));

/** What an agent has in mind is no secret in a switch, a small number or one of the page's own words. */
const MAX_NUMBER = 9_999;

/**
 * Whether a tool says that it only looks, and a call would tell the page no words: what such a tool does, the page could do at any time by
 * itself, but for what it is told.
 */
export const onlyLooksByPageTool = async ({
  name,
  input,
}: {
  name: string;
  input: Readonly<Record<string, unknown>>;
}): Promise<boolean> => {
  const tool = await toolNamed(name);
  const properties = fieldOf(tool.inputSchema, 'properties');
  const isTold = ([key, value]: [string, unknown]): boolean => {
    const property = fieldOf(properties, key);
    if (property === undefined) return true;
    if (typeof value === 'number') return !Number.isInteger(value) || Math.abs(value) > MAX_NUMBER;
    const words = fieldOf(property, 'enum');
    return typeof value !== 'boolean' && !(Array.isArray(words) && words.includes(value));
  };
  return tool.annotations?.readOnlyHint === true && !Object.entries(input).some(isTold);
};

const toolNamed = async (name: string): Promise<ModelTool> => {
  const tools = await toolsHere();
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool !== undefined) return tool;
  const names = tools.slice(0, MAX_TOOLS).map((other) => other.name);
  throw new FaultError('TOOL_ARGUMENTS', 'The page offers no tool of this name.', names.length === 0 ? '' : `tools: ${names.join(', ')}`);
};

export const callPageTool = async (
  { name, input }: { name: string; input: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<PageToolAnswer> => {
  const tool = await toolNamed(name);
  stopIfCancelled(signal);
  beginChange();
  const form = formToSend(name);
  const ended = new AbortController();
  const gaveUp = AbortSignal.any([signal, ended.signal]);
  const answer = execute(tool, input).then(toAnswer);
  const limits = [answer, after(LIMIT_MS, gaveUp), ...(form === null ? [] : [notSent(form, gaveUp)])];
  const found = await Promise.race(limits).finally(() => ended.abort());
  const waits = { answer: null, answerChars: 0, isFault: false, waitsForm: form !== null && !signal.aborted };
  return { ...(found ?? waits), change: changeOf(document.documentElement, null) };
};

/** The form that is such a tool, where it is not sent by itself: https://github.com/webmachinelearning/webmcp/blob/main/declarative-api-explainer.md */
const formToSend = (name: string): HTMLFormElement | null =>
  [...document.querySelectorAll<HTMLFormElement>('form[toolname]:not([toolautosubmit])')].find(
    (form) => form.getAttribute('toolname') === name,
  ) ?? null;

/** Resolves when the form was not sent for a while; never when it was. */
const notSent = async (form: HTMLFormElement, signal: AbortSignal): Promise<null> => {
  let isSent = false;
  form.addEventListener('submit', () => (isSent = true), { capture: true, signal });
  await after(FILLED_MS, signal);
  return isSent ? new Promise(() => {}) : null;
};

const toolsHere = async (): Promise<readonly ModelTool[]> => {
  const tools = (await document.modelContext?.getTools().catch(() => [])) ?? [];
  return tools.filter((tool) => tool.window === undefined || tool.window === window);
};

const execute = async (tool: ModelTool, input: unknown): Promise<unknown> => {
  try {
    return await document.modelContext?.executeTool(tool, input);
  } catch (error) {
    throw new FaultError('TOOL_FAILED', 'The tool of the page failed.', error instanceof Error ? error.message : String(error));
  }
};

/** Many pages answer as a server of MCP does, in blocks. */
const toAnswer = (result: unknown): Omit<PageToolAnswer, 'change'> => {
  const value = typeof result === 'string' ? parsed(result) : result;
  const blocks = fieldOf(value, 'content');
  const texts = Array.isArray(blocks) && blocks.length > 0 ? blocks.map(blockText) : [null];
  const words = texts.every((text) => text !== null) ? texts.join('\n') : typeof result === 'string' ? result : JSON.stringify(result);
  const answer = words ?? '';
  return { answer: answer.slice(0, MAX_ANSWER), answerChars: answer.length, isFault: fieldOf(value, 'isError') === true, waitsForm: false };
};

/** Null for what is no block that is known. What is no text would be letters without end. */
const blockText = (block: unknown): string | null => {
  const [type, text, bytes] = [fieldOf(block, 'type'), fieldOf(block, 'text'), fieldOf(block, 'data')];
  if (type === 'text' && typeof text === 'string') return text;
  return (type === 'image' || type === 'audio') && typeof bytes === 'string' ? `(${type}, ${sizeOfBase64(bytes)} bytes, not shown)` : null;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const after = (ms: number, signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(null), ms);
    signal.addEventListener('abort', () => resolve(null));
  });

/** `a: number, b?: string`, from a schema that a page wrote. */
const parametersIn = (schema: unknown): string => {
  const properties = fieldOf(schema, 'properties');
  const required = fieldOf(schema, 'required');
  if (typeof properties !== 'object' || properties === null) return '';
  const isRequired = (key: string): boolean => Array.isArray(required) && required.includes(key);
  const parts = Object.entries(properties).map(([key, property]) => {
    const about = textIn(property, 'description') ?? '';
    return `${clean(key)}${isRequired(key) ? '' : '?'}: ${typeOf(property)}${about === '' ? '' : ` (${about})`}`;
  });
  return shorten(parts.join(', '), MAX_DESCRIPTION);
};

const typeOf = (property: unknown): string => {
  const options = fieldOf(property, 'enum');
  if (Array.isArray(options)) return options.map((option) => JSON.stringify(option)).join('|');
  return textIn(property, 'type') ?? 'any';
};

const textIn = (value: unknown, name: string): string | null => {
  const text = fieldOf(value, name);
  return typeof text === 'string' ? clean(text) : null;
};

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
