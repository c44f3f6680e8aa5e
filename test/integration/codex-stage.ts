/** Where the real codex is put to the test: how its questions are answered, and what a test looks at. */
import { expect } from 'vitest';
import type { ItemStatus, ItemBody } from '#protocol/items.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import type { SessionView } from '#protocol/view.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import type { Conversation } from '#test/fixtures/conversation.ts';
import type { Home } from '#test/fixtures/home.ts';
import { isDone, subjects, type Subject } from './engine-stage.ts';

const findSubject = (): Subject => {
  const found = subjects.find(({ name }) => name === 'codex');
  if (found === undefined) throw new Error('codex is no subject');
  return found;
};

export const codex: Subject = findSubject();

/** Sessions by what codex may do without a question. */
export const modes = {
  project: { permissionMode: 'default' },
  readOnly: { permissionMode: 'read-only' },
  everything: { permissionMode: 'full-access' },
} as const;

/** Waits for the next question and answers it with the option of that id or kind; resolves with what was asked. */
export const answerNext = async (
  companion: Companion,
  conversation: Conversation,
  wanted: string,
  more: Omit<RequestAnswer, 'optionId'> = {},
): Promise<RequestBody> => {
  const [open] = (await conversation.waitFor((view) => view.requests.length > 0)).requests;
  const option = open?.request.options.find(({ optionId, kind }) => optionId === wanted || kind === wanted);
  if (open === undefined || option === undefined) throw new Error(`no option ${wanted} in ${JSON.stringify(open)}`);
  const url = `/api/agent-sessions/${conversation.sessionId}/requests/${open.requestId}`;
  const { status } = await companion.api.send('POST', url, { optionId: option.optionId, ...more });
  expect(status).toBeLessThan(300);
  await conversation.waitFor((view) => view.requests.every(({ requestId }) => requestId !== open.requestId));
  return open.request;
};

export const turnsDone = (conversation: Conversation, count: number): Promise<SessionView> =>
  conversation.waitFor((view) => view.turns.length === count && isDone(view));

type Tool = Extract<ItemBody, { kind: 'tool' }> & { readonly status: ItemStatus };

export const toolsOf = (view: SessionView): Tool[] =>
  view.items.flatMap(({ body, status }) => (body.kind === 'tool' ? [{ ...body, status }] : []));

/** Processes of codex itself, without the launcher that npm puts before it. */
export const codexProcesses = (home: Home): { pid: number; command: string }[] =>
  home.processes().filter(({ command }) => /^\S*\/codex app-server /.test(command));

/** The model's call that changes files by these lines. */
export const patch = (...lines: string[]): { tool: string; input: Record<string, unknown> } => ({
  tool: 'apply_patch',
  input: { patch: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n') },
});
