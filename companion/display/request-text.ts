/** What a request says, in the language of a front end. What it does not know is said as it came. */
import type { RequestBody, RequestOption, Saying } from '#protocol/requests.ts';
import { onOneLine } from '#protocol/said.ts';
import { ownToolSentence } from './own-tools.ts';
import { saidText } from './said.ts';
import { words, type SayWord, type WordKey } from './words.ts';

/** The sentence of a card. */
export const requestTitle = ({ title, saying }: Pick<RequestBody, 'title' | 'saying'>, say: SayWord): string => sayIn(saying, title, say);

/** The sentence of a card that shows the details too: a command that is its own title is read there, whole. */
export const requestSentence = (request: RequestBody, say: SayWord): string =>
  request.saying === undefined && request.kind === 'permission' && isBeginningOf(request.title, request.detail ?? '')
    ? say('asks_command')
    : requestTitle(request, say);

/** Whether a title is a text on one line, or as much of it as fits in a title. */
const isBeginningOf = (title: string, text: string): boolean => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return title.trim() === line || (title.length > 1 && title.endsWith('…') && line.startsWith(title.slice(0, -1)));
};

/** Who answered a request, or why it is no longer needed. */
export const answeredBy = (by: string, say: SayWord): string => {
  const key = `by_${by.replaceAll(' ', '_')}`;
  return isWord(key) ? say(key) : by;
};

/** The words of an answer. */
export const optionLabel = ({ label, saying }: Pick<RequestOption, 'label' | 'saying'>, say: SayWord): string =>
  saying === undefined ? label : saidText({ ...saying, text: label }, say);

/** Where it would happen; undefined when the sentence says it already. */
export const requestWhere = ({ where, saying }: Pick<RequestBody, 'where' | 'saying'>): string | undefined =>
  saying?.values['site'] === undefined && saying?.values['browser'] === undefined ? where : undefined;

/** The text that is decided about, as it came. Some agents ask to carry out a plan without one, and may have told it in their answer. */
export const requestText = ({ kind, detail = '' }: Pick<RequestBody, 'kind' | 'detail'>, say: SayWord): string =>
  kind === 'plan' && detail.trim() === '' ? say('plan_missing') : detail;

/** What a person reads before they decide, and what they can look up. */
export const requestDetail = (request: RequestBody, say: SayWord): { shown: string; folded: string } => {
  const lines = request.told?.map((line) => onOneLine(saidText(line, say))) ?? requestText(request, say).split('\n');
  const end = request.shownLines ?? lines.length;
  return { shown: lines.slice(0, end).join('\n'), folded: lines.slice(end).join('\n') };
};

/** What a tool does, or has done, in a sentence with the arguments that were given; null for a tool that is not one of the browser. */
export const callSentence = (
  tool: string,
  values: Readonly<Record<string, string>>,
  say: SayWord,
  tense: 'call' | 'done' = 'call',
): string | null => {
  // Two underscores are in no tool's name: what an agent says that it does makes no other tool of it.
  const key = [...WAYS.map((name) => `${tense}_${tool}__${values[name] ?? ''}`), `${tense}_${tool}`].find(isWord);
  if (key === undefined) return null;
  const { element = '', page = '', ...others } = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, quote(text, say)]));
  const named = { element: element === '' ? say('unnamed_element') : element, page: page === '' ? say('the_page') : page };
  return say(key, { ...unnamed(words[key][0], say), ...others, ...named })
    .replaceAll(/\s+/g, ' ')
    .replace(/(?:\s(?:as|by)|[\s:：])+$/, '');
};

/** Arguments of a few words, each of which has its own sentence: a person reads none of them. */
const WAYS = ['action', 'direction', 'state'] as const;

/** What stands for what was not given, as in what is kept of a call: no argument of it is. Most of that is left out. */
const unnamed = (sentence: string, say: SayWord): Record<string, string> =>
  Object.fromEntries(
    [...sentence.matchAll(/(: )?\{(\w+)\}/g)].map(([, isAside, name = '']) => {
      const word = isAside === undefined ? UNNAMED.get(name) : undefined;
      return [name, word === undefined ? '' : say(word)];
    }),
  );

const UNNAMED: ReadonlyMap<string, WordKey> = new Map([
  ['text', 'some_text'],
  ['key', 'some_key'],
]);

const quote = (text: string, say: SayWord): string => (text === '' ? '' : say('quoted', { text }));

const sayIn = (saying: Saying | undefined, english: string, say: SayWord): string => {
  if (saying === undefined) return english;
  if (saying.code === 'agent_tool') {
    const { name = '', target = '' } = saying.values;
    return ownToolSentence({ tool: name, target, input: undefined }, say, 'does') ?? english;
  }
  const key = `asks_${saying.code}`;
  if (!isWord(key)) return english;
  const { tool, ...values } = saying.values;
  if (tool === undefined) return say(key, values);
  const act = callSentence(tool, values, say);
  return act === null ? english : say(key, { ...values, act });
};

const isWord = (key: string): key is WordKey => Object.hasOwn(words, key);
