/**
 * Streamable HTTP of the earlier revisions, on Node's own requests and answers. The SDK's transport makes a web-standard request, a
 * response and a stream of each, which costs as much as all else that a quick call does in the daemon. What a message is and what it
 * does stays the SDK's. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  INVALID_REQUEST,
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResponse,
  PARSE_ERROR,
  parseJSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { answerFault, INVALID_HTTP, NO_SESSION } from './http-faults.ts';

interface Options {
  /** Names the session when the client has said that it begins. */
  readonly createId: () => string;
  readonly onBegun: (id: string) => void;
  /** Its client has begun or ceased to listen to what the server says unasked. */
  readonly onListening: () => void;
  /** A stream without messages says by this that it is still there. */
  readonly keepAliveMs: number;
}

/** An answer that is there by then is one piece of JSON; what takes longer, or tells something before its end, is a stream. */
const STREAM_AFTER_MS = 20;

const MAX_BATCH = 100;

const STREAM_TYPE = 'text/event-stream';
const JSON_TYPE = 'application/json';

/** One client's session, over as many requests as it makes. */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: Options;
  readonly #answers = new Map<RequestId, Answer>();
  #sessionId: string | undefined;
  #versions: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;
  /** The stream on which the server speaks unasked. */
  #unasked: Answer | null = null;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Whether its client listens to what the server says unasked, as most do for as long as they run. */
  get isListenedTo(): boolean {
    return this.#unasked !== null;
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#versions = versions;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** `body` is the parsed body of a POST. */
  handle(request: IncomingMessage, response: ServerResponse, body: unknown): void {
    const fault = this.#faultOf(request);
    if (fault !== null) return answerFault(response, ...fault);
    if (request.method === 'POST') return this.#take(response, body);
    if (request.method === 'GET') return this.#listen(response);
    response.writeHead(200).end();
    return void this.close();
  }

  /** An answer goes to the request it is for, and what belongs to a request goes with its answer. */
  send(message: JSONRPCMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    const isAnswer = isJSONRPCResponse(message);
    const id = isAnswer ? message.id : relatedRequestId;
    const to = id === undefined ? this.#unasked : this.#answers.get(id);
    // Its client has hung up; nothing is kept for it to come back to.
    if (to === null || to === undefined) return Promise.resolve();
    if (isAnswer && id !== undefined) {
      this.#answers.delete(id);
      to.answer(message);
    } else to.tell(message);
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    for (const answer of new Set(this.#answers.values())) answer.end();
    this.#answers.clear();
    this.#unasked?.end();
    this.onclose?.();
    return Promise.resolve();
  }

  /** Why a request is refused by its method and headers; null when it is not. */
  #faultOf({ method, headers }: IncomingMessage): Fault | null {
    const takes = (type: string): boolean => isAccepted(headers.accept, type);
    const version = headers['mcp-protocol-version'];
    if (this.#isClosed) return [404, NO_SESSION, 'Session not found'];
    if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') return [405, INVALID_HTTP, 'Method not allowed.'];
    if (method === 'GET' && !takes(STREAM_TYPE)) return [406, INVALID_HTTP, `Not Acceptable: accept ${STREAM_TYPE}.`];
    if (method === 'POST' && !(takes(JSON_TYPE) && takes(STREAM_TYPE)))
      return [406, INVALID_HTTP, `Not Acceptable: accept ${JSON_TYPE} and ${STREAM_TYPE}.`];
    if (this.#sessionId !== undefined && version !== undefined && !this.#versions.includes(String(version)))
      return [400, INVALID_HTTP, `Unsupported protocol version: ${String(version)} (supported versions: ${this.#versions.join(', ')})`];
    return null;
  }

  #take(response: ServerResponse, body: unknown): void {
    const messages = toMessages(body);
    if (messages === null) return answerFault(response, 400, PARSE_ERROR, 'The body must be a JSON-RPC 2.0 message, or up to 100 of them.');
    const begins = messages.some((message) => 'method' in message && message.method === 'initialize' && isInitializeRequest(message));
    if (begins && (this.#sessionId !== undefined || messages.length > 1))
      return answerFault(response, 400, INVALID_REQUEST, 'initialize comes once, first and alone.');
    if (begins) this.#options.onBegun((this.#sessionId = this.#options.createId()));
    const ids = messages.filter((message) => isJSONRPCRequest(message)).map(({ id }) => id);
    if (ids.some((id, index) => this.#answers.has(id) || ids.indexOf(id) !== index))
      return answerFault(response, 400, INVALID_REQUEST, 'The id is that of a request that is still open.');
    if (ids.length === 0) response.writeHead(202).end();
    else this.#open(response, ids, Array.isArray(body));
    for (const message of messages) {
      this.onmessage?.(message);
      if ('method' in message && message.method === 'notifications/cancelled') this.#forgo(message.params?.['requestId']);
    }
  }

  /** A request that its client has cancelled is answered no more, so nothing keeps its stream open. */
  #forgo(cancelled: unknown): void {
    const id = typeof cancelled === 'string' || typeof cancelled === 'number' ? cancelled : undefined;
    const answer = id === undefined ? undefined : this.#answers.get(id);
    if (id === undefined || answer === undefined) return;
    this.#answers.delete(id);
    answer.forgo();
  }

  #open(response: ServerResponse, ids: readonly RequestId[], isBatch: boolean): void {
    const answer = new Answer(response, { sessionId: this.#sessionId, keepAliveMs: this.#options.keepAliveMs, left: ids.length, isBatch });
    for (const id of ids) this.#answers.set(id, answer);
    response.once('close', () => {
      for (const id of ids) if (this.#answers.get(id) === answer) this.#answers.delete(id);
    });
  }

  #listen(response: ServerResponse): void {
    if (this.#unasked !== null) return answerFault(response, 409, INVALID_HTTP, 'Only one stream is allowed per session.');
    const stream = new Answer(response, { sessionId: this.#sessionId, keepAliveMs: this.#options.keepAliveMs, left: 0, isBatch: false });
    this.#unasked = stream;
    stream.stream();
    this.#options.onListening();
    response.once('close', () => {
      if (this.#unasked === stream) this.#unasked = null;
      this.#options.onListening();
    });
  }
}

/** The protocol wants both types named; a client that names none, or any, takes them all the same. https://www.rfc-editor.org/rfc/rfc9110#name-accept */
const isAccepted = (accept: string | undefined, type: string): boolean => {
  const ranges = (accept ?? '*/*').split(',').map((range) => (range.split(';')[0] ?? '').trim().toLowerCase());
  return ranges.some((range) => range === type || range === '*/*' || range === type.replace(/\/.*/, '/*'));
};

type Fault = readonly [status: number, code: number, message: string];

/** Null for what is none, and for none at all. */
const toMessages = (body: unknown): JSONRPCMessage[] | null => {
  const given: unknown[] = Array.isArray(body) ? body : [body];
  if (given.length === 0 || given.length > MAX_BATCH) return null;
  try {
    return given.map((one) => parseJSONRPCMessage(one));
  } catch {
    return null;
  }
};

/** What is sent to one request of the client. */
class Answer {
  readonly #response: ServerResponse;
  readonly #sessionId: string | undefined;
  readonly #keepAliveMs: number;
  readonly #isBatch: boolean;
  readonly #held: JSONRPCMessage[] = [];
  #left: number;
  #isStream = false;
  #timer: NodeJS.Timeout | undefined;

  /** `left` is how many requests it answers. */
  constructor(
    response: ServerResponse,
    { sessionId, keepAliveMs, left, isBatch }: { sessionId: string | undefined; keepAliveMs: number; left: number; isBatch: boolean },
  ) {
    this.#response = response;
    this.#sessionId = sessionId;
    this.#keepAliveMs = keepAliveMs;
    this.#isBatch = isBatch;
    this.#left = left;
    this.#timer = setTimeout(() => this.stream(), STREAM_AFTER_MS);
    response.once('close', () => clearTimeout(this.#timer));
  }

  answer(message: JSONRPCMessage): void {
    this.#left -= 1;
    this.#held.push(message);
    if (this.#isStream) this.#flush();
    if (this.#left === 0) this.end();
  }

  /** One of the requests is answered no more. */
  forgo(): void {
    this.#left -= 1;
    if (this.#left > 0) return;
    // What has nothing to say is a stream that ends.
    if (this.#held.length === 0) this.stream();
    this.end();
  }

  tell(message: JSONRPCMessage): void {
    this.#held.push(message);
    this.stream();
    this.#flush();
  }

  /** From now on each message goes out as it comes. */
  stream(): void {
    if (this.#isStream || this.#response.headersSent) return;
    this.#isStream = true;
    clearTimeout(this.#timer);
    this.#writeHead({ 'content-type': STREAM_TYPE, 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' });
    this.#response.flushHeaders();
    this.#timer = setInterval(() => this.#response.write(': keepalive\n\n'), this.#keepAliveMs);
    this.#flush();
  }

  end(): void {
    clearTimeout(this.#timer);
    // A session that ends answers nobody.
    if (this.#left > 0 && !this.#isStream) return answerFault(this.#response, 404, NO_SESSION, 'Session not found');
    if (this.#isStream) return void this.#response.end();
    const [only] = this.#held;
    const json = JSON.stringify(this.#isBatch ? this.#held : only);
    this.#writeHead({ 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(json) });
    return void this.#response.end(json);
  }

  #writeHead(headers: Record<string, string | number>): void {
    this.#response.writeHead(200, { ...headers, ...(this.#sessionId === undefined ? {} : { 'mcp-session-id': this.#sessionId }) });
  }

  #flush(): void {
    for (const message of this.#held.splice(0)) this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }
}
