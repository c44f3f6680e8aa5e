/** Claude's background tasks: calls that return at once and go on, until they end, are stopped, or the process ends. */
import type { TaskOutput as TaskOutputBody } from '#protocol/api.ts';
import { isBackgroundTask, type ItemBody, type ItemStatus } from '#protocol/items.ts';
import { notice } from '#protocol/notices.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import { oneLine } from '#companion/engines/codecs/tool-title.ts';
import type { Effect } from '../engine.ts';
import { detailOf } from '../errors.ts';
import type { Control } from './control.ts';
import { BackgroundResult, TaskFrame, TaskOutput } from './frames.ts';

const SHELL = 'local_bash';
/** Of a longer output only the end is shown. */
const MAX_OUTPUT_UNITS = 64 * 1024;
const ENDS: ReadonlyMap<string, ItemStatus> = new Map<string, ItemStatus>([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['stopped', 'cancelled'],
  ['killed', 'cancelled'],
]);
const ENDED_AS: Readonly<Partial<Record<ItemStatus, string>>> = { completed: 'finished', failed: 'failed', cancelled: 'was stopped' };

interface Task {
  readonly taskId: string;
  readonly itemId: string;
  readonly isShell: boolean;
  readonly name: string;
  /** Whether it has ended while its result was not reported yet. */
  end: ItemStatus | null;
}

export class Tasks {
  readonly #items: OpenItems;
  readonly #control: Control;
  readonly #tasks = new Map<string, Task>();
  /** The items of resumed subagents, by the call that resumed them. */
  readonly #moved = new Map<string, string>();
  #news: string | null = null;

  constructor(items: OpenItems, control: Control) {
    this.#items = items;
    this.#control = control;
  }

  /** Takes a `system` line; a line that is not about a task changes nothing. */
  take(value: unknown): Effect[] {
    const parsed = TaskFrame.safeParse(value);
    if (!parsed.success) return [];
    const frame = parsed.data;
    switch (frame.subtype) {
      case 'task_started':
        return this.#started(frame);
      case 'task_updated':
        return this.#updated(frame);
      case 'task_notification':
        return this.#ended(frame);
      default:
        return [];
    }
  }

  /** A call has returned. Returns what to report when its task goes on, or null when it is over. */
  goOn(toolUseId: string, structured: unknown): Effect[] | null {
    if (this.#isMarked(toolUseId)) return [];
    const parsed = BackgroundResult.safeParse(structured);
    if (!parsed.success || !this.#items.has(toolUseId)) return null;
    return this.#toBackground(this.#tasks.get(parsed.data) ?? this.#add(parsed.data, toolUseId));
  }

  /** The item that a subagent's work belongs to; a resumed subagent has a new one. */
  itemOf(toolUseId: string): string {
    return this.#moved.get(toolUseId) ?? toolUseId;
  }

  stop(itemId: string): Effect[] {
    const task = this.#find(itemId);
    if (task === undefined) return [];
    return this.#control.send({ subtype: 'stop_task', task_id: task.taskId }, (answer) =>
      answer.isOk ? [] : [say({ type: 'notice', level: 'warning', ...notice('task_not_stopped', { reason: detailOf(answer.error) }) })],
    );
  }

  /** Asks what a shell has written until now. */
  read(itemId: string): Effect[] {
    const task = this.#find(itemId);
    if (task?.isShell !== true) return [];
    return this.#askOutput(task, (output) => [{ type: 'task.output', itemId, output: output === null ? null : toOutput(output) }]);
  }

  /** Ends, with the turn, the tasks whose end older versions never report. */
  closeEnded(): Effect[] {
    return [...this.#tasks.values()].flatMap((task) => (task.end === null ? [] : this.#close(task, task.end)));
  }

  /** Why claude begins a turn that nobody asked for. */
  takeReason(): string {
    const reason = this.#news ?? (this.#tasks.size > 0 ? 'News of a background task' : 'The agent went on by itself');
    this.#news = null;
    return reason;
  }

  #started(frame: TaskFrame): Effect[] {
    if (frame.ambient === true || frame.skip_transcript === true) return [];
    const { task_id: taskId, tool_use_id: toolUseId } = frame;
    if (typeof toolUseId === 'string' && this.#items.has(toolUseId)) {
      const task = this.#add(taskId, toolUseId, frame);
      return frame.is_backgrounded === true ? this.#toBackground(task) : [];
    }
    // No call waits for this one: it is a subagent that was resumed long after its call was over.
    const itemId = `${taskId}:${frame.run_id ?? ''}`;
    if (typeof toolUseId === 'string') this.#moved.set(toolUseId, itemId);
    this.#add(taskId, itemId, frame);
    return this.#items.start(itemId, toItem(frame));
  }

  #updated(frame: TaskFrame): Effect[] {
    const task = this.#tasks.get(frame.task_id);
    if (task === undefined) return [];
    task.end = ENDS.get(frame.patch?.status ?? '') ?? task.end;
    return frame.patch?.is_backgrounded === true ? this.#toBackground(task) : [];
  }

  #ended(frame: TaskFrame): Effect[] {
    const task = this.#tasks.get(frame.task_id);
    const status = ENDS.get(frame.status ?? '');
    if (task === undefined || status === undefined) return [];
    // For a task in the foreground, the result of its call says the rest.
    if (!this.#isMarked(task.itemId)) {
      this.#tasks.delete(task.taskId);
      return [];
    }
    this.#news = `Background task ${ENDED_AS[status] ?? 'ended'}: ${task.name}`;
    const summary = frame.summary ?? '';
    if (!task.isShell) return this.#close(task, status, frame.summary_is_report === true ? { text: summary } : {});
    task.end = null;
    const code = /exit code (\d+)/.exec(summary)?.[1];
    return this.#askOutput(task, (output) =>
      this.#close(task, status, {
        ...(output === null ? {} : { text: output.output }),
        ...(code === undefined ? {} : { exitCode: Number(code) }),
      }),
    );
  }

  #close(task: Task, status: ItemStatus, patch: { text?: string; exitCode?: number } = {}): Effect[] {
    this.#tasks.delete(task.taskId);
    return [...this.#items.completeWithin(task.itemId, status), ...this.#items.complete(task.itemId, status, patch)];
  }

  #askOutput({ taskId }: Task, answered: (output: TaskOutput | null) => Effect[]): Effect[] {
    return this.#control.send({ subtype: 'get_task_output', task_id: taskId }, (answer) => {
      const output = TaskOutput.safeParse(answer.isOk ? answer.response : null);
      return answered(output.success ? output.data : null);
    });
  }

  #add(taskId: string, itemId: string, frame?: TaskFrame): Task {
    const found = this.#items.find(itemId);
    const title = found?.kind === 'tool' ? found.title : '';
    const isShell = frame === undefined ? found?.kind === 'tool' && found.toolKind === 'execute' : frame.task_type === SHELL;
    const task = { taskId, itemId, isShell, name: oneLine(frame?.description ?? title), end: null };
    this.#tasks.set(taskId, task);
    return task;
  }

  #find(itemId: string): Task | undefined {
    return [...this.#tasks.values()].find((task) => task.itemId === itemId);
  }

  #isMarked(itemId: string): boolean {
    const item = this.#items.find(itemId);
    return item !== undefined && isBackgroundTask(item);
  }

  #toBackground({ itemId }: Task): Effect[] {
    return this.#isMarked(itemId) ? [] : this.#items.update(itemId, { isBackground: true });
  }
}

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
