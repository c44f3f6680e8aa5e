/** The tools there are: those the build embedded, and what a connected extension brings beyond them. */
import { TOOL_CLASS_META, type ToolClass, type ToolInfo } from '#protocol/browser.ts';

export interface ToolList {
  /** The same array as long as nothing has changed. */
  list(): readonly ToolInfo[];
  /** Takes over what an extension registered. It stays after the browser has gone: tools never vanish from a client's list. */
  learn(tools: readonly ToolInfo[]): void;
  /** An unknown tool counts as the most harmful. */
  classOf(name: string): ToolClass;
}

export const createToolList = (embedded: readonly ToolInfo[]): ToolList => {
  const known = new Map(embedded.map((tool) => [tool.name, tool]));
  const forms = new Map(embedded.map((tool) => [tool.name, JSON.stringify(tool)]));
  let list: readonly ToolInfo[] = [...embedded];
  return {
    list: () => list,
    learn: (tools) => {
      const changed = tools.filter((tool) => forms.get(tool.name) !== JSON.stringify(tool));
      if (changed.length === 0) return;
      for (const tool of changed) {
        known.set(tool.name, tool);
        forms.set(tool.name, JSON.stringify(tool));
      }
      list = [...known.values()];
    },
    classOf: (name) => known.get(name)?._meta[TOOL_CLASS_META] ?? 'sensitive',
  };
};
