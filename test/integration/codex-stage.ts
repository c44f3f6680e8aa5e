/** Where the real codex is put to the test, and what a test looks at. */
import type { ItemStatus, ItemBody } from '#protocol/items.ts';
import type { SessionView } from '#protocol/view.ts';
import type { Home } from '#test/fixtures/home.ts';
import { subjects, type Subject } from './engine-stage.ts';

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
