/** From the spawn to a session that takes prompts. */
import type { InitializeRequest, NewSessionRequest } from '@agentclientprotocol/sdk';
import type * as z from 'zod';
import type { RpcAnswer, RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { VERSION } from '#protocol/version.ts';
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
  /** A conversation without a past: it has not been told the system prompt yet. */
  readonly isNew: boolean;
}

interface Options {
  readonly peer: RpcPeer;
  readonly spec: AcpSpec;
  readonly launch: LaunchOptions;
  readonly settings: Settings;
  /** There is a session; what follows `ready`. */
  readonly begin: (session: Session) => Effect[];
  readonly fail: (error: ErrorBody) => Effect[];
}

export const handshake = ({ peer, spec, launch, settings, begin, fail }: Options): Effect[] => {
  let agent: z.infer<typeof InitializeAnswer> = {};

  const params = (): NewSessionRequest => ({
    cwd: launch.cwd,
    mcpServers: toMcpServers(launch.mcp, agent.agentCapabilities?.mcpCapabilities?.http === true),
  });

  /** Tried once: agents that take a key from a variable want to be told to, and only when they have no other sign-in. */
  let signIn: () => string | undefined = () => {
    signIn = () => undefined;
    const given = { ...launch.secrets, ...launch.userEnv };
    return agent.authMethods?.find(
      ({ type, vars = [] }) => type === 'env_var' && vars.length > 0 && vars.every(({ name }) => Object.hasOwn(given, name)),
    )?.id;
  };

  const open = (method: string, more: object, done: (answer: RpcAnswer) => Effect[]): Effect =>
    peer.call(method, { ...params(), ...more }, (answer) => {
      const methodId = 'error' in answer && answer.error.code === AUTH_REQUIRED ? signIn() : undefined;
      if (methodId === undefined) return done(answer);
      return [peer.call('authenticate', { methodId }, (signedIn) => ('error' in signedIn ? done(answer) : [open(method, more, done)]))];
    });

  const openNew = (): Effect[] => [
    open('session/new', {}, (answer) => ('error' in answer ? fail(rpcFailure(answer.error, spec)) : opened(answer, null))),
  ];

  const reopen = (sessionId: string): Effect[] => {
    const capabilities = agent.agentCapabilities;
    const failed = (reason: string): Effect[] => [say(notResumed(reason)), ...openNew()];
    // Resuming is loading without the agent repeating the whole conversation.
    const methods = [
      ...(capabilities?.sessionCapabilities?.resume === undefined ? [] : ['session/resume']),
      ...(capabilities?.loadSession === true ? ['session/load'] : []),
    ];
    const attempt = ([method, ...rest]: readonly string[], reason: string): Effect[] =>
      method === undefined
        ? failed(reason)
        : [
            open(method, { sessionId }, (answer) =>
              'error' in answer ? attempt(rest, rpcReason(answer.error)) : opened(answer, sessionId),
            ),
          ];
    return attempt(methods, 'it cannot resume conversations');
  };

  const opened = (answer: Exclude<RpcAnswer, { error: unknown }>, resumed: string | null): Effect[] => {
    const parsed = SessionAnswer.safeParse(answer.result ?? {});
    const sessionId = parsed.success ? (parsed.data.sessionId ?? resumed) : resumed;
    if (!parsed.success || sessionId === null) return fail(startError('the answer to session/new is not understood'));
    const { modes, models, defaultMode } = settings.read(parsed.data);
    const version = versionIn(agent.agentInfo?.version);
    const { image, embeddedContext } = agent.agentCapabilities?.promptCapabilities ?? {};
    const takes = { images: image === true, embedded: embeddedContext === true };
    return settings.apply(sessionId, launch.settings, () => [
      ...(launch.isProbe ? [] : [say({ type: 'bound', engineSessionId: sessionId })]),
      say({
        type: 'ready',
        modes,
        models,
        ...(defaultMode === undefined ? {} : { defaultMode }),
        ...(version === undefined ? {} : { version }),
      }),
      ...begin({ sessionId, takes, isNew: resumed === null }),
    ]);
  };

  return [
    peer.call(
      'initialize',
      {
        protocolVersion: 1,
        clientInfo: { name: 'pilotfish', title: 'Pilotfish', version: VERSION },
        clientCapabilities: serviceCapabilities(spec.usesServices ?? true),
      } satisfies InitializeRequest,
      (answer) => {
        if ('error' in answer) return fail(rpcFailure(answer.error, spec));
        const parsed = InitializeAnswer.safeParse(answer.result);
        if (!parsed.success) return fail(startError('the answer to initialize is not understood'));
        agent = parsed.data;
        return launch.engineSessionId === null ? openNew() : reopen(launch.engineSessionId);
      },
    ),
  ];
};

/** Some add to it what it was built from. */
const versionIn = (text: string | undefined): string | undefined => /^\S+/.exec(text ?? '')?.[0];

const startError = (reason: string): ErrorBody => new CompanionError('ENGINE_START_FAILED', reason).toBody();

const notResumed = (reason: string) =>
  ({
    type: 'notice',
    level: 'warning',
    text: `The agent no longer has this conversation and starts without its memory of it (${reason}).`,
  }) as const;
