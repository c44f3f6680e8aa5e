/** Serves the sets of tools that a client asked for. */
import { TOOL_CLASS_META, TOOL_SET_META, ToolClass, type ToolInfo, type ToolResult } from '#protocol/browser.ts';
import { ENVELOPE_BEGIN } from '#protocol/envelope.ts';
import { type CompanionError, toErrorBody } from '#protocol/errors.ts';
import { TOOL_SETS, type ToolSet } from '#protocol/tool-sets.ts';
import { type Alias, type Step, ignoredWords } from './alias.ts';
import { chromeNames, chromeTools } from './chrome-tools.ts';
import { toErrorResult } from './error-result.ts';
import { unknownTool } from './nearest-tool.ts';

/** A list of tools and how one of them is called. `O` is what goes with a call. */
export interface Served<O> {
  /** The same array as long as the list is the same. */
  readonly tools: () => readonly ToolInfo[];
  readonly call: (name: string, args: Record<string, unknown>, options: O) => Promise<ToolResult>;
}

const aliases = new Map(chromeTools.map((alias) => [alias.name, alias]));

export interface ServedSets<O> extends Served<O> {
  /** Why there is no such tool in these sets. */
  readonly unknownTool: (name: string) => CompanionError;
}

export const serveSets = <O>(sets: readonly ToolSet[], { tools, call }: Served<O>): ServedSets<O> => ({
  tools: () => listOf(tools(), sets),
  unknownTool: (name) => unknownTool(name, namesOf(listOf(tools(), sets)), { setOf: setsBesides(tools(), sets), served: sets }),
  call: async (name, args, options) => {
    const alias = sets.includes('chrome') ? aliases.get(name) : undefined;
    if (alias !== undefined) return callAlias(alias, args, (step) => call(step.name, step.args, options));
    const result = await call(name, args, options);
    return sets.includes('default') ? result : { ...result, content: result.content.map(renamedBlock) };
  },
});

/** A text of our own that names tools, as a client of these sets knows them. */
export const inWordsOf = (sets: readonly ToolSet[], text: string): string => (sets.includes('default') ? text : renamed(text));

const namesOf = (tools: readonly ToolInfo[]): string[] => tools.map(({ name }) => name);

/** The tools that a client does not get, and the set that would add each. */
const setsBesides = (tools: readonly ToolInfo[], sets: readonly ToolSet[]): ReadonlyMap<string, ToolSet> =>
  new Map(
    TOOL_SETS.filter((set) => !sets.includes(set)).flatMap((set) => namesOf(listOf(tools, [set])).map((name) => [name, set] as const)),
  );

const lists = new WeakMap<readonly ToolInfo[], Map<string, readonly ToolInfo[]>>();

const listOf = (tools: readonly ToolInfo[], sets: readonly ToolSet[]): readonly ToolInfo[] => {
  const known = lists.get(tools) ?? new Map<string, readonly ToolInfo[]>();
  lists.set(tools, known);
  const key = sets.join();
  const found = known.get(key) ?? makeList(tools, sets);
  known.set(key, found);
  return found;
};

const makeList = (tools: readonly ToolInfo[], sets: readonly ToolSet[]): readonly ToolInfo[] => {
  const own = tools.filter(({ _meta }) => sets.includes(_meta[TOOL_SET_META] ?? 'default'));
  return sets.includes('chrome') ? [...own, ...chromeTools.flatMap((alias) => toTool(alias, tools))] : own;
};

/** What a tool may do, in the order of the classes. */
const rank = ({ _meta }: ToolInfo): number => ToolClass.options.indexOf(_meta[TOOL_CLASS_META]);

const toTool = ({ name, description, inputSchema, like, also }: Alias, tools: readonly ToolInfo[]): ToolInfo[] => {
  const original = tools.find((tool) => tool.name === like);
  if (original === undefined) return [];
  const others = tools.filter((tool) => also.includes(tool.name));
  const { annotations, _meta } = others.reduce((most, other) => (rank(other) > rank(most) ? other : most), original);
  return [
    {
      name,
      description,
      inputSchema,
      ...(annotations === undefined ? {} : { annotations }),
      _meta: { [TOOL_CLASS_META]: _meta[TOOL_CLASS_META] },
    },
  ];
};

/** Never rejects for what the model wrote: it is told in words. The first step that fails is the last. */
const callAlias = async (alias: Alias, given: Record<string, unknown>, call: (step: Step) => Promise<ToolResult>): Promise<ToolResult> => {
  const args = alias.meant(given);
  const place = await placeOf(alias, args, call);
  if ('refusal' in place) return place.refusal;
  const steps = stepsOf(alias, place.args);
  if ('content' in steps) return steps;
  const content: ToolResult['content'] = [];
  let last: ToolResult = { content };
  for (const step of steps) {
    last = await call(step);
    content.push(...last.content.map(renamedBlock));
    if (last.isError === true) break;
  }
  const ignored = alias.ignoredIn(args);
  if (ignored.length > 0) content.push({ type: 'text', text: ignoredWords(ignored) });
  return { ...last, content };
};

/** A window that is named instead of a tab means the tab that it shows. */
const placeOf = async (
  { takesWindow }: Alias,
  args: Readonly<Record<string, unknown>>,
  call: (step: Step) => Promise<ToolResult>,
): Promise<{ readonly args: Readonly<Record<string, unknown>> } | { readonly refusal: ToolResult }> => {
  const { windowId, tabId = null } = args;
  if (!takesWindow || typeof windowId !== 'number' || tabId !== null) return { args };
  const listed = await call({ name: 'browser_tabs', args: { action: 'list', windowId } });
  // Titles and addresses of pages come after these words.
  const shown = /^Window -?\d+ shows tab (\d+)\./.exec(String(listed.content[0]?.['text']))?.[1];
  if (shown === undefined) return { refusal: { ...listed, content: listed.content.map(renamedBlock), isError: true } };
  return { args: { ...args, tabId: Number(shown) } };
};

const stepsOf = (alias: Alias, args: Readonly<Record<string, unknown>>): readonly Step[] | ToolResult => {
  try {
    return alias.toSteps(args);
  } catch (error) {
    return toErrorResult(toErrorBody(error));
  }
};

const renamedBlock = (block: ToolResult['content'][number]): ToolResult['content'][number] =>
  typeof block['text'] === 'string' ? { ...block, text: renamed(block['text']) } : block;

const RENAMED = new RegExp(String.raw`${ENVELOPE_BEGIN}[\s\S]*?</\k<envelope>>|\bbrowser_[a-z_]+\b`, 'g');

/** What a page says stands in an envelope, and stays as it is. */
const renamed = (text: string): string =>
  text.replaceAll(RENAMED, (found) => (found.startsWith('<') ? found : (chromeNames.get(found) ?? found)));
