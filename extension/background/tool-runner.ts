/** Runs tool calls: arguments, tab, queue, deadline, journal, and errors as results a model can act on. The same door for every tool. */
import type { TabTarget, ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { CallId, SessionId } from '#protocol/ids.ts';
import { toAim } from '#extension/tools/aim.ts';
import { tools } from '#extension/tools/index.ts';
import { PageError } from '#extension/tools/page-error.ts';
import { envelope } from '#extension/tools/result.ts';
import type { Tool } from '#extension/tools/tool.ts';
import { checkPage } from '#extension/shared/addresses.ts';
import type { Journal } from './journal.ts';
import { createKeyedQueue, orAborted } from './queue.ts';
import { existing } from './tabs.ts';
import type { World } from './world.ts';

/** Until a stopped call has let go of its page; the caller hears of it within 200 ms (S37). */
const LET_GO_MS = 120;

export interface RunnerCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly callId: CallId;
  readonly sessionId: SessionId;
  /** What the companion's policy decided about. */
  readonly target: { readonly tabId: number; readonly origin: string } | null;
  readonly signal: AbortSignal;
}

export interface ToolRunner {
  /** Never rejects: what went wrong is the result. */
  call(call: RunnerCall): Promise<ToolResult>;
  /** Where a call would act; null when it acts on no page in particular. */
  resolveTab(call: { sessionId: SessionId; name: string; args: Record<string, unknown> }): Promise<TabTarget | null>;
}

export const createToolRunner = (world: World, journal: Journal): ToolRunner => {
  const queue = createKeyedQueue();
  /** Calls that run now: one that is sent again is the same call. */
  const running = new Map<CallId, { readonly result: Promise<ToolResult>; readonly abort: AbortController }>();

  const run = async (tool: Tool, call: RunnerCall, signal: AbortSignal): Promise<ToolResult> => {
    const fault = tool.check(call.args);
    if (fault !== null) throw new CompanionError('TOOL_ARGUMENTS', `${call.name}: ${fault}`);
    const tabId = await chooseTab(tool, call);
    return queue.run(tabId === null ? `session ${call.sessionId}` : `tab ${tabId}`, signal, () => runOn(tool, call, tabId, signal));
  };

  const chooseTab = async (tool: Tool, { sessionId, args, target }: RunnerCall): Promise<number | null> => {
    if (tool.scope === 'browser') return null;
    const asked = typeof args['tabId'] === 'number' ? args['tabId'] : undefined;
    const chosen = await world.choice.choose(sessionId, target?.tabId ?? asked, tool.scope === 'tab');
    return chosen ?? world.choice.open(sessionId);
  };

  const runOn = async (tool: Tool, call: RunnerCall, tabId: number | null, outer: AbortSignal): Promise<ToolResult> => {
    const limit = new AbortController();
    const timer = setTimeout(
      () => limit.abort(new CompanionError('TOOL_TIMEOUT', `${tool.name} ran for ${tool.timeoutMs / 1000} s.`)),
      tool.timeoutMs,
    );
    const signal = AbortSignal.any([outer, limit.signal]);
    try {
      if (tabId !== null && tool.scope === 'page') {
        await world.contextFor(call.sessionId, tabId, signal).page.wake();
        await checkTarget(tool, call, tabId);
      }
      if (!tool.isReading(call.args)) await journal.begin(call.callId);
      signal.throwIfAborted();
      const work = tool.run(call.args, world.contextFor(call.sessionId, tabId, signal));
      return await orAborted(work, signal).catch(async (error: unknown) => {
        if (signal.aborted) await Promise.race([work.catch(() => null), new Promise((resolve) => setTimeout(resolve, LET_GO_MS))]);
        if (error instanceof PageError && tabId !== null) error.url = (await existing(tabId)).url ?? '';
        throw error;
      });
    } finally {
      clearTimeout(timer);
    }
  };

  /** While the user was asked, or the call waited in its queue, the tab may have gone elsewhere. */
  const checkTarget = async (tool: Tool, { args, target }: RunnerCall, tabId: number): Promise<void> => {
    const now = await targetOf(tabId, args);
    checkPage(now.url, world.ownPort());
    if (tool.toolClass === 'read' || target === null || target.origin === now.origin) return;
    throw new CompanionError('TOOL_FAILED', `The page moved from ${target.origin} to ${now.origin} before ${tool.name} could run.`);
  };

  /** A ref may lead into a frame of another origin: then that origin is what a consent is about. */
  const targetOf = async (tabId: number, args: Record<string, unknown>): Promise<TabTarget> => {
    const frameId = typeof args['target'] === 'string' ? toAim(args['target']).frameId : 0;
    const { url, title } = await world.pageOf(tabId).info();
    return { tabId, url, title, origin: await world.originOf(tabId, frameId, url) };
  };

  const once = async (tool: Tool, call: RunnerCall): Promise<ToolResult> => {
    const isJournalled = !tool.isReading(call.args);
    if (isJournalled) {
      const known = await journal.find(call.callId);
      if (known === 'begun') return toErrorResult(new CompanionError('WORKER_RESTARTED'));
      if (known !== 'new') return known;
    }
    const result = await run(tool, call, call.signal).catch(toErrorResult);
    // Not waited for: should the worker die now, the call counts as begun, and is not repeated either.
    if (isJournalled) void journal.finish(call.callId, result);
    return result;
  };

  const begin = (tool: Tool, call: RunnerCall): { result: Promise<ToolResult>; abort: AbortController } => {
    const abort = new AbortController();
    const result = once(tool, { ...call, signal: abort.signal }).finally(() => running.delete(call.callId));
    const entry = { result, abort };
    running.set(call.callId, entry);
    return entry;
  };

  return {
    call: (call) => {
      const tool = tools.find((candidate) => candidate.name === call.name);
      if (tool === undefined) return Promise.resolve(toErrorResult(new CompanionError('TOOL_UNKNOWN', `"${call.name}".`)));
      const same = running.get(call.callId) ?? begin(tool, call);
      call.signal.addEventListener('abort', () => same.abort.abort(call.signal.reason));
      return same.result;
    },
    resolveTab: async ({ sessionId, name, args }) => {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new CompanionError('TOOL_UNKNOWN', `"${name}".`);
      if (tool.scope !== 'page') return null;
      const asked = typeof args['tabId'] === 'number' ? args['tabId'] : undefined;
      const tabId = await world.choice.choose(sessionId, asked, false);
      return tabId === null ? null : targetOf(tabId, args);
    },
  };
};

const toErrorResult = (error: unknown): ToolResult => {
  const known =
    error instanceof CompanionError ? error : new CompanionError('TOOL_FAILED', error instanceof Error ? error.message : String(error));
  const fromPage = known instanceof PageError && known.fromPage !== '' ? `\n${envelope(known.url, known.fromPage)}` : '';
  return {
    content: [{ type: 'text', text: `${known.code}: ${known.message} ${known.remedy}${fromPage}` }],
    isError: true,
    _meta: { 'pilotfish/error': known.toBody() },
  };
};
