import { describe, expect, test as plain } from 'vitest';
import * as z from 'zod';
import type { Route } from '#protocol/contract.ts';
import { routes } from '#protocol/routes.ts';
import { compatRoutes } from '#companion/compat/routes.ts';
import type { Schema } from '#test/fixtures/json-schema.ts';
import { overSocket, sharedTest as test } from './stage.ts';

/** Names that every object has without being given them. */
const OF_PROTOTYPES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

/** The schemas of which a value has to fit one, if there are several. */
const membersOf = (schema: Schema): readonly Schema[] | undefined => {
  const { type } = schema;
  return schema.anyOf ?? schema.oneOf ?? (Array.isArray(type) ? type.map((one: string) => ({ ...schema, type: one })) : undefined);
};

const isSchema = (schema: Schema | undefined): schema is Schema => schema !== undefined;

const takes = (schema: Schema, value: unknown): boolean =>
  z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).success;

/** Texts of which one will do: a word that is base64 too, a path, an address, a name of a variable, a version of a file. */
const SAMPLES = ['abcd', '/abcd', 'http://127.0.0.1:1', 'ABCD', 'abcd'.repeat(10)];

/** A value that the schema takes, with every field there is. */
const valid = (schema: Schema): unknown => {
  const { type, enum: values, items, properties } = schema;
  if ('const' in schema) return schema.const;
  if (values !== undefined) return values[0];
  const [first] = membersOf(schema) ?? [];
  if (isSchema(first)) return valid(first);
  if (properties !== undefined) return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valid(field)]));
  switch (type) {
    case 'string':
      return SAMPLES.find((text) => takes(schema, text)) ?? 'none';
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return items === undefined ? [] : [valid(items)];
    case 'null':
      return null;
    case undefined:
    default:
      return {};
  }
};

/** Values that the schema does not take, each for another reason. */
const wrong = (schema: Schema): unknown[] => {
  const members = membersOf(schema);
  if (members !== undefined) {
    // What is wrong for one member may be right for another.
    return members.flatMap(wrong).filter((value) => !takes(schema, value));
  }
  if ('const' in schema || schema.enum !== undefined) return ['none of them', 7, ...OF_PROTOTYPES];
  const { type, minLength = 0, maxLength, minimum, maximum, exclusiveMinimum, maxItems } = schema;
  switch (type) {
    case 'string':
      return [
        7,
        null,
        {},
        [],
        ...(minLength > 0 ? [''] : []),
        ...(maxLength !== undefined && maxLength < MAX_TRIED_CHARS ? ['x'.repeat(maxLength + 1)] : []),
      ];
    case 'integer':
    case 'number':
      return [
        'x',
        null,
        [],
        ...(type === 'integer' ? [1.5, 1e308] : []),
        ...(minimum === undefined ? [] : [minimum - 1]),
        ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum]),
        ...(maximum === undefined ? [] : [maximum + 1]),
      ];
    case 'boolean':
      return ['true', 1, null];
    case 'array':
      return [
        'x',
        {},
        null,
        ...(maxItems !== undefined && maxItems <= 100 && isSchema(schema.items) ? [Array(maxItems + 1).fill(valid(schema.items))] : []),
      ];
    case 'object':
      return ['x', 7, []];
    case undefined:
    default:
      return [];
  }
};

/** A longer text is refused in the same way, and would only take time. */
const MAX_TRIED_CHARS = 150_000;

interface Broken {
  /** The field that is to be blamed. */
  readonly field: string;
  readonly body: unknown;
}

type Build = (value: unknown) => unknown;

/** The body with one thing wrong in it, at each place. */
function* broken(schema: Schema, build: Build, field: string): Generator<Broken> {
  for (const value of wrong(schema)) yield { field, body: build(value) };
  yield* brokenInside(membersOf(schema)?.[0] ?? schema, build, field);
}

function* brokenInside({ items, properties, required = [], additionalProperties }: Schema, build: Build, field: string): Generator<Broken> {
  if (isSchema(items)) yield* broken(items, (value) => build([value]), field);
  if (properties === undefined) return;
  const whole = Object.entries(properties).map(([name, part]): [string, unknown] => [name, valid(part)]);
  for (const name of required) yield { field: name, body: build(Object.fromEntries(whole.filter(([other]) => other !== name))) };
  for (const name of additionalProperties === false ? ['surprise', 'constructor', 'toString'] : [])
    yield { field: name, body: build(Object.fromEntries([...whole, [name, 1]])) };
  for (const [name, part] of Object.entries(properties)) {
    yield* broken(part, (value) => build(Object.fromEntries([...whole.filter(([other]) => other !== name), [name, value]])), name);
  }
}

const Refusal = z.object({ code: z.string().min(1), message: z.string().min(1), remedy: z.string().min(1) });

const withBody = Object.entries<Route>({ ...routes, ...compatRoutes }).flatMap(([name, route]) =>
  route.body === undefined || route.stream === 'mcp'
    ? []
    : [{ name, route, schema: z.toJSONSchema(route.body, { io: 'input' }) as Schema }],
);

/** Places where a text of any length would be taken. What is attached has limits of its own, by the sum of its bytes. */
const withoutLimit = (schema: Schema, place: string): string[] => {
  const { type, maxLength, enum: values, format, pattern } = schema;
  const isFree = type === 'string' && maxLength === undefined && values === undefined && format === undefined && pattern === undefined;
  const inside = typeof schema === 'object' && schema !== null ? Object.entries(schema) : [];
  return [
    ...(isFree && !('const' in schema) && !/(?:propertyNames|dataBase64)$/.test(place) ? [place] : []),
    ...inside.flatMap(([key, part]) => (typeof part === 'object' ? withoutLimit(part as Schema, `${place}.${key}`) : [])),
  ];
};

describe('a body', () => {
  plain.for(withBody)('takes no text that is as long as its sender likes: $name', ({ schema }) => {
    expect(withoutLimit(schema, 'body')).toEqual([]);
  });

  test.for(withBody)(
    'that is wrong in any one field is refused by that field’s name, before anything is done: $name',
    async ({ route, schema }, { stage }) => {
      const address = route.path.replaceAll(/:\w+/g, 'x');
      // Otherwise every body would be refused, whatever is wrong in it.
      expect(route.body?.safeParse(valid(schema)).error?.issues).toBeUndefined();
      const cases = [...broken(schema, (body) => body, '')];
      const faults: string[] = [];

      for (const { field, body } of cases) {
        const sent = await overSocket(stage.server.socket, address, { method: route.method, body });
        const refusal = Refusal.safeParse(sent.json).data;
        const isNamed = field === '' || refusal?.message.includes(field) === true;
        if (sent.status !== 400 || !isNamed)
          faults.push(`${field} ${JSON.stringify(body)?.slice(0, 300)}: ${JSON.stringify(sent).slice(0, 300)}`);
      }

      expect(faults).toEqual([]);
      expect(cases.length).toBeGreaterThan(0);
      expect(stage.sessions.commands).toEqual([]);
    },
  );
});

/** Texts of which most fields of a query take none. */
const TEXTS = ['', 'x', 'NaN', '-1', '1e400', '1.5', ...OF_PROTOTYPES, 'x'.repeat(5000)];

describe('a query', () => {
  test('that is wrong in any one field is refused with its name, what is wrong and what to do', async ({ stage }) => {
    const faults: string[] = [];
    let count = 0;
    for (const [name, { query, path, method, stream }] of Object.entries<Route>({ ...routes, ...compatRoutes })) {
      if (query === undefined || stream === 'websocket') continue;
      for (const [field, schema] of Object.entries(query.shape)) {
        const isTaken = (text: string): boolean => z.safeParse(schema as z.ZodType, text).success;
        for (const text of TEXTS.filter((one) => !isTaken(one))) {
          count += 1;
          const sent = await overSocket(stage.server.socket, `${path.replaceAll(/:\w+/g, 'x')}?${field}=${text}`, { method });
          const refusal = Refusal.safeParse(sent.json).data;
          if (sent.status !== 400 || refusal?.message.includes(field) !== true)
            faults.push(`${name} ${field}=${text.slice(0, 40)}: ${JSON.stringify(sent)}`);
        }
      }
    }

    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(50);
    expect(stage.sessions.commands).toEqual([]);
  });
});
