import { describe, expect } from 'vitest';
import * as z from 'zod';
import type { Route } from '#protocol/contract.ts';
import { routes } from '#protocol/routes.ts';
import { compatRoutes } from '#companion/compat/routes.ts';
import { overSocket, test } from './stage.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** The schemas of which a value has to fit one, if there are several. */
const membersOf = (schema: Schema): readonly Schema[] | undefined => {
  const { type } = schema;
  return schema.anyOf ?? schema.oneOf ?? (Array.isArray(type) ? type.map((one: string) => ({ ...schema, type: one })) : undefined);
};

const isSchema = (schema: Schema | undefined): schema is Schema => schema !== undefined;

const takes = (schema: Schema, value: unknown): boolean =>
  z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).success;

/** Texts of which one will do: a word that is base64 too, a path, an address, a name of a variable. */
const SAMPLES = ['abcd', '/abcd', 'http://127.0.0.1:1', 'ABCD'];

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
  if ('const' in schema || schema.enum !== undefined) return ['none of them', 7];
  const { type, minLength = 0, maxLength, minimum, maximum, exclusiveMinimum, maxItems } = schema;
  switch (type) {
    case 'string':
      return [
        7,
        null,
        {},
        [],
        ...(minLength > 0 ? [''] : []),
        ...(maxLength !== undefined && maxLength < 10_000 ? ['x'.repeat(maxLength + 1)] : []),
      ];
    case 'integer':
    case 'number':
      return [
        'x',
        null,
        [],
        ...(type === 'integer' ? [1.5] : []),
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
  if (additionalProperties === false) yield { field: 'surprise', body: build(Object.fromEntries([...whole, ['surprise', 1]])) };
  for (const [name, part] of Object.entries(properties)) {
    yield* broken(part, (value) => build(Object.fromEntries([...whole.filter(([other]) => other !== name), [name, value]])), name);
  }
}

const withBody = Object.entries<Route>({ ...routes, ...compatRoutes }).flatMap(([name, route]) =>
  route.body === undefined || route.stream === 'mcp'
    ? []
    : [{ name, route, schema: z.toJSONSchema(route.body, { io: 'input' }) as Schema }],
);

describe('a body', () => {
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
        const isNamed = field === '' || JSON.stringify(sent.json).includes(field);
        if (sent.status !== 400 || !isNamed)
          faults.push(`${field} ${JSON.stringify(body)?.slice(0, 300)}: ${JSON.stringify(sent).slice(0, 300)}`);
      }

      expect(faults).toEqual([]);
      expect(cases.length).toBeGreaterThan(0);
      expect(stage.sessions.commands).toEqual([]);
    },
  );
});
