/** Codex sessions for tests: one that is ready, one in the midst of a turn. */
import { codex } from '#companion/engines/codex.ts';
import type { LaunchOptions } from '#companion/engines/engine.ts';
import { promptOf, startSession, type CodecSession } from './codec-stage.ts';

export const THREAD = 'thread-1';
export const TURN = 'turn-1';

/** Answers what codex is asked before it opens a thread. */
export const greet = (session: CodecSession, account: { account: unknown; requiresOpenaiAuth: boolean }): void => {
  session.answers('initialize', { result: { userAgent: 'pilotfish/0.169.0 (Debian)' } });
  session.answers('model/list', {
    result: { data: [{ id: 'gpt-6', displayName: 'GPT-6', isDefault: true, supportedReasoningEfforts: [{ reasoningEffort: 'high' }] }] },
  });
  session.answers('account/read', { result: account });
};

export const NO_LOGIN_NEEDED = { account: null, requiresOpenaiAuth: false };

export const ready = (options: Partial<LaunchOptions> = {}, servers: Record<string, unknown> = {}): CodecSession => {
  const session = startSession(codex, options);
  greet(session, NO_LOGIN_NEEDED);
  session.answers('config/read', { result: { config: { mcp_servers: servers } } });
  const opening = session.lastOf('thread/resume') === undefined ? 'thread/start' : 'thread/resume';
  session.answers(opening, { result: { thread: { id: THREAD }, model: 'gpt-6' } });
  return session;
};

/** With a turn that codex has begun. */
export const running = (options: Partial<LaunchOptions> = {}): CodecSession => {
  const session = ready(options);
  session.take(session.codec.prompt(promptOf('hello')));
  session.answers('turn/start', { result: { turn: { id: TURN } } });
  return session;
};

export const itemStarted = (item: object): object => ({ method: 'item/started', params: { threadId: THREAD, turnId: TURN, item } });
export const itemCompleted = (item: object): object => ({ method: 'item/completed', params: { threadId: THREAD, turnId: TURN, item } });
export const turnCompleted = (status: string, error: object | null = null): object => ({
  method: 'turn/completed',
  params: { threadId: THREAD, turn: { id: TURN, status, error } },
});

export const command = (more: object = {}): object => ({
  type: 'commandExecution',
  id: 'call-1',
  command: "/bin/bash -lc 'npm test'",
  cwd: '<workspace>',
  status: 'inProgress',
  commandActions: [{ type: 'unknown', command: 'npm test' }],
  ...more,
});
