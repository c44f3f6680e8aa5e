/** The tools there are: those the build embedded, and what a connected extension brings beyond them. */
import { TOOL_CLASS_META, type ToolClass, type ToolInfo } from '#protocol/browser.ts';

export interface ToolList {
  list(): readonly ToolInfo[];
  /** Takes over what an extension registered. It stays after the browser has gone: tools never vanish from a client's list. */
  learn(tools: readonly ToolInfo[]): void;
  /** An unknown tool counts as the most harmful. */
  classOf(name: string): ToolClass;
}

export const createToolList = (embedded: readonly ToolInfo[]): ToolList => {
  const known = new Map(embedded.map((tool) => [tool.name, tool]));
  return {
    list: () => [...known.values()],
    learn: (tools) => {
      for (const tool of tools) known.set(tool.name, tool);
    },
    classOf: (name) => known.get(name)?._meta[TOOL_CLASS_META] ?? 'sensitive',
  };
};
