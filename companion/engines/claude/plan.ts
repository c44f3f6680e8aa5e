/** Claude's todo list as one plan item per turn. It is kept by tools of two generations: TodoWrite, and Task*. */
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

export interface Plan {
  /** Whether calls of this tool are shown as the plan and not as calls. */
  owns(tool: string): boolean;
  /** A call of such a tool has succeeded. */
  apply(tool: string, input: unknown, structured: unknown): Effect[];
}

/** The list outlives the turn, its item does not: each turn that touches it shows it anew. */
export const createPlan = (items: OpenItems): Plan => {
  const entries = new Map<string, PlanEntry>();

  const show = (): Effect[] => {
    const shown = [...entries.values()];
    return items.has(PLAN_ITEM) ? items.update(PLAN_ITEM, { entries: shown }) : items.start(PLAN_ITEM, { kind: 'plan', entries: shown });
  };

  return {
    owns: (tool) => PLAN_TOOLS.has(tool),
    apply: (tool, input, structured) => {
      switch (tool) {
        case 'TodoWrite': {
          const parsed = Todos.safeParse(structured);
          if (!parsed.success) return [];
          entries.clear();
          parsed.data.newTodos.forEach(({ content, status }, index) => entries.set(String(index), { content, status }));
          return show();
        }
        case 'TaskCreate': {
          const parsed = Created.safeParse(structured);
          if (!parsed.success) return [];
          entries.set(parsed.data.task.id, { content: parsed.data.task.subject, status: 'pending' });
          return show();
        }
        case 'TaskUpdate': {
          const parsed = Update.safeParse(input);
          const entry = parsed.success ? entries.get(parsed.data.taskId) : undefined;
          if (!parsed.success || entry === undefined) return [];
          const { taskId, subject, status } = parsed.data;
          if (status === 'deleted') entries.delete(taskId);
          else entries.set(taskId, { content: subject ?? entry.content, status: status ?? entry.status });
          return show();
        }
        case 'TaskList': {
          const parsed = Listed.safeParse(structured);
          if (!parsed.success) return [];
          entries.clear();
          for (const { id, subject, status } of parsed.data.tasks) entries.set(id, { content: subject, status });
          return show();
        }
        default:
          return [];
      }
    },
  };
};
