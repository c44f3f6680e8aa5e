/** What a model means that calls a tool which is not listed: it slips in writing, or knows the names of another product. Pure. */
import { CompanionError } from '#protocol/errors.ts';
import { DEFAULT_SETS, type ToolSet } from '#protocol/tool-sets.ts';
import { chromeNames, chromeTools } from './chrome-tools.ts';

const MAX_NAME_CHARS = 60;

/** The tool of a list that a wrong name means: it is written almost so, or does what another product calls so; null when there is none. */
export const nearestTool = (given: string, known: readonly string[]): string | null => {
  if (given.length > MAX_NAME_CHARS) return null;
  const words = wordsOf(given);
  if (words === '') return null;
  return (
    known.find((name) => wordsOf(name) === words) ??
    sameDeed(words, known) ??
    misspelt(words, known) ??
    known.find((name) => wordsOf(name).endsWith(` ${words}`)) ??
    null
  );
};

/** That a tool is not listed, and what is nearest to it or where it is. `setOf` has the tools of the sets that the client does not get. */
export const unknownTool = (
  given: string,
  known: readonly string[],
  { setOf = new Map(), served = DEFAULT_SETS }: { setOf?: ReadonlyMap<string, ToolSet>; served?: readonly ToolSet[] } = {},
): CompanionError => {
  const listed = nearestTool(given, known);
  const beside = setOf.has(given) ? given : listed === null ? nearestTool(given, [...setOf.keys()]) : null;
  const nearest = listed ?? known.find((name) => beside !== null && name === chromeNames.get(beside)) ?? null;
  const isElsewhere = beside !== null && (nearest === null || beside === given);
  const said = [
    `"${given.slice(0, MAX_NAME_CHARS)}".`,
    ...(nearest === null ? [] : [`${nearest} is nearest to it.`]),
    ...(isElsewhere ? [inOtherSet(beside, setOf.get(beside), served)] : []),
  ];
  return new CompanionError('TOOL_UNKNOWN', said.join(' '));
};

const inOtherSet = (name: string, set: ToolSet | undefined, served: readonly ToolSet[]): string => {
  const sets = [...served, set].join();
  return `${name} is in the set "${set}", which the user can add: pilotfish mcp --tools ${sets}; for the agents of a project, pilotfish projects tools PROJECT ${sets}.`;
};

/** How many letters have to be added, taken away or changed. */
export const lettersApart = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of one.split('').entries()) {
    const next = [at + 1];
    for (const [index, wanted] of other.split('').entries()) {
      next.push(Math.min((row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1, (row[index] ?? 0) + (letter === wanted ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** Without what says only whose tool it is, so that it does not make different names alike. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replaceAll(/[^a-zA-Z0-9]+/g, ' ')
    .trim()
    .toLowerCase()
    .replace(/^(?:(?:mcp|browser|chrome|playwright|puppeteer|devtools) )+/, '');

const misspelt = (words: string, known: readonly string[]): string | null => {
  const [nearest] = known
    .map((name) => ({ name, letters: lettersApart(words, wordsOf(name)) }))
    .toSorted((one, other) => one.letters - other.letters);
  return nearest !== undefined && nearest.letters <= Math.floor(words.length / 4) ? nearest.name : null;
};

/** Words of other products' names and our tool that does it. The first that fits counts, so what is said more closely comes first. */
const DEEDS: readonly (readonly [words: RegExp, tool: string])[] = [
  [/\b(?:dialog|alert|confirm)\b/, 'browser_handle_dialog'],
  [/\bverify text\b/, 'browser_find'],
  [/\b(?:verify|assert)\b/, 'browser_snapshot'],
  [/\bcookies?\b/, 'browser_cookie_list'],
  [/\bconsole\b/, 'browser_console_messages'],
  [/\b(?:response|request) body\b|\bget network\b/, 'browser_network_request'],
  [/\b(?:network|requests)\b/, 'browser_network_requests'],
  [/\b(?:screenshot|screen capture|capture page)\b/, 'browser_take_screenshot'],
  [/\bclose (?:page|tabs?)\b/, 'browser_close'],
  [/\b(?:tabs?|windows)\b|\b(?:list|new|select|switch|open new) pages?\b/, 'browser_tabs'],
  [/\bback\b/, 'browser_navigate_back'],
  [/\bforward\b/, 'browser_navigate_forward'],
  [/\b(?:reload|refresh)\b/, 'browser_reload'],
  [/\b(?:navigate|go ?to|visit|open (?:url|page|browser))\b/, 'browser_navigate'],
  [/\b(?:wait|sleep)\b/, 'browser_wait_for'],
  [/\b(?:evaluate|eval|javascript|script|run code|css|styles?)\b/, 'browser_evaluate'],
  [/\b(?:snapshot|read page|accessibility|interactive elements|clickable elements|dom|page state)\b/, 'browser_snapshot'],
  [
    /\b(?:text|html|content|markdown|article) (?:of|from)\b|\b(?:get|read|extract|visible|page|web)\b.* (?:text|html|content|markdown)\b|\bextract\b/,
    'browser_read',
  ],
  [/\bform input\b/, 'browser_type'],
  [/\bform\b/, 'browser_fill_form'],
  [/\b(?:select|dropdown|options?)\b/, 'browser_select_option'],
  [/\bupload\b/, 'browser_file_upload'],
  [/\bdownloads?\b/, 'browser_downloads'],
  [/\b(?:press|keys?|keyboard|hotkey|shortcut)\b/, 'browser_press_key'],
  [/\b(?:type|fill|input|enter)\b/, 'browser_type'],
  [/\b(?:scroll|wheel)\b/, 'browser_scroll'],
  [/\b(?:hover|mouse move)\b/, 'browser_hover'],
  [/\b(?:drag|mouse (?:down|up))\b/, 'browser_drag'],
  [/\b(?:click|tap)\b/, 'browser_click'],
  [/\b(?:resize|viewport)\b/, 'browser_resize'],
  [/\bpdf\b/, 'browser_pdf_save'],
  [/\b(?:emulate|geolocation|user agent)\b/, 'browser_emulate'],
  [/\bbookmarks?\b/, 'browser_bookmarks'],
  [/\bhistory\b/, 'browser_history'],
  [/\b(?:search|find|locate)\b/, 'browser_find'],
  [/\b(?:human|captcha)\b/, 'browser_ask_human'],
];

/** Our tool that does the same, under the name that the client has for it. */
const sameDeed = (words: string, known: readonly string[]): string | null => {
  const like = chromeTools.find((tool) => wordsOf(tool.name) === words)?.like ?? DEEDS.find(([said]) => said.test(words))?.[1];
  if (like === undefined) return null;
  return [like, chromeNames.get(like)].find((name) => name !== undefined && known.includes(name)) ?? null;
};
