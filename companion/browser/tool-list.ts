/** The tools there are: those of this build, as the build itself describes them, and what a connected extension brings beyond them. */
import { TOOL_CLASS_META, type ToolInfo } from '#protocol/browser.ts';
import type { OfferedTool } from '#protocol/link.ts';

const FOREIGN_NAME = /^[a-z][a-z0-9_]{0,63}$/;
const MAX_FOREIGN = 32;
const MAX_DESCRIPTION_CHARS = 1_000;
const MAX_SCHEMA_CHARS = 20_000;

export class ToolList {
  readonly #built: ReadonlyMap<string, ToolInfo>;
  readonly #foreign = new Map<string, ToolInfo>();
  #list: readonly ToolInfo[];

  constructor(embedded: readonly ToolInfo[]) {
    this.#built = new Map(embedded.map((tool) => [tool.name, tool]));
    this.#list = [...embedded];
  }

  /** The list of tools; it is the same array as long as nothing has changed. */
  list(): readonly ToolInfo[] {
    return this.#list;
  }

  find(name: string): ToolInfo | undefined {
    return this.#built.get(name) ?? this.#foreign.get(name);
  }

  /** Whether this build knows the tool, and so what its calls can do. */
  isBuilt(name: string): boolean {
    return this.#built.has(name);
  }

  /** Names of the tools that extensions brought and this build does not know. */
  foreign(): string[] {
    return [...this.#foreign.keys()];
  }

  /**
   * Takes over what an extension registered beyond the build's tools; returns the names of those that are new. What passes for
   * an extension cannot make a tool look harmless: nothing it says of a tool that is known already counts, and of any other
   * only its name, words and arguments. It stays after the browser has gone: tools never vanish from a client's list.
   */
  learn(tools: readonly OfferedTool[]): string[] {
    const added = tools
      .filter(({ name }) => !this.#built.has(name) && !this.#foreign.has(name) && FOREIGN_NAME.test(name))
      .filter(({ inputSchema }) => JSON.stringify(inputSchema).length <= MAX_SCHEMA_CHARS)
      .slice(0, MAX_FOREIGN - this.#foreign.size);
    if (added.length === 0) return [];
    for (const tool of added) this.#foreign.set(tool.name, toForeign(tool));
    this.#list = [...this.#built.values(), ...this.#foreign.values()];
    return [...new Set(added.map(({ name }) => name))];
  }
}

const toForeign = ({ name, description, inputSchema }: OfferedTool): ToolInfo => ({
  name,
  description: `Not a tool of this Pilotfish: a browser extension brings it, and the person is asked each time. It says of itself: ${description.slice(0, MAX_DESCRIPTION_CHARS)}`,
  inputSchema,
  _meta: { [TOOL_CLASS_META]: 'sensitive' },
});
