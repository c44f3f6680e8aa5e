/** What the companion reads of a call by itself, from what the tool says about its arguments. Pure. */
import {
  SITES_MINUTES,
  TOOL_ARGUMENTS_META,
  TOOL_CLASS_META,
  TOOL_PERMISSIONS_META,
  TOOL_TITLE_META,
  type OptionalPermission,
  type ToolClass,
  type ToolInfo,
} from '#protocol/browser.ts';
import { BrowserId } from '#protocol/ids.ts';

const MAX_TITLE_CHARS = 200;

/** What a call asks the person. */
export interface HumanQuestion {
  readonly message: string;
  /** What can be chosen; nothing when something is to be done. */
  readonly choices: readonly string[];
}

/** Sites on which the session wants to act for a while. */
export interface SitesWish {
  /** As they were given. */
  readonly sites: readonly string[];
  readonly minutes: number;
  /** What for, in the words of the agent. */
  readonly reason: string;
}

export interface CallReading {
  readonly toolClass: ToolClass;
  /** One line for a person. */
  readonly title: string;
  /** The tool's words for what it does, and the arguments that stand in them, by name. */
  readonly template: string;
  readonly values: Readonly<Record<string, string>>;
  /** The address that the call opens, as it was written, or null. */
  readonly address: string | null;
  /** The browser that the call names, if any. */
  readonly browserId: BrowserId | undefined;
  /** The files that it hands to a page, as it names them. */
  readonly files: readonly string[];
  /** The calls that are made in its place, as they were given, or null. */
  readonly calls: unknown;
  /** What the person is asked before the call runs, or null. */
  readonly question: HumanQuestion | null;
  /** What the person is asked for before the call runs, or null. */
  readonly wish: SitesWish | null;
  /** Rights that the extension needs for it. */
  readonly permissions: readonly OptionalPermission[];
  /** Whether the call names a tab, which may be the person's. */
  readonly hasTab: boolean;
  /** Whether the call changes nothing outside the session's own tabs, and sends nothing to a site. */
  readonly onlyLooks: boolean;
}

export const readCall = (tool: ToolInfo, args: Readonly<Record<string, unknown>>): CallReading => {
  const parts = tool._meta[TOOL_ARGUMENTS_META] ?? {};
  const valueOf = (name: string | undefined): unknown => (name !== undefined && Object.hasOwn(args, name) ? args[name] : undefined);
  const address = valueOf(parts.address);
  const browser = valueOf(parts.browser);
  const files = stringsIn(valueOf(parts.files));
  // What lies on the person's disk is given away for good, and what is saved there stays, whatever else the tool does.
  const touchesDisk = files.length > 0 || valueOf(parts.saves) !== undefined;
  const toolClass = touchesDisk ? 'sensitive' : tool._meta[TOOL_CLASS_META];
  const message = valueOf(parts.question);
  const choices = valueOf(parts.choices);
  const sites = stringsIn(valueOf(parts.sites));
  const minutes = valueOf(parts.minutes);
  const hasTab = valueOf(parts.tab) !== undefined;
  const template = tool._meta[TOOL_TITLE_META] ?? tool.name;
  return {
    toolClass,
    title: fill(template, valueOf),
    template,
    values: valuesIn(template, valueOf),
    address: typeof address === 'string' ? address : null,
    browserId: browser === undefined ? undefined : BrowserId.safeParse(browser).data,
    files,
    calls: valueOf(parts.calls) ?? null,
    question: typeof message === 'string' ? { message, choices: Array.isArray(choices) ? choices.map(String) : [] } : null,
    wish:
      sites.length === 0
        ? null
        : { sites, minutes: typeof minutes === 'number' ? minutes : SITES_MINUTES, reason: wordOf(valueOf(parts.reason)) },
    permissions: tool._meta[TOOL_PERMISSIONS_META] ?? [],
    hasTab,
    onlyLooks: toolClass === 'read' || (toolClass === 'navigate' && address === undefined && !hasTab),
  };
};

const stringsIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string');

const wordOf = (value: unknown): string => (typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '');

const valuesIn = (template: string, valueOf: (name: string) => unknown): Record<string, string> =>
  Object.fromEntries([...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, wordOf(valueOf(name)).slice(0, MAX_TITLE_CHARS)]));

const fill = (template: string, valueOf: (name: string) => unknown): string =>
  template
    .replaceAll(/\{([\w|]+)\}/g, (_, names: string) => {
      const words = names.split('|').map((name) => wordOf(valueOf(name)));
      return words.find((word) => word !== '') ?? '';
    })
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_TITLE_CHARS);
