/** A tool call in one line: the tool's name, and what the call works on. */
import { argumentLines } from '#protocol/argument-lines.ts';
import { ENVELOPE_BEGIN } from '#protocol/envelope.ts';
import { isErrorCode } from '#protocol/errors.ts';
import type { ItemBody, ItemStatus } from '#protocol/items.ts';
import type { ViewItem, ViewRequest } from '#protocol/view.ts';
import { errorTitle } from './error-text.ts';
import { toOneLine } from './one-line.ts';
import { ownToolSentence, purposeSentence } from './own-tools.ts';
import { callSentence } from './request-text.ts';
import type { SayWord, WordKey } from './words.ts';

/** A longer argument is read where the call is shown whole. */
const MAX_WORD_CHARS = 120;

type ToolBody = Extract<ItemBody, { kind: 'tool' }>;

/** What the call works on, without the tool's name, which stands before it. */
export const toolTarget = ({ tool, title }: Pick<ToolBody, 'tool' | 'title'>): string => {
  if (title === tool) return '';
  return title.startsWith(`${tool} `) || title.startsWith(`${tool}: `) ? title.slice(tool.length + 1).trimStart() : title;
};

/** The name of a tool, where no sentence is made of its call. By some an agent turns to the person: these have names that say so. */
export const toolName = ({ tool }: Pick<ToolBody, 'tool'>, say: SayWord): string => {
  const word = TURNING_TO_YOU.get(tool);
  return word === undefined ? tool : say(word);
};

const TURNING_TO_YOU: ReadonlyMap<string, WordKey> = new Map([
  ['AskUserQuestion', 'request_question'],
  ['EnterPlanMode', 'plan'],
  ['ExitPlanMode', 'plan'],
  ['ask_user_question', 'request_question'],
  ['ask_user', 'request_question'],
  ['question', 'request_question'],
  ['enter_plan_mode', 'plan'],
  ['exit_plan_mode', 'plan'],
]);

/**
 * A call in a sentence, as what was done once it is over; null where the agent turns to the person, or names no tool at all. What the agent and the
 * page wrote stands in quotation marks.
 */
export const toolSentence = (body: Omit<ToolBody, 'kind'>, say: SayWord, status: ItemStatus = 'running'): string | null => {
  const browserSentence = body.toolKind === 'browser' ? browserCall(body, say, status) : null;
  if (browserSentence !== null) return browserSentence;
  if (body.server === undefined && TURNING_TO_YOU.has(body.tool)) return null;
  return ownToolSentence({ ...body, target: toolTarget(body) }, say, status === 'completed' ? 'did' : 'does');
};

/** The same for a place where a command can be unfolded: what the agent says that it is for. */
export const toolHeadline = (body: Omit<ToolBody, 'kind'>, say: SayWord, status: ItemStatus): string | null => {
  const purpose = toolPurpose(body);
  return purpose === '' ? toolSentence(body, say, status) : purposeSentence(purpose, say, status === 'completed' ? 'did' : 'does');
};

const browserCall = ({ tool, input, text }: Pick<ToolBody, 'tool' | 'input' | 'text'>, say: SayWord, status: ItemStatus): string | null => {
  const given = toWords(input);
  // What an agent aims at in words names it as well as what it says of it; a ref or the address of an element says nothing to a person.
  // Once it is over, the page has said what it is; what a press has changed is called otherwise then, so that the agent's own words go before.
  const { element = inWords(given['target']) } = status === 'completed' ? { ...elementOf(text), ...given } : given;
  const known = { ...given, ...(element === undefined ? {} : { element }) };
  if (status !== 'completed') return callSentence(tool, known, say);
  const said = { ...known, page: toOneLine(PAGE_TITLE.exec(text)?.groups?.['title'] ?? '', MAX_WORD_CHARS) };
  return callSentence(tool, said, say, 'done') ?? callSentence(tool, said, say);
};

/** What was read begins with the page's address and title, inside the envelope around everything that comes from a page. */
const PAGE_TITLE = new RegExp(String.raw`^${ENVELOPE_BEGIN}\n[^\n]*? "(?<title>[^\n]*)"$`, 'm');

/** What the receipt of a call about one element calls it. */
const elementOf = (text: string): { element?: string } => {
  const [found, other] = text.matchAll(TARGETS);
  const { name } = found?.groups ?? {};
  return name === undefined || other !== undefined ? {} : { element: toOneLine(name, MAX_WORD_CHARS) };
};

const TARGETS = /^target: \[(?:(?:f\d+)?e\d+ )?[a-z]+(?: (?<quote>["'])(?<name>(?:\\"|(?!\k<quote>).)+)\k<quote>)?/gm;

const inWords = (target: string | undefined): string | undefined =>
  target !== undefined && /^[\p{L}\p{N}][\p{L}\p{N}\s,.!?'’…&-]*$/u.test(target) && !/^(?:f\d+)?e\d+$|^\S*[.]\S|^[a-z]+$/.test(target)
    ? target
    : undefined;

const toWords = (input: unknown): Record<string, string> =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? Object.fromEntries(
        Object.entries(input).flatMap(([name, value]) => (typeof value === 'string' ? [[name, toOneLine(value, MAX_WORD_CHARS)]] : [])),
      )
    : {};

/** Why a call to the browser has failed, without what the model is to do about it; null where that is not known by its code. */
export const toolFault = ({ toolKind, text }: Pick<ToolBody, 'toolKind' | 'text'>, say: SayWord): string | null => {
  const code = /^\s*([A-Z]+(?:_[A-Z]+)*): /.exec(text)?.[1];
  return toolKind === 'browser' && isErrorCode(code) ? errorTitle(code, say) : null;
};

/** What the agent itself says a command is for; empty when it says nothing. */
export const toolPurpose = ({ input, toolKind }: Pick<ToolBody, 'input' | 'toolKind'>): string =>
  toolKind === 'execute' && typeof input === 'object' && input !== null && 'description' in input && typeof input.description === 'string'
    ? input.description.trim()
    : '';

/** What the agent itself says of the command that a request is about; empty when it says nothing, or when the request is about something else. */
export const requestPurpose = ({ itemId }: Pick<ViewRequest, 'itemId'>, items: readonly ViewItem[]): string => {
  const about = items.findLast((item) => item.itemId === itemId)?.body;
  return about?.kind === 'tool' ? toolPurpose(about) : '';
};

/** The arguments in the form that reads best; empty when the line contains them all. A command is whole: the line may be cut. */
export const toolInput = ({ input, toolKind, title, changes }: ToolBody): string => {
  if ((changes ?? []).length > 0) return '';
  const text = inputText(input, toolKind);
  if (toolKind === 'execute' && text !== '') return `$ ${text}`;
  return text === title ? '' : text;
};

const inputText = (input: unknown, toolKind: ToolBody['toolKind']): string => {
  if (input === undefined || input === null) return '';
  if (typeof input === 'string') return input;
  if (typeof input === 'object' && 'command' in input && typeof input.command === 'string') return input.command;
  // For a subagent it is the prompt; its task stands in the title already.
  if (toolKind === 'task' && typeof input === 'object' && 'prompt' in input && typeof input.prompt === 'string') return input.prompt;
  if (typeof input === 'object' && Object.keys(input).length === 0) return '';
  return argumentLines(input);
};
