/** The routes as an OpenAPI 3.1 document: https://spec.openapis.org/oas/v3.1.0 */
import * as z from 'zod';
import * as compat from '#companion/compat/bodies.ts';
import { AgentMessage } from '#companion/compat/realtime.ts';
import * as api from '#protocol/api.ts';
import { BrowserInfo, Grant } from '#protocol/browser.ts';
import type { Route, Routes } from '#protocol/contract.ts';
import { CustomEngineInput, EngineSettingsInput, EngineSetup, SecretInput } from '#protocol/engine-setup.ts';
import { EngineInfo } from '#protocol/engines.ts';
import { ErrorBody, RefusalBody } from '#protocol/errors.ts';
import { LoggedPrompt, SessionEvent, SessionSettings, Usage } from '#protocol/events.ts';
import { Health } from '#protocol/health.ts';
import { ItemBody, ItemPatch } from '#protocol/items.ts';
import { RequestBody } from '#protocol/requests.ts';
import { SaidSchema } from '#protocol/said-schema.ts';
import { VERSION } from '#protocol/version.ts';
import { Warning } from '#protocol/warnings.ts';
import { exampleOf } from './route-examples.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const MEDIA_TYPES = {
  json: 'application/json',
  sse: 'text/event-stream',
  jsonlines: 'application/jsonl',
  websocket: 'application/json',
  bytes: 'application/octet-stream',
  mcp: 'application/json',
} as const;

/** Schemas that are named once and referred to. */
const names = z.registry<{ id: string }>();
const named = {
  ...api,
  ...compat,
  AgentMessage,
  BrowserInfo,
  CustomEngineInput,
  EngineInfo,
  EngineSettingsInput,
  EngineSetup,
  ErrorBody,
  Grant,
  Health,
  ItemBody,
  ItemPatch,
  LoggedPrompt,
  RefusalBody,
  RequestBody,
  Said: SaidSchema,
  SecretInput,
  SessionEvent,
  SessionSettings,
  Usage,
  Warning,
};
for (const [id, schema] of Object.entries(named)) if (schema instanceof z.ZodType) names.add(schema, { id });

/** A schema as JSON Schema; what it refers to is put into `definitions`. */
export const toSchema = (schema: z.ZodType, definitions: Record<string, JsonSchema>): JsonSchema => {
  // The wire carries what the other end parses, so it is the input of a schema, also for answers.
  const { $defs = {}, $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', metadata: names });
  Object.assign(definitions, $defs);
  return json;
};

/** The document. Its schemas are those the server checks requests and answers with. */
export const toOpenApi = (routes: Routes): Record<string, unknown> => {
  const schemas: Record<string, JsonSchema> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = toOperation(name, route, schemas);
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Pilotfish',
      version: VERSION,
      description: 'Generated from the contracts of the routes; docs/openapi.json by `npm run docs`.',
    },
    servers: [{ url: 'http://127.0.0.1:56889' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      responses: {
        Refusal: {
          description: 'It was refused: what failed and what to do.',
          content: content('json', toSchema(RefusalBody, schemas)),
        },
      },
      schemas,
    },
  };
  return Json.parse(JSON.parse(JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/')));
};

const Json = z.record(z.string(), z.unknown());

const toOperation = (name: string, route: Route, schemas: Record<string, JsonSchema>): Record<string, unknown> => {
  const example = exampleOf(name, route, toSchema);
  const status = route.status ?? (route.answer === undefined && route.stream === undefined ? 204 : 200);
  const answer = route.answer === undefined ? {} : toSchema(route.answer, schemas);
  const hasContent = route.answer !== undefined || route.stream !== undefined;
  return {
    operationId: name,
    summary: route.summary,
    'x-scope': route.scope,
    parameters: [
      ...toParameters('path', route.params, { schemas, example: example.params }),
      ...toParameters('query', route.query, { schemas, example: example.query }),
    ],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: content('json', toSchema(route.body, schemas), example.body) } }),
    responses: {
      [status]: { description: 'Done.', ...(hasContent ? { content: content(route.stream ?? 'json', answer, example.answer) } : {}) },
      default: { $ref: '#/components/responses/Refusal' },
    },
  };
};

const exampleIn = (example: unknown, name: string): { example?: unknown } =>
  typeof example === 'object' && example !== null && Object.hasOwn(example, name) ? { example: Reflect.get(example, name) } : {};

const content = (kind: keyof typeof MEDIA_TYPES, schema: JsonSchema, example?: unknown): Record<string, unknown> => ({
  [MEDIA_TYPES[kind]]: { schema, ...(example === undefined ? {} : { example }) },
});

const toParameters = (
  place: 'path' | 'query',
  schema: z.ZodObject | undefined,
  { schemas, example }: { readonly schemas: Record<string, JsonSchema>; readonly example: unknown },
): unknown[] =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || !z.safeParse(schema?.shape[name] ?? z.unknown(), undefined).success,
    schema: toSchema(z.instanceof(z.ZodType).parse(field), schemas),
    ...exampleIn(example, name),
  }));
