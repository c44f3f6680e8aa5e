/** The tools that a page itself offers to agents: https://webmachinelearning.github.io/webmcp/ */
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

/** A form that the user shall send themselves gives no answer before they do. */
const LIMIT_MS = 15_000;
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

export const callPageTool = async (
  { name, input }: { name: string; input: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<PageToolAnswer> => {
  const tools = await toolsHere();
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const names = tools.slice(0, MAX_TOOLS).map((other) => other.name);
    throw new FaultError('TOOL_ARGUMENTS', 'The page offers no tool of this name.', names.length === 0 ? '' : `tools: ${names.join(', ')}`);
  }
  stopIfCancelled(signal);
  beginChange();
  const answer = await Promise.race([execute(tool, input), waited(signal)]);
  return { answer, change: changeOf(document.documentElement, null) };
};

const toolsHere = async (): Promise<readonly ModelTool[]> => {
  const tools = (await document.modelContext?.getTools().catch(() => [])) ?? [];
  return tools.filter((tool) => tool.window === undefined || tool.window === window);
};

const execute = async (tool: ModelTool, input: unknown): Promise<string> => {
  try {
    const result = await document.modelContext?.executeTool(tool, input);
    const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
    return text.slice(0, MAX_ANSWER);
  } catch (error) {
    throw new FaultError('TOOL_FAILED', 'The tool of the page failed.', error instanceof Error ? error.message : String(error));
  }
};

const waited = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(null), LIMIT_MS);
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
