/** Tools of use only where a page offers something: they are listed from the first page on that does. */
import * as z from 'zod';
import { OFFERS_META, TOOL_OFFERED_META, type ToolInfo, type ToolResult } from '#protocol/browser.ts';

const Offers = z.array(z.string());

export class OfferedTools {
  readonly #tools: () => readonly ToolInfo[];
  readonly #offered = new Set<string>();
  #made: { readonly of: readonly ToolInfo[]; readonly list: readonly ToolInfo[] } | null = null;

  constructor(tools: () => readonly ToolInfo[]) {
    this.#tools = tools;
  }

  /** The same array as long as the list is the same. */
  readonly list = (): readonly ToolInfo[] => {
    const all = this.#tools();
    if (this.#made?.of !== all) {
      const list = all.filter(({ name, _meta }) => _meta[TOOL_OFFERED_META] !== true || this.#offered.has(name));
      this.#made = { of: all, list: list.length === all.length ? all : list };
    }
    return this.#made.list;
  };

  /** Whether a call's result makes the list longer. */
  learn({ _meta }: ToolResult): boolean {
    const named = Offers.safeParse(_meta?.[OFFERS_META]).data ?? [];
    const added = this.#tools().filter(
      ({ name, _meta: about }) => about[TOOL_OFFERED_META] === true && named.includes(name) && !this.#offered.has(name),
    );
    if (added.length === 0) return false;
    for (const { name } of added) this.#offered.add(name);
    this.#made = null;
    return true;
  }
}
