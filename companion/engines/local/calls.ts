/** The tool calls of an answer, put together from the pieces in which servers send them. */
import * as z from 'zod';

export interface ToolCall {
  readonly name: string;
  /** The arguments as the model wrote them, which are usually JSON. */
  readonly arguments: string;
}

/** A call or a piece of one. Servers agree only about the names; a field of another type counts as absent. */
export const CallPart = z.looseObject({
  index: z.number().nullish().catch(null),
  id: z.string().nullish().catch(null),
  function: z
    .looseObject({ name: z.string().nullish().catch(null), arguments: z.unknown().optional() })
    .nullish()
    .catch(null),
});
export type CallPart = z.infer<typeof CallPart>;

interface OpenCall {
  id: string;
  name: string;
  arguments: string;
}

/** Collects the calls of one answer. Pieces of a call share its index; without one they follow each other. */
export class CallList {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();

  /** Takes a piece, and returns how many characters it added. */
  add({ index, id: givenId, function: called }: CallPart): number {
    const id = givenId ?? '';
    const name = called?.name ?? '';
    const text = argumentsText(called?.arguments);
    const open = typeof index === 'number' ? this.#byIndex.get(index) : this.#calls.at(-1);
    if (open === undefined || isAnother(open, id, name, typeof index === 'number')) {
      const call = { id, name, arguments: text };
      this.#calls.push(call);
      if (typeof index === 'number') this.#byIndex.set(index, call);
    } else {
      // Some servers say the name again with each piece.
      if (name !== open.name) open.name += name;
      open.arguments += text;
    }
    return name.length + text.length + 1;
  }

  calls(): ToolCall[] {
    return this.#calls.map(({ name, arguments: text }) => ({ name, arguments: text }));
  }
}

/** Only a piece with a name begins a call: some servers send each piece of one call under a new id, others give all calls the same id. */
const isAnother = (open: OpenCall, id: string, name: string, hasIndex: boolean): boolean => {
  if (name === '' || open.name === '') return false;
  if (id !== '' && open.id !== '' && id !== open.id) return true;
  if (!hasIndex && name !== open.name) return true;
  return parseArguments(open.arguments) !== null && open.arguments !== '';
};

/** Some servers send an object where the others send its JSON. */
const argumentsText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
};

/** The arguments of a call, or null when they are no JSON object. An empty text counts as an empty object, and JSON inside a JSON string is read. */
export const parseArguments = (text: string): Record<string, unknown> | null => {
  const value = parsed(text.trim() === '' ? '{}' : text);
  const inner = value === null ? {} : typeof value === 'string' ? parsed(value) : value;
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...inner } : null;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
