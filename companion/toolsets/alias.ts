/** A tool by another product's name: its arguments become calls of our own tools. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { isObject } from '#companion/lib/is-object.ts';

/** One call of our own. */
export interface Step {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

export interface Alias {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  /** Our tool that it is most like; the alias exists where that tool does, and has its class. */
  readonly like: string;
  /** Others that it may call and that may do more: it has the class of the one that may do most. */
  readonly also: readonly string[];
  /** Whether a window stands for the tab that it shows. */
  readonly takesWindow: boolean;
  /** The arguments as they are meant: models write numbers as text. */
  meant(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** The calls, one after the other; throws INPUT_INVALID with what is wrong and what is right. */
  toSteps(args: Readonly<Record<string, unknown>>): readonly Step[];
  /** The arguments that were given and change nothing here. */
  ignoredIn(args: Readonly<Record<string, unknown>>): readonly string[];
}

interface Declaration<S extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly like: string;
  readonly also?: readonly string[];
  readonly steps: (args: z.output<S>) => readonly Step[];
}

interface NoEffect {
  /** What is so in any case, so that a call which asks for it is right. */
  readonly always?: boolean | string | undefined;
}
const noEffects = new WeakMap<object, NoEffect>();

/** A field that the other product has, and that means nothing here; its description says why, and a call that gives it is told. */
export const ofNoEffect = <S extends z.ZodType>(field: S, why: string, effect: NoEffect = {}): z.ZodOptional<S> => {
  const optional = field.optional().describe(why);
  noEffects.set(optional, effect);
  return optional;
};

/** Arguments that the other product has and this does not are passed over, so that its clients work as they are. */
export const defineAlias = <S extends z.ZodObject>({ name, description, input, like, also = [], steps }: Declaration<S>): Alias => {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return {
    name,
    description,
    inputSchema,
    like,
    also,
    takesWindow: ['tabId', 'windowId'].every((key) => input.shape[key] !== undefined && !noEffects.has(input.shape[key])),
    ignoredIn: (args) =>
      Object.entries(input.shape).flatMap(([key, field]) => {
        const effect = noEffects.get(field);
        const value = args[key];
        return effect === undefined || value === undefined || value === null || value === effect.always ? [] : [key];
      }),
    meant: (args) => {
      const meant = asMeant(inputSchema, args);
      return isObject(meant) ? meant : args;
    },
    toSteps: (args) => {
      const parsed = input.safeParse(args);
      if (parsed.success) return steps(parsed.data);
      const faults = parsed.error.issues.map((issue) => `"${issue.path.join('.')}": ${issue.message.slice(0, 200)}`);
      const expected = Object.entries(input.shape).map(([key, field]) => (field.safeParse(undefined).success ? `${key}?` : key));
      throw new CompanionError('INPUT_INVALID', `${name}: ${faults.join('; ')}. Expected arguments: ${expected.join(', ')}.`);
    },
  };
};

const Schema = z.object({
  type: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
});

/** A list or an object may be written as text. */
const readText = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

/** Numbers and claims that are written as text, places as pairs, one as a list of one, names spelt otherwise, and what is empty as not given. */
const asMeant = (schema: unknown, given: unknown): unknown => {
  const { type, properties, items } = Schema.safeParse(schema).data ?? {};
  const value = type === 'array' || type === 'object' ? readText(given) : given;
  if (type === 'number' || type === 'integer')
    return typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  if (type === 'array') return (Array.isArray(value) ? value : [value]).map((item) => asMeant(items, item));
  if (type !== 'object' || properties === undefined) return value;
  const named = Array.isArray(value) || typeof value === 'string' ? byNames(Object.keys(properties), value) : value;
  if (!isObject(named)) return value;
  const known = Object.entries(named).filter(([name, one]) => one !== null && !(one === '' && NAMES.has(name)));
  const names = Object.keys(properties);
  return Object.fromEntries(
    known.map(([name, one]) => {
      const own = names.includes(name) ? name : (names.find((other) => !Object.hasOwn(named, other) && isSpeltSo(other, name)) ?? name);
      return [own, asMeant(properties[own], one)];
    }),
  );
};

/** The same name in another case, with other signs between its words, or in the plural. */
const isSpeltSo = (one: string, other: string): boolean => spelt(one) === spelt(other);

const spelt = (name: string): string => name.toLowerCase().replaceAll(/[_-]|s$/g, '');

/** What names an element: an empty one names none. */
const NAMES = new Set(['ref', 'refId', 'selector', 'startRef']);

/** `[20, 60]` for a place, `ctrl+shift` for the keys that are held down. */
const byNames = (names: readonly string[], value: string | readonly unknown[]): unknown => {
  if (names.join() === 'x,y' && Array.isArray(value) && value.length === 2) return { x: value[0], y: value[1] };
  const held = (Array.isArray(value) ? value.map(String) : String(value).split('+')).map((key) => key.trim().toLowerCase());
  const keys = names.map((name) => ({
    name,
    said: [name.toLowerCase(), name.replace('Key', '').toLowerCase(), ...(HELD.get(name) ?? [])],
  }));
  if (!held.every((key) => keys.some(({ said }) => said.includes(key)))) return value;
  return Object.fromEntries(keys.filter(({ said }) => said.some((key) => held.includes(key))).map(({ name }) => [name, true]));
};

const HELD: ReadonlyMap<string, readonly string[]> = new Map([
  ['ctrlKey', ['control']],
  ['metaKey', ['cmd', 'command']],
  ['altKey', ['option']],
]);

/** Arguments that mean nothing together. */
export const refuse = (detail: string): CompanionError => new CompanionError('INPUT_INVALID', detail);

const MAX_NAMES = 5;

/** What is said of arguments that were given and change nothing. */
export const ignoredWords = (names: readonly string[]): string =>
  `Ignored, for it means nothing here: ${names.slice(0, MAX_NAMES).join(', ')}.`;
