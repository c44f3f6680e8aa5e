/** Claude's tool calls as items, from the first sign of a call to its result. */
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';
import { ToolResultBlock, type ToolUseBlock, type UserFrame } from './frames.ts';
import { createPlan } from './plan.ts';
import type { Tasks } from './tasks.ts';
import { resultPatch, resultStatus } from './tool-result.ts';
import { titleOf, toToolItem } from './tools.ts';

export interface ToolCalls {
  use(block: ToolUseBlock, parentItemId: string | undefined, isFinal: boolean): Effect[];
  /** The results a `user` line carries. */
  results(frame: UserFrame, isInterrupting: boolean): Effect[];
  /** Forgets the calls of a turn that has ended; those of background tasks go on. */
  clear(): void;
}

export const createToolCalls = (items: OpenItems, tasks: Pick<Tasks, 'goOn'>, cwd: string): ToolCalls => {
  const plan = createPlan(items);
  const inputs = new Map<string, { name: string; input: unknown }>();

  return {
    use: (block, parentItemId, isFinal) => {
      const isKnown = inputs.has(block.id);
      inputs.set(block.id, { name: block.name, input: block.input });
      if (plan.owns(block.name)) return [];
      if (!isKnown) return items.start(block.id, toToolItem(block.name, block.input, cwd), parentItemId);
      return isFinal ? items.update(block.id, { title: titleOf(block.name, block.input, cwd), input: block.input }) : [];
    },
    results: (frame, isInterrupting) => {
      if (typeof frame.message.content === 'string') return [];
      return frame.message.content.flatMap((part): Effect[] => {
        const parsed = ToolResultBlock.safeParse(part);
        if (!parsed.success) return [];
        const block = parsed.data;
        const call = inputs.get(block.tool_use_id);
        if (call === undefined) return [];
        inputs.delete(block.tool_use_id);
        // Only claude's own tools go on after they have returned; what an MCP server returns is not for us to read.
        const goesOn = tasks.goOn(block.tool_use_id, call.name.startsWith('mcp__') ? undefined : frame.tool_use_result);
        if (goesOn !== null) return goesOn;
        const meta = frame.tool_result_meta?.find(({ id }) => id === block.tool_use_id);
        const status = resultStatus(block, meta, isInterrupting);
        // What claude says of a cut call is advice to the model.
        const patch = status === 'cancelled' ? {} : resultPatch(call.name, block, frame.tool_use_result);
        if (!plan.owns(call.name)) return items.complete(block.tool_use_id, status, patch);
        if (status === 'completed') return plan.apply(call.name, call.input, frame.tool_use_result);
        return [
          ...items.start(block.tool_use_id, toToolItem(call.name, call.input, cwd)),
          ...items.complete(block.tool_use_id, status, patch),
        ];
      });
    },
    clear: () => {
      for (const id of inputs.keys()) if (!items.isInBackground(id)) inputs.delete(id);
    },
  };
};
