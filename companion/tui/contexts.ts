/** Where keys mean something, from the nearest to the farthest, and what each place is called. */
import { type OwnText } from './say.ts';
import { listNames } from './state.ts';

export const contextNames = [
  'request',
  'waiting',
  'composer',
  ...listNames,
  'list',
  'main',
  'global',
  'always',
  'help',
  'guide',
  'engine',
  'audit',
  'changes',
  'admission',
  'search',
  'picker',
  'input',
  'question',
  'confirm',
] as const;
export type Context = (typeof contextNames)[number];

export const contextTitles: Readonly<Record<Context, OwnText>> = {
  request: 'On a waiting request',
  waiting: 'While a request waits',
  composer: 'Writing a message',
  projects: 'Projects',
  engines: 'Agents',
  sessions: 'Sessions',
  browsers: 'Browsers',
  list: 'Every list',
  main: 'Conversation, diff, logs',
  global: 'Everywhere but while writing',
  always: 'Always',
  help: 'Help',
  guide: 'Welcome page',
  engine: 'About an agent',
  audit: 'What was decided and done',
  changes: 'What has changed in the folder',
  admission: 'A browser that waits to be let in',
  search: 'Searching',
  picker: 'Choosing',
  input: 'One-line input',
  question: "Answering an agent's question",
  confirm: 'Confirming',
};
