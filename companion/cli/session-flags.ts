/** The flags that set something for a session, the same for a new one and for one that is changed. */
import path from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { settings as settingTable, type OwnSettings, type SettingName } from '#display/settings.ts';
import { inLanguage, words } from '#display/words.ts';
import type { Project, SessionInput } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';

export const settingFlags = {
  model: { type: 'string' },
  mode: { type: 'string' },
  effort: { type: 'string' },
  'max-turns': { type: 'string' },
  'max-cost': { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-minutes': { type: 'string' },
  'max-silence': { type: 'string' },
  'system-prompt': { type: 'string' },
  'allow-tool': { type: 'string', multiple: true },
} as const satisfies ParseArgsOptionsConfig;

export const settingUsage: readonly string[] = [
  '--model ID        the model',
  '--mode ID         how much the agent asks',
  '--effort LEVEL    how hard the model thinks, as the model offers it',
  '--max-turns N     stop after so many answers of the model to one prompt; 0 ends the limit',
  '--max-cost USD    stop when the session has cost so much; 0 ends the limit',
  '--max-tokens N    stop when the session has used so many tokens; 0 ends the limit',
  '--max-minutes N   stop a turn after so many minutes; 0 takes the usual limit',
  '--max-silence N   stop a turn whose agent says nothing for so many minutes; 0 takes the usual limit',
  '--system-prompt T what the agent is told beside its own instructions',
  '--allow-tool NAME may run without asking, as Read or "Bash(git status:*)"; again for each',
];

export type SessionWish = Partial<Pick<SessionInput, 'model' | 'mode' | 'effort'> & OwnSettings>;

type Given = { readonly [Flag in keyof typeof settingFlags]?: Flag extends 'allow-tool' ? string[] : string };

const limits = {
  'max-turns': 'maxTurns',
  'max-cost': 'maxCostUsd',
  'max-tokens': 'maxTokens',
  'max-minutes': 'maxTurnMs',
  'max-silence': 'maxSilenceMs',
} as const satisfies Partial<Record<keyof typeof settingFlags, SettingName>>;
const limitFlags = ['max-turns', 'max-cost', 'max-tokens', 'max-minutes', 'max-silence'] as const;

/** What the flags ask for; the error for a wrong value names its flag. */
export const readSettings = (given: Given): SessionWish => {
  let wish: SessionWish = {
    ...(given.model === undefined ? {} : { model: given.model }),
    ...(given.mode === undefined ? {} : { mode: given.mode }),
    ...(given.effort === undefined ? {} : { effort: given.effort }),
  };
  for (const flag of limitFlags) {
    const text = given[flag];
    if (text === undefined) continue;
    if (text.trim() === '') throw new CompanionError('CLI_USAGE', `--${flag} needs a value; 0 ends the limit.`);
    wish = { ...wish, ...readOne(flag, limits[flag], text === '0' ? '' : text) };
  }
  if (given['system-prompt'] !== undefined) wish = { ...wish, ...readOne('system-prompt', 'systemPrompt', given['system-prompt']) };
  if (given['allow-tool'] !== undefined) wish = { ...wish, ...readOne('allow-tool', 'allowedTools', given['allow-tool'].join('\n')) };
  return wish;
};

const say = inLanguage(words, 'en');

const readOne = (flag: string, name: SettingName, text: string): Partial<OwnSettings> => {
  const read = settingTable[name].read(text);
  if ('wrong' in read) throw new CompanionError('CLI_USAGE', `--${flag} "${text}": ${say(read.wrong, read.values)}`);
  return read.change;
};

/** The project of a folder; it is made when there is none. */
export const projectAt = async ({ client }: Io, folder: string): Promise<Project> => {
  assertFolder(folder);
  const rootPath = path.resolve(folder);
  const known = (await client.projects.list()).find((project) => project.rootPath === rootPath);
  return known ?? client.projects.save({ name: path.basename(rootPath) || rootPath, rootPath });
};

/** An empty name is a variable that a script has not set, and would be the folder one is in. */
export const assertFolder = (folder: string): void => {
  if (folder === '') throw new CompanionError('CLI_USAGE', 'The name of the project is empty.');
};
