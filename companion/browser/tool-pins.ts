/** Whether the tools are the ones of the last session: a tool that says or takes something else since may do something else, and the person is told. */
import { createHash } from 'node:crypto';
import type { ToolInfo } from '#protocol/browser.ts';
import type { Said } from '#protocol/said.ts';
import { warn, type Warning } from '#protocol/warnings.ts';
import type { Log } from '#companion/lib/log.ts';

/** Hashes of the tools by name: of those that the build brings, and of those that extensions bring beyond them. */
export interface PinnedTools {
  readonly built: Readonly<Record<string, string>>;
  readonly foreign: Readonly<Record<string, string>>;
}

export interface ToolPinsOptions {
  /** What was known when the daemon ran last; null before its first time. */
  readonly settings: { current(): { readonly tools: PinnedTools | null }; change(change: { tools: PinnedTools }): unknown };
  readonly log: Log;
}

export class ToolPins {
  readonly #options: ToolPinsOptions;
  #pinned: PinnedTools | null;
  /** One warning for each source whose tools have changed while this daemon runs or since the last one. */
  readonly #told = new Map<keyof PinnedTools, Warning>();

  constructor(options: ToolPinsOptions) {
    this.#options = options;
    this.#pinned = options.settings.current().tools;
  }

  /** What a person should know. */
  get warnings(): Warning[] {
    return [...this.#told.values()];
  }

  /** Compares all tools of the build with the last ones. */
  checkBuilt(tools: readonly ToolInfo[]): void {
    const now = hashesOf(tools);
    const before = this.#pinned === null ? now : toMap(this.#pinned.built);
    this.#compare('built', before, now);
  }

  /** Compares the tools that connected extensions bring; those of a browser that is away are not gone. */
  checkForeign(tools: readonly ToolInfo[]): void {
    if (tools.length === 0) return;
    const before = toMap(this.#pinned?.foreign ?? {});
    this.#compare('foreign', before, new Map([...before, ...hashesOf(tools)]));
  }

  #compare(source: keyof PinnedTools, before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): void {
    const added = [...now.keys()].filter((name) => !before.has(name));
    const changed = [...now].filter(([name, hash]) => before.has(name) && before.get(name) !== hash).map(([name]) => name);
    const gone = [...before.keys()].filter((name) => !now.has(name));
    const isSame = added.length + changed.length + gone.length === 0;
    // What an extension brings anew is told by the list of tools itself.
    const changes = [...list('tools_new', source === 'built' ? added : []), ...list('tools_changed', changed), ...list('tools_gone', gone)];
    if (changes.length > 0) {
      this.#options.log.warn('tools.changed', { source, added: added.join(' '), changed: changed.join(' '), gone: gone.join(' ') });
      this.#told.set(source, { what: warn(`${source}_tools_changed`, { changes }), remedy: warn(REMEDY[source]) });
    }
    if (!isSame || this.#pinned === null) this.#pin({ built: {}, foreign: {}, ...this.#pinned, [source]: Object.fromEntries(now) });
  }

  #pin(tools: PinnedTools): void {
    this.#pinned = tools;
    try {
      this.#options.settings.change({ tools });
    } catch (error) {
      // The next daemon compares with the older ones, and tells the person once more.
      this.#options.log.warn('tools.not_pinned', { error });
    }
  }
}

const REMEDY = { built: 'doctor_unless_updated', foreign: 'remove_unless_updated' } as const;

const list = (change: 'tools_new' | 'tools_changed' | 'tools_gone', names: readonly string[]): Said[] =>
  names.length === 0 ? [] : [warn(change, { tools: names.join(', ') })];

const toMap = (hashes: Readonly<Record<string, string>>): Map<string, string> => new Map(Object.entries(hashes));

/** Of everything that a model or the policy reads of a tool. */
const hashesOf = (tools: readonly ToolInfo[]): Map<string, string> =>
  new Map(
    tools.map(({ name, description, inputSchema, annotations, _meta }) => {
      const text = JSON.stringify([description, inputSchema, annotations ?? null, _meta]);
      return [name, createHash('sha256').update(text).digest('hex')];
    }),
  );
