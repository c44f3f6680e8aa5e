/** From the spawn to a thread that takes turns. */
import * as z from 'zod';
import type { ModelInfo } from '#protocol/engines.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { Effect, LaunchOptions } from '../engine.ts';
import { AccountAnswer, ConfigAnswer, ModelsAnswer, ThreadAnswer } from './schema.ts';
import { initializeParams, threadParams } from './settings.ts';

export interface Thread {
  readonly threadId: string;
  /** What the user's own configuration says, to go back to; null when that is not known. */
  readonly defaultModel: string | null;
  /** Name the MCP server with the browser tools has in it. */
  readonly serverName: string | null;
}

interface Outcome {
  /** There is a thread; what follows `ready`. */
  readonly begin: (thread: Thread) => Effect[];
  readonly fail: (error: ErrorBody) => Effect[];
}

/** The effects that begin it. A health check ends before there is a thread. */
export const handshake = (peer: RpcPeer, options: LaunchOptions, { begin, fail }: Outcome): Effect[] => {
  const startFailed = (reason: string): Effect[] => fail(new CompanionError('ENGINE_START_FAILED', reason).toBody());

  let version: string | undefined;
  /** Null: nobody is logged in, and nobody need be, as the user's configuration names a provider of its own. */
  let account: string | null | undefined;
  let models: readonly ModelInfo[] | undefined;
  let userDefault: string | null = null;
  let serverName: string | null | undefined = options.mcp === null ? null : undefined;

  const ready = (): Effect =>
    say({
      type: 'ready',
      ...(account === undefined || account === null ? {} : { account }),
      ...(version === undefined ? {} : { version }),
      ...(models === undefined ? {} : { models }),
    });

  // A project may have moved since: a resumed thread is told its folder, which unlike at the start changes nothing of the user's.
  const openThread = (resumed: string | null): Effect[] => {
    const params = threadParams(options, serverName ?? null);
    return resumed === null
      ? [peer.call('thread/start', params, opened)]
      : [
          peer.call('thread/resume', { ...params, threadId: resumed, cwd: options.cwd, excludeTurns: true }, (answer) =>
            'error' in answer ? [say(notResumed(answer.error.message)), ...openThread(null)] : opened(answer),
          ),
        ];
  };

  const opened = (answer: Parameters<Parameters<RpcPeer['call']>[2]>[0]): Effect[] => {
    if ('error' in answer) return startFailed(answer.error.message);
    const parsed = ThreadAnswer.safeParse(answer.result);
    if (!parsed.success) return startFailed('the answer to thread/start is not understood');
    const { thread, model } = parsed.data;
    const follows = begin({
      threadId: thread.id,
      defaultModel: options.settings.model === null ? model : userDefault,
      serverName: serverName ?? null,
    });
    return [say({ type: 'bound', engineSessionId: thread.id }), ready(), ...follows];
  };

  /** Goes on once all is known that the next step needs. */
  const proceed = (): Effect[] => {
    if (account === undefined) return [];
    if (options.isProbe) return models === undefined ? [] : [ready()];
    return serverName === undefined ? [] : openThread(options.engineSessionId);
  };

  const readAccount = peer.call.bind(peer, 'account/read', {}, (answer) => {
    const parsed = AccountAnswer.safeParse('result' in answer ? answer.result : undefined);
    if (parsed.success && parsed.data.account === null && parsed.data.requiresOpenaiAuth) {
      return fail(new CompanionError('ENGINE_NOT_LOGGED_IN').toBody());
    }
    account = parsed.success ? accountName(parsed.data.account) : null;
    return proceed();
  });

  const readModels = peer.call.bind(peer, 'model/list', {}, (answer) => {
    const parsed = ModelsAnswer.safeParse('result' in answer ? answer.result : undefined);
    const listed = parsed.success ? parsed.data.data.filter((model) => model.hidden !== true) : [];
    userDefault = listed.find((model) => model.isDefault === true)?.id ?? null;
    models = listed.map(({ id, displayName, supportedReasoningEfforts }) => ({
      modelId: id,
      label: displayName,
      efforts: supportedReasoningEfforts.map(({ reasoningEffort }) => reasoningEffort),
    }));
    return options.isProbe ? proceed() : [];
  });

  const readConfig = peer.call.bind(peer, 'config/read', {}, (answer) => {
    const parsed = ConfigAnswer.safeParse('result' in answer ? answer.result : undefined);
    const taken = Object.keys(parsed.success ? (parsed.data.config.mcp_servers ?? {}) : {});
    serverName = options.mcp === null ? null : freeName(options.mcp.serverName, taken);
    return proceed();
  });

  return [
    peer.call('initialize', initializeParams, (answer) => {
      if ('error' in answer) return startFailed(answer.error.message);
      const parsed = InitializeAnswer.safeParse(answer.result);
      version = parsed.success ? VERSION_IN_AGENT.exec(parsed.data.userAgent)?.[1] : undefined;
      return [peer.notify('initialized'), readModels(), readAccount(), ...(options.isProbe || options.mcp === null ? [] : [readConfig()])];
    }),
  ];
};

const InitializeAnswer = z.object({ userAgent: z.string() });
const VERSION_IN_AGENT = /^[^/\s]+\/(\d[^\s]*)/;

const notResumed = (reason: string) =>
  ({
    type: 'notice',
    level: 'warning',
    text: `The agent no longer has this conversation and starts without its memory of it (${reason}).`,
  }) as const;

const accountName = (account: z.infer<typeof AccountAnswer>['account']): string | null => {
  if (account === null) return null;
  if (account.type === 'apiKey') return 'API key';
  const plan = account.planType ?? undefined;
  return [account.email ?? account.type, plan === undefined ? undefined : `(${plan})`].filter((part) => part !== undefined).join(' ');
};

/** Codex merges our server into the user's of the same name, field by field, so ours needs a name of its own. */
const freeName = (wanted: string, taken: readonly string[]): string => {
  if (!taken.includes(wanted)) return wanted;
  const suffix = Array.from({ length: taken.length + 1 }, (_, index) => index + 2).find((number) => !taken.includes(`${wanted}_${number}`));
  return `${wanted}_${suffix ?? 0}`;
};
