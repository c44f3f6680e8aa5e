/** What is said between the start of the process and a thread that takes turns. */
import * as z from 'zod';
import type { CommandInfo, ModelInfo } from '#protocol/engines.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { notice } from '#protocol/notices.ts';
import type { RpcAnswer, RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { Effect, LaunchOptions } from '../engine.ts';
import { AccountAnswer, ConfigAnswer, ModelsAnswer, ThreadAnswer } from './schema.ts';
import { initializeParams, threadParams } from './settings.ts';
import { commandsOf, skillsIn } from './slash.ts';
import { noBrowser } from './thread-events.ts';

export interface Thread {
  readonly threadId: string;
  /** The model that the user's own configuration names, to go back to; null when that is not known. */
  readonly defaultModel: string | null;
  /** The name of the MCP server with the browser tools in this thread; null when there is none. */
  readonly serverName: string | null;
}

interface Outcome {
  /** Called when there is a thread; returns what follows `ready`. */
  readonly begin: (thread: Thread) => Effect[];
  readonly fail: (error: ErrorBody) => Effect[];
}

/** The requests from `initialize` to an open thread. A health check ends before there is a thread. */
export class Handshake {
  readonly #peer: RpcPeer;
  readonly #options: LaunchOptions;
  readonly #outcome: Outcome;
  #version: string | undefined;
  /** Null when nobody is logged in and nobody need be, because the user's configuration names a provider of its own. */
  #account: string | null | undefined;
  #models: readonly ModelInfo[] | undefined;
  /** Told to a check only. */
  #commands: readonly CommandInfo[] | undefined;
  #userDefault: string | null = null;
  /** Undefined until the user's configuration has been read. */
  #serverName: string | null | undefined;

  constructor(peer: RpcPeer, options: LaunchOptions, outcome: Outcome) {
    this.#peer = peer;
    this.#options = options;
    this.#outcome = outcome;
    this.#serverName = options.mcp === null ? null : undefined;
  }

  start(): Effect[] {
    return [
      this.#peer.call('initialize', initializeParams, (answer) => {
        if ('error' in answer) return this.#fail(answer.error.message);
        const parsed = InitializeAnswer.safeParse(answer.result);
        this.#version = parsed.success ? VERSION_IN_AGENT.exec(parsed.data.userAgent)?.[1] : undefined;
        const needsConfig = !this.#options.isProbe && this.#options.mcp !== null;
        const asks = [this.#readModels(), this.#readAccount()];
        if (needsConfig) asks.push(this.#readConfig());
        // What is offered is told once, to the check; a prompt that begins with a command asks for itself.
        if (this.#options.isProbe) asks.push(this.#readCommands());
        return [this.#peer.notify('initialized'), ...asks];
      }),
    ];
  }

  #readModels(): Effect {
    return this.#peer.call('model/list', {}, (answer) => {
      const parsed = ModelsAnswer.safeParse('result' in answer ? answer.result : undefined);
      const listed = parsed.success ? parsed.data.data.filter((model) => model.hidden !== true) : [];
      this.#userDefault = listed.find((model) => model.isDefault === true)?.id ?? null;
      this.#models = listed.map(({ id, displayName, supportedReasoningEfforts }) => ({
        modelId: id,
        label: displayName,
        efforts: supportedReasoningEfforts.map(({ reasoningEffort }) => reasoningEffort),
      }));
      return this.#options.isProbe ? this.#proceed() : [];
    });
  }

  #readAccount(): Effect {
    return this.#peer.call('account/read', {}, (answer) => {
      const parsed = AccountAnswer.safeParse('result' in answer ? answer.result : undefined);
      if (parsed.success && parsed.data.account === null && parsed.data.requiresOpenaiAuth) {
        return this.#outcome.fail(new CompanionError('ENGINE_NOT_LOGGED_IN').toBody());
      }
      this.#account = parsed.success ? accountName(parsed.data.account) : null;
      return this.#proceed();
    });
  }

  #readCommands(): Effect {
    return this.#peer.call('skills/list', {}, (answer) => {
      this.#commands = commandsOf(skillsIn(answer));
      return this.#proceed();
    });
  }

  #readConfig(): Effect {
    return this.#peer.call('config/read', {}, (answer) => {
      const parsed = ConfigAnswer.safeParse('result' in answer ? answer.result : undefined);
      const taken = Object.keys(parsed.success ? (parsed.data.config.mcp_servers ?? {}) : {});
      this.#serverName = this.#options.mcp === null ? null : freeName(this.#options.mcp.serverName, taken);
      return this.#proceed();
    });
  }

  /** Goes on once everything is known that the next step needs. */
  #proceed(): Effect[] {
    if (this.#account === undefined) return [];
    if (this.#options.isProbe) return this.#models === undefined || this.#commands === undefined ? [] : [this.#ready()];
    return this.#serverName === undefined ? [] : this.#openThread(this.#options.engineSessionId);
  }

  #openThread(resumed: string | null): Effect[] {
    const params = threadParams(this.#options, this.#serverName ?? null);
    if (resumed === null) {
      return [this.#peer.call('thread/start', params, (answer) => this.#withoutServer(answer, resumed) ?? this.#opened(answer))];
    }
    // A project may have moved since: a resumed thread is told its folder, which unlike at the start changes nothing of the user's.
    const moved = { ...params, threadId: resumed, cwd: this.#options.cwd, excludeTurns: true };
    return [
      this.#peer.call('thread/resume', moved, (answer) => {
        const again = this.#withoutServer(answer, resumed);
        if (again !== null) return again;
        return 'error' in answer ? [say(notResumed(answer.error.message)), ...this.#openThread(null)] : this.#opened(answer);
      }),
    ];
  }

  /** A thread does without the browser tools when they cannot be reached: the next try to open it; null when the answer is not about them. */
  #withoutServer(answer: RpcAnswer, resumed: string | null): Effect[] | null {
    const reason = 'error' in answer ? REQUIRED_SERVERS_FAILED.exec(answer.error.message)?.[1] : undefined;
    if (reason === undefined || typeof this.#serverName !== 'string' || !reason.includes(`${this.#serverName}: `)) return null;
    this.#serverName = null;
    return [say(noBrowser(reason)), ...this.#openThread(resumed)];
  }

  #opened(answer: RpcAnswer): Effect[] {
    if ('error' in answer) return this.#fail(answer.error.message);
    const parsed = ThreadAnswer.safeParse(answer.result);
    if (!parsed.success) return this.#fail('the answer to thread/start is not understood');
    const { thread, model } = parsed.data;
    const follows = this.#outcome.begin({
      threadId: thread.id,
      defaultModel: this.#options.settings.model === null ? model : this.#userDefault,
      serverName: this.#serverName ?? null,
    });
    return [say({ type: 'bound', engineSessionId: thread.id }), this.#ready(), ...follows];
  }

  #ready(): Effect {
    return say({
      type: 'ready',
      ...(this.#account === undefined || this.#account === null ? {} : { account: this.#account }),
      ...(this.#version === undefined ? {} : { version: this.#version }),
      ...(this.#models === undefined ? {} : { models: this.#models }),
      ...(this.#commands === undefined ? {} : { commands: this.#commands }),
    });
  }

  #fail(reason: string): Effect[] {
    return this.#outcome.fail(new CompanionError('ENGINE_START_FAILED', reason).toBody());
  }
}

const InitializeAnswer = z.object({ userAgent: z.string() });
const VERSION_IN_AGENT = /^[^/\s]+\/(\d[^\s]*)/;

/** Its own words when a server does not start that the thread must have. */
const REQUIRED_SERVERS_FAILED = /required MCP servers failed to initialize: (.*)/s;

const notResumed = (reason: string) =>
  ({
    type: 'notice',
    level: 'warning',
    ...notice('not_resumed', { reason }),
  }) as const;

const accountName = (account: z.infer<typeof AccountAnswer>['account']): string | null => {
  if (account === null) return null;
  if (account.type === 'apiKey') return 'API key';
  const plan = account.planType ?? undefined;
  return [account.email ?? account.type, plan === undefined ? undefined : `(${plan})`].filter((part) => part !== undefined).join(' ');
};

/** Codex merges two servers of the same name field by field, so the name must not be one of the user's servers. */
const freeName = (wanted: string, taken: readonly string[]): string => {
  if (!taken.includes(wanted)) return wanted;
  const suffix = Array.from({ length: taken.length + 1 }, (_, index) => index + 2).find((number) => !taken.includes(`${wanted}_${number}`));
  return `${wanted}_${suffix ?? 0}`;
};
