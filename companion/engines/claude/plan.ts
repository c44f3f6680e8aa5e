/** Claude's todo list as one plan item for each turn. Tools of two generations keep it: TodoWrite, and Task*. */
import * as z from 'zod';
import type { PlanEntry } from '#protocol/items.ts';
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';

const PLAN_ITEM = 'plan';
const PLAN_TOOLS = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet']);

const Status = z.enum(['pending', 'in_progress', 'completed']);
const Todos = z.looseObject({ newTodos: z.array(z.looseObject({ content: z.string(), status: Status })) });
const Created = z.looseObject({ task: z.looseObject({ id: z.string(), subject: z.string() }) });
const Listed = z.looseObject({ tasks: z.array(z.looseObject({ id: z.string(), subject: z.string(), status: Status })) });
const Update = z.looseObject({
  taskId: z.string(),
  subject: z.string().nullish(),
  status: z.union([Status, z.literal('deleted')]).nullish(),
});

/** The list outlives the turn but its item does not: each turn that changes the list shows it in a new item. */
export class Plan {
  readonly #items: OpenItems;
  readonly #entries = new Map<string, PlanEntry>();

  constructor(items: OpenItems) {
    this.#items = items;
  }

  /** Whether calls of this tool are shown as the plan and not as calls. */
  owns(tool: string): boolean {
    return PLAN_TOOLS.has(tool);
  }

  /** A call of such a tool has succeeded. */
  apply(tool: string, input: unknown, structured: unknown): Effect[] {
    switch (tool) {
      case 'TodoWrite': {
        const parsed = Todos.safeParse(structured);
        return parsed.success ? this.#replace(parsed.data.newTodos.map((entry, index) => [String(index), entry])) : [];
      }
      case 'TaskList': {
        const parsed = Listed.safeParse(structured);
        return parsed.success ? this.#replace(parsed.data.tasks.map(({ id, subject, status }) => [id, { content: subject, status }])) : [];
      }
      case 'TaskCreate': {
        const parsed = Created.safeParse(structured);
        if (!parsed.success) return [];
        this.#entries.set(parsed.data.task.id, { content: parsed.data.task.subject, status: 'pending' });
        return this.#show();
      }
      case 'TaskUpdate': {
        const parsed = Update.safeParse(input);
        return parsed.success ? this.#update(parsed.data) : [];
      }
      default:
        return [];
    }
  }

  #replace(entries: readonly (readonly [string, PlanEntry])[]): Effect[] {
    this.#entries.clear();
    for (const [id, { content, status }] of entries) this.#entries.set(id, { content, status });
    return this.#show();
  }

  #update({ taskId, subject, status }: z.infer<typeof Update>): Effect[] {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return [];
    if (status === 'deleted') this.#entries.delete(taskId);
    else this.#entries.set(taskId, { content: subject ?? entry.content, status: status ?? entry.status });
    return this.#show();
  }

  #show(): Effect[] {
    const entries = [...this.#entries.values()];
    return this.#items.has(PLAN_ITEM)
      ? this.#items.update(PLAN_ITEM, { entries })
      : this.#items.start(PLAN_ITEM, { kind: 'plan', entries });
  }
}
