/** Calls of tools that are not the browser's, in a sentence: those of agents that Pilotfish knows by what they do, any other by its name. Pure. */
import type { ItemBody } from '#protocol/items.ts';
import { toOneLine } from './one-line.ts';
import type { SayWord, WordKey } from './words.ts';

type ToolBody = Extract<ItemBody, { kind: 'tool' }>;

/** What of a call makes its sentence; `target` is its title without the tool's name. */
export interface OwnCall extends Pick<ToolBody, 'tool' | 'input' | 'server' | 'changes'> {
  readonly target: string;
}

type Act =
  | 'run'
  | 'output'
  | 'stop'
  | 'read'
  | 'write'
  | 'edit'
  | 'delete'
  | 'move'
  | 'list'
  | 'find'
  | 'search'
  | 'fetch'
  | 'web'
  | 'task'
  | 'skill'
  | 'tools';

/** Longer words are read where the call is shown whole. */
const MAX_CHARS = 200;

/** What Linux takes for a path. */
const MAX_PATH_CHARS = 4_096;

/** By the name without its signs and in small letters: `WebFetch`, `web_fetch` and `webfetch` are the same tool of three agents. */
const ACTS: ReadonlyMap<string, Act> = new Map<string, Act>([
  ['bash', 'run'],
  ['shell', 'run'],
  ['powershell', 'run'],
  ['runshellcommand', 'run'],
  ['execcommand', 'run'],
  ['execute', 'run'],
  ['bashoutput', 'output'],
  ['taskoutput', 'output'],
  ['killshell', 'stop'],
  ['killbash', 'stop'],
  ['taskstop', 'stop'],
  ['read', 'read'],
  ['readfile', 'read'],
  ['readmanyfiles', 'read'],
  ['notebookread', 'read'],
  ['viewimage', 'read'],
  ['write', 'write'],
  ['writefile', 'write'],
  ['edit', 'edit'],
  ['multiedit', 'edit'],
  ['notebookedit', 'edit'],
  ['replace', 'edit'],
  ['patch', 'edit'],
  ['applypatch', 'edit'],
  ['delete', 'delete'],
  ['move', 'move'],
  ['ls', 'list'],
  ['list', 'list'],
  ['listdirectory', 'list'],
  ['glob', 'find'],
  ['grep', 'search'],
  ['grepsearch', 'search'],
  ['searchfilecontent', 'search'],
  ['codesearch', 'search'],
  ['search', 'search'],
  ['webfetch', 'fetch'],
  ['fetch', 'fetch'],
  ['websearch', 'web'],
  ['googlewebsearch', 'web'],
  ['agent', 'task'],
  ['task', 'task'],
  ['spawnagent', 'task'],
  ['skill', 'skill'],
  ['toolsearch', 'tools'],
]);

/** Kinds that stand in place of a name where an agent gives none, and say nothing. */
const NAMELESS: ReadonlySet<string> = new Set(['other', 'think', 'switch_mode']);

/** Arguments that name what a call works on, for each act in the words of all agents. */
const FILE = ['file_path', 'filePath', 'absolute_path', 'notebook_path', 'path'];
const FOLDER = ['dir_path', 'path'];
const TELLING: Readonly<Record<Act, readonly string[]>> = {
  run: ['command'],
  output: [],
  stop: [],
  read: FILE,
  write: FILE,
  edit: FILE,
  delete: FILE,
  move: FILE,
  list: FOLDER,
  find: ['pattern'],
  search: ['pattern', 'query'],
  fetch: ['url'],
  web: ['query'],
  task: ['description'],
  skill: ['skill', 'name', 'command'],
  tools: ['query'],
};

/** What stands for a file, a folder or a page that is not known. */
const UNKNOWN: Partial<Readonly<Record<Act, WordKey>>> = {
  read: 'a_file',
  write: 'a_file',
  edit: 'a_file',
  delete: 'a_file',
  move: 'a_file',
  list: 'a_folder',
  search: 'a_text',
  fetch: 'a_page',
};

/** The sentence; null when the agent gives no name, only words of its own. What others wrote stands in quotation marks where it could be taken for words of Pilotfish's. */
export const ownToolSentence = (call: OwnCall, say: SayWord, tense: 'does' | 'did'): string | null => {
  const { tool, server } = call;
  const act = server === undefined ? ACTS.get(tool.toLowerCase().replaceAll(/[_-]/g, '')) : undefined;
  if (act !== undefined) return actSentence(act, call, say, tense);
  if (server === undefined && NAMELESS.has(tool)) return call.target === '' ? null : quoted(call.target, say);
  if (server === undefined && /\s/.test(tool)) return null;
  // Some agents name server and tool in the title once more.
  const isNamedAgain =
    server !== undefined && [`${server}_${tool}`, `mcp_${server}_${tool}`, `(${server} MCP Server)`].includes(call.target);
  const what = plain(isNamedAgain ? '' : call.target, say);
  const names = { tool: quoted(tool, say), server: quoted(server ?? '', say), what };
  return withoutEnd(say(server === undefined ? `${tense}_tool` : `${tense}_tool_of`, names));
};

/** What a command is for, in the agent's words. */
export const purposeSentence = (purpose: string, say: SayWord, tense: 'does' | 'did'): string =>
  say(`${tense}_command`, { what: quoted(purpose, say) });

const actSentence = (act: Act, call: OwnCall, say: SayWord, tense: 'does' | 'did'): string => {
  const given = firstOf(call.input, TELLING[act]) ?? '';
  switch (act) {
    case 'run': {
      const what = toOneLine(given, MAX_CHARS) || toOneLine(call.target, MAX_CHARS);
      return what === '' ? withoutEnd(say(`${tense}_command`, { what })) : say(`${tense}_run`, { what });
    }
    case 'find':
    case 'search': {
      const what = given === '' ? call.target : given;
      const where = firstOf(call.input, FOLDER) ?? '';
      const said = what === '' ? unknown(act, say) : quoted(what, say);
      if (where === '' || where === '.') return withoutEnd(say(`${tense}_${act}`, { what: said }));
      return withoutEnd(say(`${tense}_${act}_in`, { what: said, where: plain(asTitled(where, call.target), say) }));
    }
    case 'read':
    case 'write':
    case 'edit':
    case 'delete':
    case 'move':
    case 'list':
    case 'fetch':
      return placeSentence(act, given, call, say, tense);
    case 'output':
    case 'stop':
      return say(`${tense}_${act}`);
    case 'web':
    case 'task':
    case 'skill':
    case 'tools': {
      const what = given === '' ? call.target : given;
      return withoutEnd(say(`${tense}_${act}`, { what: quoted(what, say) }));
    }
  }
};

/** Of a file, a folder or an address: where an agent words the title itself, that stands behind what the call does. */
const placeSentence = (
  act: 'read' | 'write' | 'edit' | 'delete' | 'move' | 'list' | 'fetch',
  given: string,
  { target, changes = [] }: OwnCall,
  say: SayWord,
  tense: 'does' | 'did',
): string => {
  const does = (what: string): string => say(`${tense}_${act}`, { what });
  if (changes.length > 1) return does(say('several_files', { count: changes.length }));
  const place = given === '' ? (changes[0]?.path ?? '') : given;
  if (place !== '') return does(plain(act === 'fetch' ? place.replace(/^https?:\/\//, '') : asTitled(place, target), say));
  if (target === '') return does(unknown(act, say));
  return /\s/.test(target) ? say('labelled', { label: does(unknown(act, say)), text: quoted(target, say) }) : does(plain(target, say));
};

const unknown = (act: Act, say: SayWord): string => {
  const key = UNKNOWN[act];
  return key === undefined ? '' : say(key);
};

/** A path as long as the title has it, which is without the folder of the project. One that no system has is not looked through. */
const asTitled = (path: string, title: string): string => {
  if (path.length > MAX_PATH_CHARS) return path;
  const steps = path.split('/');
  const known = steps.map((_, index) => steps.slice(index).join('/')).find((tail) => tail !== '' && ` ${title} `.includes(` ${tail} `));
  return known ?? path;
};

const firstOf = (input: unknown, names: readonly string[]): string | undefined => {
  if (typeof input !== 'object' || input === null) return undefined;
  const given = new Map<string, unknown>(Object.entries(input));
  for (const name of names) {
    const value = given.get(name);
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (name === 'command' && Array.isArray(value) && value.length > 0) return value.join(' ');
  }
  return undefined;
};

/** A name that is one word is told from the words around it; any other stands in quotation marks, and so does one that is written from right to left. */
const plain = (text: string, say: SayWord): string =>
  /^[^\s"“”]*$/.test(text) && !LEFTWARD.test(text) ? toOneLine(text, MAX_CHARS) : quoted(text, say);

const LEFTWARD = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

const quoted = (text: string, say: SayWord): string => (text === '' ? '' : say('quoted', { text: toOneLine(text, MAX_CHARS) }));

const withoutEnd = (sentence: string): string => sentence.replace(/\s*[:：]\s*$/, '');
