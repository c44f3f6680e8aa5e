/** One tool call on behalf of a session: which page, may it, then do it. Every way into the browser leads through here. */
import { TOOL_CLASS_META, type Grant, type TabTarget, type ToolClass, type ToolInfo, type ToolResult } from '#protocol/browser.ts';
import { CompanionError, toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { CallId, SessionId } from '#protocol/ids.ts';
import type { Bridge } from '#companion/browser/bridge.ts';
import type { Log } from '#companion/lib/log.ts';
import { decideCall } from '#companion/policy/policy.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import { createConsent } from './consent.ts';
import { isOwnAddress, originOfAddress } from './own-address.ts';

export type Progress = Parameters<NonNullable<Parameters<Bridge['call']>[1]['onProgress']>>[0];

export interface CallOptions {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface ToolCaller {
  /** Never rejects: what went wrong is the result, in words a model can act on. */
  call(options: CallOptions): Promise<ToolResult>;
}

export interface CallerDeps {
  readonly bridge: Pick<Bridge, 'tools' | 'resolveTab' | 'call'>;
  readonly sessions: Pick<Sessions, 'ask' | 'recordCall' | 'subscribe'>;
  readonly grants: { list(): Grant[]; add(grant: Grant): void };
  /** The daemon's own loopback port: no tool opens it. */
  readonly port: () => number;
  readonly log: Log;
  readonly now?: () => number;
}

/** While the user thinks, the page may go elsewhere; then the question is another one. */
const MAX_QUESTIONS = 3;

export const createToolCaller = (deps: CallerDeps): ToolCaller => {
  const { bridge, sessions, grants, port, log, now = Date.now } = deps;
  const consent = createConsent({ sessions, grants, now });

  /** Resolves with the page the call was allowed for; throws when it was not. */
  const allow = async (
    tool: ToolInfo,
    { sessionId, args, signal, onProgress }: CallOptions,
  ): Promise<{ target: TabTarget | null; rule: string }> => {
    const toolClass = tool._meta[TOOL_CLASS_META];
    // Looking and navigating are decided without a question to the browser: they must stay fast.
    const resolve = (): Promise<TabTarget | null> =>
      toolClass === 'write' || toolClass === 'sensitive'
        ? bridge.resolveTab(sessionId, tool.name, args, signal, onProgress)
        : Promise.resolve(null);
    for (let question = 0; ; question += 1) {
      const target = await resolve();
      const origin = originOf(toolClass, args, target);
      const decide = () => decideCall({ toolClass, tool: tool.name, origin, sessionId, grants: grants.list(), now: now() });
      const { decision, rule } = decide();
      if (decision === 'allow') return { target, rule };
      if (decision === 'deny')
        throw new CompanionError(toolClass === 'navigate' ? 'URL_NOT_ALLOWED' : 'CONSENT_DENIED', `${tool.name}: ${rule}.`);
      if (question === MAX_QUESTIONS) throw new CompanionError('CONSENT_DENIED', 'The page changed each time while the user was asked.');
      onProgress({ progress: 0, message: 'Waiting for the user to allow this.' });
      const answer = await consent.ask({ sessionId, tool: tool.name, toolClass, args, target, origin, decide, signal });
      const after = await resolve();
      if (originOf(toolClass, args, after) === origin) return { target: after, rule: answer };
    }
  };

  const run = async (options: CallOptions): Promise<ToolResult> => {
    const { sessionId, callId, name, args, signal, onProgress } = options;
    const tool = bridge.tools().find((candidate) => candidate.name === name);
    if (tool === undefined) throw new CompanionError('TOOL_UNKNOWN', `"${name}".`);
    const url = args['url'];
    if (typeof url === 'string' && isOwnAddress(url, port())) throw new CompanionError('URL_NOT_ALLOWED', `${url} is Pilotfish itself.`);
    const { target, rule } = await allow(tool, options);
    log.info('tool.allowed', { sessionId, callId, name, origin: target?.origin ?? null, rule });
    return bridge.call(
      { sessionId, callId, name, args, ...(target === null ? {} : { target: { tabId: target.tabId, origin: target.origin } }) },
      { signal, onProgress },
    );
  };

  return {
    call: async (given) => {
      // Whoever stops the turn stops what it does in the browser, without waiting for the agent to cancel it (S37).
      const stop = new AbortController();
      const options = { ...given, signal: AbortSignal.any([given.signal, stop.signal]) };
      const { sessionId, name, args, callId, signal } = options;
      const startedAt = now();
      let record: { finish(result: ToolResult | ErrorBody): void } | null = null;
      let unsubscribe = (): void => {};
      try {
        unsubscribe = sessions.subscribe(sessionId, (event) => {
          if (event.type === 'turn.cancelling') stop.abort();
        });
        record = sessions.recordCall(sessionId, { name, args, title: titleOf(name, args) });
        const result = await run(options);
        const ms = now() - startedAt;
        afterAnswer(() => {
          record?.finish(result);
          log.info('tool.called', { sessionId, callId, name, isError: result.isError === true, ms });
        });
        return result;
      } catch (thrown) {
        const error = toErrorBody(signal.aborted && !(thrown instanceof CompanionError) ? new CompanionError('CALL_CANCELLED') : thrown);
        record?.finish(error);
        log.warn('tool.failed', { sessionId, callId, name, code: error.code, error: error.message, ms: now() - startedAt });
        return toErrorResult(error);
      } finally {
        unsubscribe();
      }
    },
  };
};

/** The caller need not wait for the disk; it also hears of nothing else before this has run. */
const afterAnswer = (work: () => void): void => void setImmediate(work);

/** An error as a tool result: the model reads it, so it says what to do. */
const toErrorResult = ({ code, message, remedy }: ErrorBody): ToolResult => ({
  content: [{ type: 'text', text: `${code}: ${message} ${remedy}` }],
  isError: true,
});

/** Where a call acts: a navigation at its address, everything else at the page it is on. */
const originOf = (toolClass: ToolClass, args: Record<string, unknown>, target: TabTarget | null): string | null => {
  const url = args['url'];
  if (toolClass !== 'navigate' || typeof url !== 'string') return target?.origin ?? null;
  return originOfAddress(url);
};

/** One line for a person: the tool and what it is aimed at. */
const titleOf = (name: string, args: Record<string, unknown>): string => {
  const aim = [args['url'], args['element'], args['selector'], args['ref'], args['text'], args['action']].find(
    (value): value is string => typeof value === 'string' && value !== '',
  );
  return aim === undefined ? name : `${name} ${aim.slice(0, 200)}`;
};
