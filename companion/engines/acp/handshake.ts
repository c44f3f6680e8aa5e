/** What is said between the start of the process and a session that takes prompts. */
import type { InitializeRequest, NewSessionRequest } from '@agentclientprotocol/sdk';
import type * as z from 'zod';
import type { RpcAnswer, RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { notice } from '#protocol/notices.ts';
import { VERSION } from '#protocol/version.ts';
import type { Said } from '#protocol/said.ts';
import { explain } from '#protocol/faults.ts';
import type { Effect, LaunchOptions } from '../engine.ts';
import { AUTH_REQUIRED, rpcFailure, rpcReason } from './errors.ts';
import { serviceCapabilities } from './services.ts';
import { toMcpServers, type Takes } from './input.ts';
import { InitializeAnswer, SessionAnswer } from './schema.ts';
import type { Settings } from './settings.ts';
import type { AcpSpec } from './spec.ts';

export interface Session {
  readonly sessionId: string;
  readonly takes: Takes;
  /** Whether the conversation has no past, so that the agent has yet to be told the system prompt. */
  readonly isNew: boolean;
}

interface Options {
  readonly peer: RpcPeer;
  readonly spec: AcpSpec;
  readonly launch: LaunchOptions;
  readonly settings: Settings;
  /** Called when there is a session; returns what follows `ready`. */
  readonly begin: (session: Session) => Effect[];
  readonly fail: (error: ErrorBody) => Effect[];
}

/** The requests from `initialize` to an open session. */
export class Handshake {
  readonly #peer: RpcPeer;
  readonly #spec: AcpSpec;
  readonly #launch: LaunchOptions;
  readonly #settings: Settings;
  readonly #begin: Options['begin'];
  readonly #fail: Options['fail'];
  /** What the agent said of itself. */
  #agent: z.infer<typeof InitializeAnswer> = {};
  #hasSignedIn = false;

  constructor({ peer, spec, launch, settings, begin, fail }: Options) {
    this.#peer = peer;
    this.#spec = spec;
    this.#launch = launch;
    this.#settings = settings;
    this.#begin = begin;
    this.#fail = fail;
  }

  start(): Effect[] {
    const params = {
      protocolVersion: 1,
      clientInfo: { name: 'pilotfish', title: 'Pilotfish', version: VERSION },
      clientCapabilities: serviceCapabilities(this.#spec.usesServices ?? true),
    } satisfies InitializeRequest;
    return [
      this.#peer.call('initialize', params, (answer) => {
        if ('error' in answer) return this.#fail(rpcFailure(answer.error, this.#spec));
        const parsed = InitializeAnswer.safeParse(answer.result);
        if (!parsed.success) return this.#fail(startError(explain('initialize_not_understood')));
        this.#agent = parsed.data;
        return this.#launch.engineSessionId === null ? this.#openNew() : this.#reopen(this.#launch.engineSessionId);
      }),
    ];
  }

  #openNew(): Effect[] {
    return [
      this.#open('session/new', {}, (answer) =>
        'error' in answer ? this.#fail(rpcFailure(answer.error, this.#spec)) : this.#opened(answer, null),
      ),
    ];
  }

  #reopen(sessionId: string): Effect[] {
    const capabilities = this.#agent.agentCapabilities;
    // Resuming is loading without the agent repeating the whole conversation.
    const methods = [
      ...(capabilities?.sessionCapabilities?.resume === undefined ? [] : ['session/resume']),
      ...(capabilities?.loadSession === true ? ['session/load'] : []),
    ];
    return this.#attempt(methods, sessionId, 'it cannot resume conversations');
  }

  /** Tries the methods one after the other; `reason` says why those before have failed. */
  #attempt([method, ...rest]: readonly string[], sessionId: string, reason: string): Effect[] {
    if (method === undefined) return [say(notResumed(reason)), ...this.#openNew()];
    return [
      this.#open(method, { sessionId }, (answer) =>
        'error' in answer ? this.#attempt(rest, sessionId, rpcReason(answer.error)) : this.#opened(answer, sessionId),
      ),
    ];
  }

  /** Sends `method`, once more after signing in when the agent asks for that. */
  #open(method: string, more: object, done: (answer: RpcAnswer) => Effect[]): Effect {
    const params: NewSessionRequest = {
      cwd: this.#launch.cwd,
      mcpServers: toMcpServers(this.#launch.mcp, this.#agent.agentCapabilities?.mcpCapabilities?.http === true),
    };
    return this.#peer.call(method, { ...params, ...more }, (answer) => {
      const methodId = 'error' in answer && answer.error.code === AUTH_REQUIRED ? this.#signInMethod() : undefined;
      if (methodId === undefined) return done(answer);
      this.#hasSignedIn = true;
      return [
        this.#peer.call('authenticate', { methodId }, (signedIn) =>
          'error' in signedIn ? done(answer) : [this.#open(method, more, done)],
        ),
      ];
    });
  }

  /** Some agents take a key from a variable only when they are told to, and only when they know no other sign-in. It is tried once. */
  #signInMethod(): string | undefined {
    if (this.#hasSignedIn) return undefined;
    const given = { ...this.#launch.secrets, ...this.#launch.userEnv };
    return this.#agent.authMethods?.find(
      ({ type, vars = [] }) => type === 'env_var' && vars.length > 0 && vars.every(({ name }) => Object.hasOwn(given, name)),
    )?.id;
  }

  #opened(answer: Exclude<RpcAnswer, { error: unknown }>, resumed: string | null): Effect[] {
    const parsed = SessionAnswer.safeParse(answer.result ?? {});
    const sessionId = parsed.success ? (parsed.data.sessionId ?? resumed) : resumed;
    if (!parsed.success || sessionId === null) return this.#fail(startError(explain('session_not_understood')));
    const { modes, models, defaultMode } = this.#settings.read(parsed.data);
    const version = versionIn(this.#agent.agentInfo?.version);
    const { image, embeddedContext } = this.#agent.agentCapabilities?.promptCapabilities ?? {};
    const takes = { images: image === true, embedded: embeddedContext === true };
    return this.#settings.apply(sessionId, this.#launch.settings, () => [
      ...(this.#launch.isProbe ? [] : [say({ type: 'bound', engineSessionId: sessionId })]),
      say({
        type: 'ready',
        modes,
        models,
        ...(defaultMode === undefined ? {} : { defaultMode }),
        ...(version === undefined ? {} : { version }),
      }),
      ...this.#begin({ sessionId, takes, isNew: resumed === null }),
    ]);
  }
}

/** The version alone: some agents add what they were built from. */
const versionIn = (text: string | undefined): string | undefined => /^\S+/.exec(text ?? '')?.[0];

const startError = (reason: Said): ErrorBody => new CompanionError('ENGINE_START_FAILED', reason).toBody();

const notResumed = (reason: string) =>
  ({
    type: 'notice',
    level: 'warning',
    ...notice('not_resumed', { reason }),
  }) as const;
