/** What a route of the HTTP wire promises. The server, both clients and the documents are made from tables of these. */
import * as z from 'zod';
import { explainInFront } from './front-faults.ts';
import { CompanionError } from './errors.ts';

/**
 * api: side panel, terminal and command line · private: only by the private socket · mcp: an MCP client with its session's token ·
 * open: any program of this machine, without a token; never a web page.
 */
export type Scope = 'api' | 'private' | 'mcp' | 'open';

/** How an answer comes that is not one JSON value: `answer` is then the schema of one event, line or message. */
export type StreamKind = 'sse' | 'jsonlines' | 'websocket' | 'bytes' | 'mcp';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Its parts that begin with a colon are the names of `params`. */
  readonly path: `/${string}`;
  readonly scope: Scope;
  /**
   * Whether it acts for the person, so that an agent may not call it by the private socket. It does unless it only looks (GET).
   * To read a token is to act: its holder is taken for another client. A tool call is not: it asks policy for itself.
   */
  readonly isForPerson?: boolean;
  /** A look with a body, or a step of something else: nothing is decided by it, so the audit keeps it only when it was refused. */
  readonly isRoutine?: true;
  /** Open to the panel of a browser that the person has not let in yet; no other route is. */
  readonly isForNewcomer?: boolean;
  /** One sentence: what it does for the caller. */
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** A strict object: a key that it does not have is refused by name. */
  readonly body?: z.ZodType;
  /** The HTTP status of a good answer; 200 when it is left out, 204 when there is no `answer`. */
  readonly status?: 201 | 202;
  readonly answer?: z.ZodType;
  readonly stream?: StreamKind;
}

/** The same with its default in place. */
export const isForPerson = ({ method, isForPerson: stated }: Route): boolean => stated ?? method !== 'GET';

export type Routes = Readonly<Record<string, Route>>;

type Part = 'params' | 'query' | 'body';

/** What a handler gets: parsed, and nothing that the route does not name. */
export type Input<R extends Route> = { readonly [Key in keyof R & Part]: R[Key] extends z.ZodType ? z.output<R[Key]> : never };

/** What a caller gives. */
export type Sent<R extends Route> = { readonly [Key in keyof R & Part]: R[Key] extends z.ZodType ? z.input<R[Key]> : never };

/** What a caller gets, which is null for a route without an answer. */
export type Answer<R extends Route> = R extends { readonly answer: infer Schema extends z.ZodType } ? z.output<Schema> : null;

/** What a handler gives. */
export type Given<R extends Route> = R extends { readonly answer: infer Schema extends z.ZodType } ? z.input<Schema> : void;

/** What goes over the wire to call a route. */
export interface WireRequest {
  readonly method: Route['method'];
  /** Path and query, with everything in its place. */
  readonly address: string;
  /** Undefined when the route takes none. */
  readonly body: unknown;
}

export const toRequest = <R extends Route>(route: R, sent: Sent<R>): WireRequest => {
  const parts = new Map(entriesOf(sent));
  const path = toPath(route, parts.get('params'));
  const query = entriesOf(parts.get('query'))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return { method: route.method, address: query.length === 0 ? path : `${path}?${query.join('&')}`, body: parts.get('body') };
};

/** The path of a route with its parameters in their places. */
export const toPath = ({ path }: Route, given: unknown): string => {
  const params = new Map(entriesOf(given));
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params.get(name))));
};

/** The answer of a route as its contract has it; refuses what is none. */
export function parseAnswer<R extends Route>(route: R, json: unknown): Answer<R>;
export function parseAnswer({ method, path, answer }: Route, json: unknown): unknown {
  if (answer === undefined) return null;
  const parsed = answer.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new CompanionError('FRAME_INVALID', `${method} ${path}: ${z.prettifyError(parsed.error)}`, {
    remedy: explainInFront('other_daemon_version'),
  });
}

const entriesOf = (value: unknown): [string, unknown][] => (typeof value === 'object' && value !== null ? Object.entries(value) : []);

/** The parameters in a path when it is one of the route's, else null. Never throws: a broken escape stays as it is. */
export const matchPath = (route: Route, path: string): Readonly<Record<string, string>> | null => {
  const wanted = route.path.split('/');
  const found = path.split('/');
  if (wanted.length !== found.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = found[index] ?? '';
    const isParameter = part.startsWith(':');
    // A slash too many is no parameter.
    if (isParameter ? text === '' : part !== text) return null;
    if (isParameter) params[part.slice(1)] = decode(text);
  }
  return params;
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
