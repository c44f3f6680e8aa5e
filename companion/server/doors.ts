/** The two node:http servers, both behind the one gate, in front of the one set of routes. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log, LogFields } from '#companion/lib/log.ts';
import type { Principal, Tokens } from '#companion/mcp/tokens.ts';
import { Arrivals } from './arrivals.ts';
import { callerOf } from './callers.ts';
import { addFarewell, isLeaving, leave } from './farewell.ts';
import { checkRequest, type Door, type GateInput, type Refusal } from './gate.ts';
import { answerRefusal, refuseUpgrade, toAnswer } from './http-error.ts';
import type { WrongTokens } from './wrong-tokens.ts';
import { CALL_LINE_PROTOCOL, LINK_PROTOCOL } from '#protocol/version.ts';

/** A request's way in, kept beside the message so that no header can forge it. */
export interface Entry {
  readonly door: Door;
  readonly principal: Principal;
}

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface DoorListeners {
  readonly request: RequestListener;
  readonly upgrade: UpgradeListener;
}

/** Checked every four seconds, so that no connection takes more than ten over its headers. */
const serverOptions = {
  headersTimeout: 6000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 4000,
  keepAliveTimeout: 72_000,
  noDelay: true,
  // Java clients offer h2c with every request; such a request is answered as an ordinary one.
  shouldUpgradeCallback: (request: IncomingMessage): boolean => {
    const upgrade = request.headers.upgrade?.toLowerCase();
    return upgrade === 'websocket' || upgrade === LINK_PROTOCOL || upgrade === CALL_LINE_PROTOCOL;
  },
};

/** Node's code for a request that is not there in time. */
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

const ERROR_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  [LATE]: '408 Request Timeout',
};

/** The server of a door, not listening yet. A malformed request ends its own connection only. */
export const createDoorServer = (door: Door): Server => {
  // Only this user comes by the private socket, so an idle daemon need not wake up often.
  const server = createServer(door === 'private' ? { ...serverOptions, connectionsCheckingInterval: 30_000 } : serverOptions);
  addFarewell(server);
  // By itself Node would answer these before anybody has looked at the request.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
  const arrivals = new Arrivals(server);
  server.on('clientError', (error, socket) => {
    const code = String('code' in error ? error.code : '');
    if (code !== LATE) return refuseRequest(socket, code);
    return void arrivals.isWhole(socket).then((isWhole) => isWhole || refuseRequest(socket, code));
  });
  return server;
};

const refuseRequest = (socket: Duplex, code: string): void => {
  if (!socket.writable) return;
  // A part of an answer was sent already, so a second answer could be taken for that of another request.
  if ('bytesWritten' in socket && Number(socket.bytesWritten) > 0) return leave(socket);
  const status = ERROR_STATUS[code] ?? '400 Bad Request';
  leave(socket, `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
};

/** Requests whose bodies come only when they are told to send them. */
const waiting = new WeakSet<IncomingMessage>();

const entries = new WeakMap<IncomingMessage, Entry>();

/** How a request that passed the gate came in. */
export const entryOf = (request: IncomingMessage): Entry => {
  const entry = entries.get(request);
  if (entry === undefined) throw new Error('a request reached a route without passing the gate');
  return entry;
};

export interface GuardOptions {
  readonly door: Door;
  readonly port: () => number;
  readonly tokens: Pick<Tokens, 'check' | 'redeemTicket'>;
  readonly wrongTokens: Pick<WrongTokens, 'seen'>;
  readonly remoteHost?: GateInput['remoteHost'];
  readonly log: Log;
  /** Told of each connection that was let in, and for whom. */
  readonly onAdmitted?: (socket: Socket, principal: Principal) => void;
  /** What is behind the gate. */
  readonly inside: DoorListeners;
}

/** Puts the gate in front of `inside`, for requests and upgrades alike. */
export const guard = ({ door, port, tokens, wrongTokens, remoteHost, log, onAdmitted, inside }: GuardOptions): DoorListeners => {
  const refusals = new RefusalLog(log);
  const check = (request: IncomingMessage): Refusal | null => {
    const answer = checkRequest({
      door,
      port: port(),
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headersDistinct,
      caller: callerOf(request.socket),
      tokens,
      remoteHost,
    });
    if ('refuse' in answer) {
      refusals.note({ door, method: request.method, path: pathOf(request), status: answer.refuse.status });
      return answer.refuse;
    }
    entries.set(request, { door, principal: answer.principal });
    onAdmitted?.(request.socket, answer.principal);
    return null;
  };
  const refuse = ({ status, error, isGuess }: Refusal, write: (answer: ReturnType<typeof toAnswer>) => void): void => {
    const answer = toAnswer(status, error);
    if (isGuess) void wrongTokens.seen().then(() => write(answer));
    else write(answer);
  };
  return {
    request: (request: IncomingMessage, response: ServerResponse) => {
      if (isLeaving(request.socket)) return void request.resume();
      const refused = check(request);
      if (refused === null) {
        if (waiting.has(request)) response.writeContinue();
        return inside.request(request, response);
      }
      return refuse(refused, (answer) => answerRefusal(response, answer));
    },
    upgrade: (request, socket, head) => {
      // Without a listener, a connection reset during the upgrade would end the daemon.
      socket.on('error', () => socket.destroy());
      const refused = check(request);
      if (refused === null) inside.upgrade(request, socket, head);
      else refuse(refused, (answer) => refuseUpgrade(socket, answer));
    },
  };
};

const NOTED_PER_SECOND = 20;

/** A program that floods the door must not flood the log and push out what is in it. */
class RefusalLog {
  readonly #log: Log;
  #windowStart = 0;
  #count = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  note(fields: LogFields): void {
    if (performance.now() - this.#windowStart > 1000) {
      if (this.#count > NOTED_PER_SECOND) this.#log.info('gate.refused', { more: this.#count - NOTED_PER_SECOND });
      this.#windowStart = performance.now();
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= NOTED_PER_SECOND) this.#log.info('gate.refused', fields);
  }
}

/** The address for the log, without its query, which may hold anything. */
export const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?', 1)[0] ?? '';
