/** A session as one row of a list. */
import type { SessionSummary } from '#protocol/api.ts';
import { beginning } from '#protocol/beginning.ts';
import { backgroundTasks, type SessionView } from '#protocol/view.ts';
import { WorktreeSummary } from '#protocol/work.ts';

const PREVIEW_CHARS = 160;

/** The row that shows this view. */
export const summarize = (view: SessionView, createdAt: number): SessionSummary => ({
  id: view.sessionId,
  projectId: view.projectId,
  kind: view.kind,
  engineName: view.engine,
  name: view.name,
  model: view.settings.model,
  mode: view.settings.mode,
  status: view.status,
  lastOutcome: lastOutcome(view),
  engineSessionId: view.engineSessionId,
  openRequests: view.requests.length,
  backgroundTasks: backgroundTasks(view).length,
  ...(view.requests[0] === undefined ? {} : { requestKind: view.requests[0].request.kind }),
  preview: preview(view),
  messageCount: view.items.length,
  ...(view.isArchived ? { isArchived: true } : {}),
  ...(view.isPinned === true ? { isPinned: true } : {}),
  ...(view.usage.costUsd === undefined ? {} : { costUsd: view.usage.costUsd }),
  ...(view.seenAt === 0 ? {} : { seenAt: new Date(view.seenAt).toISOString() }),
  ...(view.forkedFrom === null ? {} : { forkedFrom: view.forkedFrom.sessionId }),
  ...(view.worktree === null ? {} : { worktree: WorktreeSummary.parse(view.worktree) }),
  createdAt: new Date(createdAt).toISOString(),
  updatedAt: new Date(Math.max(createdAt, workedAt(view))).toISOString(),
});

/** Whether nothing has to be closed in its log after a daemon that died. */
export const hasNothingOpen = ({ status, openRequests, backgroundTasks: tasks }: SessionSummary): boolean =>
  status === 'idle' && openRequests === 0 && (tasks ?? 0) === 0;

const lastOutcome = (view: SessionView): SessionSummary['lastOutcome'] => {
  for (const turn of view.turns.toReversed()) {
    if (turn.status === 'queued' || turn.status === 'running' || turn.status === 'cancelling') continue;
    return turn.status;
  }
  return null;
};

/** When something was last said or done. Putting a process to sleep must not move its session to the top of the list. */
const workedAt = (view: SessionView): number => {
  const turn = view.turns.at(-1);
  return Math.max(view.items.at(-1)?.at ?? 0, turn === undefined ? 0 : turn.startedAt + (turn.durationMs ?? 0));
};

const preview = (view: SessionView): string => {
  const newest = view.items.findLast((item) => item.body.kind === 'message' && item.body.text.trim() !== '');
  if (newest === undefined || newest.body.kind !== 'message') return '';
  return beginning(newest.body.text.trimStart(), PREVIEW_CHARS).split('\n', 1)[0] ?? '';
};
