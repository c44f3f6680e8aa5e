/** An example of each route: written down where it teaches something, and made from the schemas otherwise. Pure. */
import type * as z from 'zod';
import type { compatRoutes } from '#companion/compat/routes.ts';
import type { Route } from '#protocol/contract.ts';
import type { routes } from '#protocol/routes.ts';

export interface RouteExample {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  /** Of a stream it is one event or message. */
  readonly answer?: unknown;
}

type Name = keyof typeof routes | keyof typeof compatRoutes;

const SESSION = 'session_k3v8mq2xw7';
const PROJECT = 'project_p5r1ta9zd4';

/** What a client would really send. */
const WRITTEN: Readonly<Partial<Record<Name, RouteExample>>> = {
  makeTicket: { body: { path: `/agent/chat/${SESSION}/stream` }, answer: { ticket: 'Zm9yIG9uZSBzdHJlYW0' } },
  createSession: { body: { engineName: 'claude', name: 'Login page', mode: 'default', worktree: true } },
  updateSession: { body: { name: 'Login page', model: null, maxTokens: 500_000, maxCostUsd: 2.5 } },
  startTurn: {
    body: { turnId: 'turn_mine_1', text: 'Fix the login page.', delivery: 'queue', ifTaken: 'queue', budget: { costUsd: 0.5 } },
    answer: { turnId: 'turn_mine_1', sessionId: SESSION },
  },
  openPairing: { body: { address: 'wss://box.example' } },
  answerPairing: { body: { code: '482 913', isSame: true } },
  answerRequest: { body: { optionId: 'allow_once' } },
  forkSession: { body: { engineName: 'codex', name: 'The same with Codex' } },
  importSession: { body: { uploadId: 'upload_2m7c', projectId: PROJECT } },
  stageFiles: { body: { paths: ['src/login.ts'], isStaged: true } },
  revertFiles: { body: { paths: ['src/login.ts'] } },
  notePicked: {
    body: {
      elements: [
        {
          tabId: 7,
          url: 'http://localhost:5173/cart',
          documentId: '5A1C',
          mark: { ref: 12, selector: '#pay', role: 'button', name: 'Pay', looks: '1h2k.9x3' },
          element: 'button Pay',
        },
      ],
    },
  },
  proposeEngine: {
    body: { change: { type: 'change', path: '/usr/local/bin/agent', args: ['--acp'], env: { ACME_REGION: 'eu' } }, language: 'en' },
    answer: { outcome: 'done' },
  },
  listFolders: { query: { path: '/home/me/pro' } },
  findServed: { query: { port: 5173 } },
  exportSession: { query: { format: 'json' } },
  search: { query: { q: 'login "404"', since: '2026-01-01', limit: 30 } },
  readUsage: { query: { by: 'engine', since: '2026-01-01' } },
  changePreferences: { body: { dailyCostUsd: 5 } },
  beginUpload: { body: { kind: 'file', name: 'trace.zip', mimeType: 'application/zip', sizeBytes: 12_582_912 } },
  uploadState: { answer: { receivedBytes: 12_582_912, sizeBytes: 12_582_912, read: { done: 4_194_304, total: 50_331_648 } } },
  sendPiece: { body: { offset: 0, dataBase64: 'UEsDBA==' }, answer: { receivedBytes: 4 } },
  act: {
    body: {
      instruction: 'Fix the login page.',
      cliPreference: 'claude',
      projectId: PROJECT,
      attachments: [{ type: 'file', name: 'a.txt', mimeType: 'text/plain', dataBase64: 'aGVsbG8=' }],
    },
    answer: { requestId: 'turn_9d2f', sessionId: SESSION, status: 'accepted' },
  },
  message: { body: { content: 'Fix the login page.' }, answer: { requestId: 'turn_9d2f', sessionId: SESSION, status: 'accepted' } },
  compatCreateSession: { body: { engineName: 'claude', optionsConfig: { maxTurns: 20, maxBudgetUsd: 2 } } },
  addMessage: { body: { content: 'Deployed.', role: 'system', messageType: 'status' } },
  callTool: { body: { callId: 'call_1', name: 'browser_snapshot', arguments: {} } },
};

interface Schema {
  readonly [key: string]: unknown;
}

/** `toSchema` gives the JSON Schema of what goes over the wire; what it refers to is put into `definitions`. */
export const exampleOf = (
  name: string,
  route: Route,
  toSchema: (schema: z.ZodType, definitions: Record<string, Schema>) => Schema,
): RouteExample => {
  const written = new Map<string, RouteExample>(Object.entries(WRITTEN)).get(name) ?? {};
  const made = (part: 'params' | 'query' | 'body' | 'answer'): RouteExample => {
    const schema = route[part];
    if (schema === undefined) return {};
    const definitions: Record<string, Schema> = {};
    const json = toSchema(schema, definitions);
    return { [part]: written[part] ?? new Sampler(definitions).sample(json, part) };
  };
  return { ...made('params'), ...made('query'), ...made('body'), ...made('answer') };
};

/** Texts by the names of their fields. */
const TEXTS: Readonly<Record<string, string>> = {
  sessionId: SESSION,
  id: 'id_4t6y',
  projectId: PROJECT,
  turnId: 'turn_9d2f',
  requestId: 'request_1c8e',
  itemId: 'item_7b3a',
  attachmentId: 'att_5e0d',
  uploadId: 'upload_2m7c',
  checkpointId: 'turn_9d2f',
  engineName: 'claude',
  engine: 'claude',
  name: 'Shop',
  filename: 'att_5e0d.png',
  secretName: 'ANTHROPIC_API_KEY',
  rootPath: '/home/you/shop',
  absolutePath: '/home/you/shop',
  path: '/home/you/shop',
  filePath: 'src/login.ts',
  text: 'Fix the login page.',
  content: 'Fix the login page.',
  instruction: 'Fix the login page.',
  q: 'login',
  site: 'shop.example',
  url: 'https://shop.example/',
  origin: 'https://shop.example',
  day: '2026-01-31',
  version: '0.1.0',
  command: '/usr/local/bin/agent',
  dataBase64: 'aGVsbG8=',
  mimeType: 'text/plain',
  model: 'sonnet',
  mode: 'default',
  preview: 'Fix the login page.',
  title: 'npm test',
};
const DATE = '2026-01-31T12:00:00.000Z';
const MAX_DEPTH = 8;

/** The smallest value of a schema that says something: what may be left out is. */
class Sampler {
  readonly #definitions: Readonly<Record<string, Schema>>;

  constructor(definitions: Readonly<Record<string, Schema>>) {
    this.#definitions = definitions;
  }

  sample(schema: unknown, name: string, depth = 0): unknown {
    if (!isSchema(schema)) return null;
    const { $ref, anyOf, oneOf, allOf, type, enum: values } = schema;
    if (typeof $ref === 'string') return this.sample(this.#definitions[$ref.slice($ref.lastIndexOf('/') + 1)], name, depth);
    if ('const' in schema) return schema['const'];
    if (Array.isArray(values)) return values[0];
    if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((one) => this.sample(one, name, depth)));
    const members = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null;
    if (members !== null) {
      const isObject = isSchema(members[0]) && (members[0]['type'] === 'object' || '$ref' in members[0]);
      // Where there may be nothing, an object is left out.
      if (isObject && members.some((one) => isSchema(one) && one['type'] === 'null')) return null;
      return this.sample(members[0], name, depth);
    }
    switch (Array.isArray(type) ? type[0] : type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return depth > MAX_DEPTH ? [] : this.#array(schema, name, depth);
      case 'string':
        return text(schema, name);
      case 'integer':
      case 'number':
        return Math.max(1, typeof schema['minimum'] === 'number' ? schema['minimum'] : 1);
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return {};
    }
  }

  #object({ properties, required }: Schema, depth: number): Record<string, unknown> {
    if (!isSchema(properties)) return {};
    const needed = new Set(Array.isArray(required) ? required : []);
    const fields = Object.entries(properties).filter(([name]) => needed.has(name));
    return Object.fromEntries(fields.map(([name, field]) => [name, this.sample(field, name, depth + 1)]));
  }

  #array({ items, prefixItems, minItems }: Schema, name: string, depth: number): unknown[] {
    if (Array.isArray(prefixItems)) return prefixItems.map((item) => this.sample(item, name, depth + 1));
    const one = name.endsWith('s') ? name.slice(0, -1) : name;
    return Array.from({ length: typeof minItems === 'number' ? Math.max(1, minItems) : 1 }, () => this.sample(items, one, depth + 1));
  }
}

const text = ({ format, pattern }: Schema, name: string): string => {
  if (format === 'date-time') return DATE;
  const known = Object.hasOwn(TEXTS, name) ? TEXTS[name] : undefined;
  if (known !== undefined && (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(known))) return known;
  if (name.endsWith('At')) return DATE;
  if (typeof pattern !== 'string') return name === '' ? 'text' : name;
  return CANDIDATES.find((candidate) => new RegExp(pattern, 'u').test(candidate)) ?? name;
};

/** For fields that take only texts of some form. */
const CANDIDATES = [
  '/home/you/shop',
  '2026-01-31',
  'aGVsbG8=',
  'shop',
  '0123456789abcdef0123456789abcdef01234567',
  'https://shop.example/',
  'LOCAL_API_KEY',
];

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
