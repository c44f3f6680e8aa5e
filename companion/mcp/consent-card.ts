/** What the person reads before a call runs: what and where, a line for each, so that no text of a page or an agent can pass for one of Pilotfish's. Pure. */
import { toOption } from '#protocol/answers.ts';
import type { Admission } from '#protocol/admission.ts';
import type { BrowserInfo, CallSubject, GrantClient } from '#protocol/browser.ts';
import { cardText } from '#protocol/card-lines.ts';
import { asLines, type Said } from '#protocol/said.ts';
import type { RequestBody } from '#protocol/requests.ts';
import type { CallReading } from '#companion/browser/read-call.ts';
import type { Need } from '#companion/policy/policy.ts';
import { line, toolsLine } from './card-line.ts';
import { toOptions } from './consent.ts';

const MAX_QUOTED_CHARS = 80;

/** A file that the call gives to the page. */
export interface CardFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mayHoldKeys: boolean;
  /** The site of which this session has saved it, empty where that is not known; absent for a file of the project. */
  readonly savedFrom?: string;
}

interface CardFacts {
  readonly origin: string | null;
  readonly needs: readonly Need[];
  readonly client: GrantClient;
  readonly isBuilt: boolean;
  readonly files: readonly CardFile[];
}

/** The names that the page gives to the elements of a call. */
export const elementsOf = ({ lines }: Pick<CallSubject, 'lines'>): string[] => lines.flatMap(({ element }) => element ?? []);

/** The name of the one element; empty where there is none, or more than one. */
export const elementOf = (subject: Pick<CallSubject, 'lines'>): string => {
  const [first = '', ...others] = elementsOf(subject);
  return others.length === 0 ? first : '';
};

/**
 * The card for a call. Without a page there is nothing for which a permission could be remembered, nor for a tool that may be
 * another one tomorrow.
 */
export const toCallCard = (
  tool: string,
  reading: CallReading,
  { target, lines }: CallSubject,
  { origin, needs, client, isBuilt, files }: CardFacts,
): RequestBody => {
  const isPersonsTab = needs.includes('tab');
  const where = origin ?? target?.origin ?? null;
  const isAboutOrigin = needs.includes('origin') && origin !== null && isBuilt && !needs.includes('files');
  const canLast = (isAboutOrigin || isPersonsTab) && !needs.includes('files');
  const element = elementOf({ lines });
  // The sentence names one element; where it cannot, the person reads what the page calls them.
  const isInSentence = ({ label, element: name }: CallSubject['lines'][number]): boolean =>
    element !== '' && isBuilt && (name !== undefined || label === AGENTS_WORDS);
  const shown = [
    ...(isBuilt ? [] : [line('line_careful', cardText('foreign_tool'))]),
    ...(isPersonsTab ? [line('line_tab', cardText('your_own_tab'))] : []),
    ...(isBuilt ? [] : [line('line_wants', reading.title)]),
    ...lines.filter((about) => !isInSentence(about)).map((about) => toolsLine(about, isBuilt)),
    ...files.flatMap(toFileLines),
  ];
  const folded = [
    ...lines.filter(isInSentence).map((about) => toolsLine(about, isBuilt)),
    ...(target === null ? [] : [line('line_page', target.title), line('line_address', target.url)]),
    line('line_for', client.name),
    ...(isAboutOrigin ? [line('line_lasts', cardText('how_long'))] : []),
  ];
  return {
    kind: 'consent',
    ...toSentence(tool, reading, { element, isBuilt, where, isPersonsTab }),
    ...asLines([...shown, ...folded]),
    shownLines: shown.length,
    ...(where === null ? {} : { where }),
    ...(reading.permissions.length === 0 || !isBuilt ? {} : { permissions: [...reading.permissions] }),
    options: toOptions({
      ...(canLast ? { session: isAboutOrigin ? 'answer_here_in_session' : 'answer_in_session' } : {}),
      ...(isAboutOrigin ? { always: 'answer_always_here' } : {}),
    }),
  };
};

/** The label under which a tool gives the words of the agent. */
const AGENTS_WORDS = 'In the words of the agent';

/** What and where, once: in English, and in parts for a front end that speaks another language. */
const toSentence = (
  tool: string,
  reading: CallReading,
  { element, isBuilt, where, isPersonsTab }: { element: string; isBuilt: boolean; where: string | null; isPersonsTab: boolean },
): Pick<RequestBody, 'title' | 'saying'> => {
  const { act, values } = toAct(tool, reading, { element, isBuilt });
  if (where === null) return { title: act, saying: { code: 'call', values } };
  const site = toSite(where);
  const title = `${act} on ${site}${isPersonsTab ? ', in your own tab' : ''}`;
  return { title, saying: { code: isPersonsTab ? 'own_tab' : 'on_site', values: { ...values, site } } };
};

/**
 * What a tool does, in its own words. Names of the page and arguments of the agent stand in quotation marks, of which they
 * contain none. A tool that is not Pilotfish's is said by its name: its own words are in a line of the card.
 */
const toAct = (
  tool: string,
  { template, values }: CallReading,
  { element, isBuilt }: { element: string; isBuilt: boolean },
): { act: string; values: Record<string, string> } => {
  if (!isBuilt) return { act: `Use the tool ${quoted(tool)}`, values: { tool: 'foreign', name: inQuotes(tool) } };
  const given = Object.fromEntries(Object.entries({ ...values, element }).map(([name, text]) => [name, inQuotes(text)]));
  const act = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    (given[name] ?? '') === '' ? (name === 'element' ? 'an element' : '') : `“${given[name]}”`,
  );
  return { act: act.replaceAll(/\s+/g, ' ').replace(/[\s:]+$/, ''), values: { ...given, tool } };
};

/** One short line without quotation marks, so that it does not end the quotation in which it stands. */
const inQuotes = (text: string): string => {
  const plain = text
    .replaceAll(/["“”„‟«»「」『』＂]/gu, "'")
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain.length <= MAX_QUOTED_CHARS ? plain : `${plain.slice(0, MAX_QUOTED_CHARS - 1)}…`;
};

const quoted = (text: string): string => `“${inQuotes(text)}”`;

/** The host alone where the connection is safe; otherwise the whole origin. */
const toSite = (origin: string): string => origin.replace(/^https:\/\//, '');

const toFileLines = ({ path, sizeBytes, mayHoldKeys, savedFrom }: CardFile): Said[] => [
  line('line_gives', cardText('file_of_size', { path, bytes: sizeBytes })),
  ...(savedFrom === undefined
    ? []
    : [line('line_careful', savedFrom === '' ? cardText('file_saved') : cardText('file_saved_from', { origin: savedFrom }))]),
  ...(mayHoldKeys ? [line('line_careful', cardText('file_keys'))] : []),
];

/** The card for a call that goes to another browser profile than its session's. */
export const toBrowserCard = (tool: string, reading: CallReading, isBuilt: boolean, { name, label }: BrowserInfo): RequestBody => ({
  kind: 'consent',
  title: `${toAct(tool, reading, { element: '', isBuilt }).act} in the browser ${quoted(label)}`,
  saying: { code: 'browser', values: { ...toAct(tool, reading, { element: '', isBuilt }).values, browser: quoted(label) } },
  ...asLines([line('line_browser', `${label} (${name})`), ...(isBuilt ? [] : [line('line_wants', reading.title)])]),
  where: label,
  options: toOptions({ session: 'answer_in_session' }),
});

/** The card for a program from outside that comes for the first time. */
export const toClientCard = ({ name, program, pid, folder, origin }: Admission): RequestBody => ({
  kind: 'consent',
  title: 'A program wants to use this browser',
  saying: { code: 'program', values: {} },
  ...asLines([
    ...(origin === 'agent' ? [line('line_careful', cardText('agent_started'))] : []),
    line('line_program', program ?? cardText('not_told')),
    line('line_process', pid === null ? cardText('not_told') : String(pid)),
    line('line_folder', folder ?? cardText('not_told')),
    line('line_calls_itself', cardText('own_word', { name })),
    line('line_yes', cardText('yes_kept')),
  ]),
  ...(program === null ? {} : { where: program }),
  options: [toOption('allow', 'allow_always', 'answer_program'), toOption('reject', 'reject', 'answer_deny')],
});
