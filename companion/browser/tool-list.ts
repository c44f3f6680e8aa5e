/** The tools there are: those the build embedded, and what a connected extension brings beyond them. */
import type { ToolInfo } from '#protocol/browser.ts';

export class ToolList {
  readonly #known: Map<string, { readonly tool: ToolInfo; readonly form: string }>;
  #list: readonly ToolInfo[];

  constructor(embedded: readonly ToolInfo[]) {
    this.#known = new Map(embedded.map((tool) => [tool.name, { tool, form: JSON.stringify(tool) }]));
    this.#list = [...embedded];
  }

  /** The same array as long as nothing has changed. */
  list(): readonly ToolInfo[] {
    return this.#list;
  }

  find(name: string): ToolInfo | undefined {
    return this.#known.get(name)?.tool;
  }

  /** Takes over what an extension registered. It stays after the browser has gone: tools never vanish from a client's list. */
  learn(tools: readonly ToolInfo[]): void {
    let hasChanged = false;
    for (const tool of tools) {
      const form = JSON.stringify(tool);
      if (this.#known.get(tool.name)?.form === form) continue;
      this.#known.set(tool.name, { tool, form });
      hasChanged = true;
    }
    if (hasChanged) this.#list = [...this.#known.values()].map(({ tool }) => tool);
  }
}
