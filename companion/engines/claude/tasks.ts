/** Claude's background tasks: calls that return at once and go on, to end on their own, when they are stopped, or with the process. */
import type { TaskOutput as TaskOutputBody } from '#protocol/api.ts';
import { isBackgroundTask, type ItemBody, type ItemStatus } from '#protocol/items.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import { oneLine } from '#companion/engines/codecs/tool-title.ts';
import type { Effect } from '../engine.ts';
import { detailOf } from '../errors.ts';
import type { Control } from './control.ts';
import { BackgroundResult, TaskFrame, TaskOutput } from './frames.ts';

const SHELL = 'local_bash';
/** The end is what one watches for. */
const MAX_OUTPUT_UNITS = 64 * 1024;
const ENDS: ReadonlyMap<string, ItemStatus> = new Map<string, ItemStatus>([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['stopped', 'cancelled'],
  ['killed', 'cancelled'],
]);
const ENDED_AS: Readonly<Partial<Record<ItemStatus, string>>> = { completed: 'finished', failed: 'failed', cancelled: 'was stopped' };

export interface Tasks {
  /** A `system` line about a task; nothing for any other. */
  take(frame: unknown): Effect[];
  /** A call has returned: whether it goes on all the same, and what is to be said of that. Null: it is over. */
  goOn(toolUseId: string, structured: unknown): Effect[] | null;
  /** The item that what a subagent does belongs to; a subagent that is taken up again has a new one. */
  itemOf(toolUseId: string): string;
  stop(itemId: string): Effect[];
  /** Asks what a shell has written so far. */
  read(itemId: string): Effect[];
  /** Ends what older versions never say the end of, at the end of a turn. */
  settle(): Effect[];
  /** Why claude begins a turn that nobody asked for. */
  takeReason(): string;
}

interface Task {
  readonly taskId: string;
  readonly itemId: string;
  readonly isShell: boolean;
  readonly name: string;
  /** It has ended, but what came of it was not told yet. */
  end: ItemStatus | null;
}

export const createTasks = (items: OpenItems, control: Control): Tasks => {
  const tasks = new Map<string, Task>();
  const moved = new Map<string, string>();
  let news: string | null = null;

  const add = (taskId: string, itemId: string, frame?: TaskFrame): Task => {
    const found = items.find(itemId);
    const title = found?.kind === 'tool' ? found.title : '';
    const isShell = frame === undefined ? found?.kind === 'tool' && found.toolKind === 'execute' : frame.task_type === SHELL;
    const task = { taskId, itemId, isShell, name: oneLine(frame?.description ?? title), end: null };
    tasks.set(taskId, task);
    return task;
  };
  const isMarked = (itemId: string): boolean => {
    const item = items.find(itemId);
    return item !== undefined && isBackgroundTask(item);
  };
  const toBackground = ({ itemId }: Task): Effect[] => (isMarked(itemId) ? [] : items.update(itemId, { isBackground: true }));

  const started = (frame: TaskFrame): Effect[] => {
    if (frame.ambient === true || frame.skip_transcript === true) return [];
    const { task_id: taskId, tool_use_id: toolUseId } = frame;
    if (typeof toolUseId === 'string' && items.has(toolUseId)) {
      const task = add(taskId, toolUseId, frame);
      return frame.is_backgrounded === true ? toBackground(task) : [];
    }
    // Without a call that waits for it: a subagent that is taken up again, long after its call was over.
    const itemId = `${taskId}:${frame.run_id ?? ''}`;
    if (typeof toolUseId === 'string') moved.set(toolUseId, itemId);
    add(taskId, itemId, frame);
    return items.start(itemId, toItem(frame));
  };

  const close = (task: Task, status: ItemStatus, patch: { text?: string; exitCode?: number } = {}): Effect[] => {
    tasks.delete(task.taskId);
    return [...items.completeWithin(task.itemId, status), ...items.complete(task.itemId, status, patch)];
  };
  const notified = (frame: TaskFrame): Effect[] => {
    const task = tasks.get(frame.task_id);
    const status = ENDS.get(frame.status ?? '');
    if (task === undefined || status === undefined) return [];
    // In the foreground its call's result says the rest.
    if (!isMarked(task.itemId)) {
      tasks.delete(task.taskId);
      return [];
    }
    news = `Background task ${ENDED_AS[status] ?? 'ended'}: ${task.name}`;
    const summary = frame.summary ?? '';
    if (!task.isShell) return close(task, status, frame.summary_is_report === true ? { text: summary } : {});
    task.end = null;
    const code = /exit code (\d+)/.exec(summary)?.[1];
    return control.send({ subtype: 'get_task_output', task_id: task.taskId }, (answer) => {
      const output = TaskOutput.safeParse(answer.isOk ? answer.response : null);
      return close(task, status, {
        ...(output.success ? { text: output.data.output } : {}),
        ...(code === undefined ? {} : { exitCode: Number(code) }),
      });
    });
  };

  return {
    take: (value) => {
      const parsed = TaskFrame.safeParse(value);
      if (!parsed.success) return [];
      const frame = parsed.data;
      const task = tasks.get(frame.task_id);
      switch (frame.subtype) {
        case 'task_started':
          return started(frame);
        case 'task_updated':
          if (task === undefined) return [];
          task.end = ENDS.get(frame.patch?.status ?? '') ?? task.end;
          return frame.patch?.is_backgrounded === true ? toBackground(task) : [];
        case 'task_notification':
          return notified(frame);
        default:
          return [];
      }
    },
    goOn: (toolUseId, structured) => {
      if (isMarked(toolUseId)) return [];
      const parsed = BackgroundResult.safeParse(structured);
      if (!parsed.success || !items.has(toolUseId)) return null;
      return toBackground(tasks.get(parsed.data) ?? add(parsed.data, toolUseId));
    },
    itemOf: (toolUseId) => moved.get(toolUseId) ?? toolUseId,
    stop: (itemId) => {
      const task = [...tasks.values()].find((candidate) => candidate.itemId === itemId);
      if (task === undefined) return [];
      return control.send({ subtype: 'stop_task', task_id: task.taskId }, (answer) =>
        answer.isOk ? [] : [say({ type: 'notice', level: 'warning', text: `The task could not be stopped: ${detailOf(answer.error)}` })],
      );
    },
    read: (itemId) => {
      const task = [...tasks.values()].find((candidate) => candidate.itemId === itemId);
      if (task?.isShell !== true) return [];
      return control.send({ subtype: 'get_task_output', task_id: task.taskId }, (answer) => {
        const output = TaskOutput.safeParse(answer.isOk ? answer.response : null);
        return [{ type: 'task.output', itemId, output: output.success ? toOutput(output.data) : null }];
      });
    },
    settle: () => [...tasks.values()].flatMap((task) => (task.end === null ? [] : close(task, task.end))),
    takeReason: () => {
      const reason = news ?? (tasks.size > 0 ? 'News of a background task' : 'The agent went on by itself');
      news = null;
      return reason;
    },
  };
};

const toOutput = ({ output, total_bytes: totalBytes, truncated }: TaskOutput): TaskOutputBody => ({
  text: output.slice(-MAX_OUTPUT_UNITS).toWellFormed(),
  totalBytes: totalBytes ?? output.length,
  isTruncated: truncated === true || output.length > MAX_OUTPUT_UNITS,
});

const toItem = (frame: TaskFrame): ItemBody => ({
  kind: 'tool',
  tool: frame.task_type === SHELL ? 'Bash' : 'Agent',
  toolKind: frame.task_type === SHELL ? 'execute' : 'task',
  title: oneLine(frame.description ?? ''),
  text: '',
  isBackground: true,
});
