/** Claude's tool calls as items, from the first sign of a call to its result. */
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';
import { ToolResultBlock, type ToolUseBlock, type UserFrame } from './frames.ts';
import { Plan } from './plan.ts';
import type { Tasks } from './tasks.ts';
import { resultPatch, resultStatus } from './tool-result.ts';
import { titleOf, toToolItem } from './tools.ts';

export class ToolCalls {
  readonly #items: OpenItems;
  readonly #tasks: Pick<Tasks, 'goOn'>;
  readonly #cwd: string;
  readonly #plan: Plan;
  readonly #inputs = new Map<string, { readonly name: string; readonly input: unknown }>();

  constructor(items: OpenItems, tasks: Pick<Tasks, 'goOn'>, cwd: string) {
    this.#items = items;
    this.#tasks = tasks;
    this.#cwd = cwd;
    this.#plan = new Plan(items);
  }

  use(block: ToolUseBlock, parentItemId: string | undefined, isFinal: boolean): Effect[] {
    const isKnown = this.#inputs.has(block.id);
    this.#inputs.set(block.id, { name: block.name, input: block.input });
    if (this.#plan.owns(block.name)) return [];
    if (!isKnown) return this.#items.start(block.id, toToolItem(block.name, block.input, this.#cwd), parentItemId);
    return isFinal ? this.#items.update(block.id, { title: titleOf(block.name, block.input, this.#cwd), input: block.input }) : [];
  }

  /** The results that a `user` line carries. */
  results(frame: UserFrame, isInterrupting: boolean): Effect[] {
    if (typeof frame.message.content === 'string') return [];
    return frame.message.content.flatMap((part) => {
      const block = ToolResultBlock.safeParse(part);
      return block.success ? this.#result(block.data, frame, isInterrupting) : [];
    });
  }

  /** Forgets the calls of a turn that has ended; those of background tasks go on. */
  clear(): void {
    for (const id of this.#inputs.keys()) if (!this.#items.isInBackground(id)) this.#inputs.delete(id);
  }

  #result(block: ToolResultBlock, frame: UserFrame, isInterrupting: boolean): Effect[] {
    const call = this.#inputs.get(block.tool_use_id);
    if (call === undefined) return [];
    this.#inputs.delete(block.tool_use_id);
    // Only claude's own tools go on after they have returned; the results of MCP servers are not interpreted.
    const goesOn = this.#tasks.goOn(block.tool_use_id, call.name.startsWith('mcp__') ? undefined : frame.tool_use_result);
    if (goesOn !== null) return goesOn;
    const meta = frame.tool_result_meta?.find(({ id }) => id === block.tool_use_id);
    const status = resultStatus(block, meta, isInterrupting);
    // What claude says about an interrupted call is advice to the model.
    const patch = status === 'cancelled' ? {} : resultPatch(call.name, block, frame.tool_use_result);
    if (!this.#plan.owns(call.name)) return this.#items.complete(block.tool_use_id, status, patch);
    if (status === 'completed') return this.#plan.apply(call.name, call.input, frame.tool_use_result);
    return [
      ...this.#items.start(block.tool_use_id, toToolItem(call.name, call.input, this.#cwd)),
      ...this.#items.complete(block.tool_use_id, status, patch),
    ];
  }
}
