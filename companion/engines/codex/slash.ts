/** Codex's slash commands: its skills, and what it does with a thread by a request of its own. */
import * as z from 'zod';
import type { CommandInfo } from '#protocol/engines.ts';
import { toCommands } from '#companion/engines/codecs/command-list.ts';
import type { RpcAnswer } from '#companion/engines/codecs/json-rpc.ts';
import type { EnginePrompt } from '../engine.ts';
import type { TurnItem } from './input.ts';

const SkillsAnswer = z.object({
  data: z.array(
    z.object({
      skills: z.array(
        z.object({
          name: z.string(),
          description: z.string().nullish(),
          shortDescription: z.string().nullish(),
          path: z.string(),
          enabled: z.boolean().nullish(),
        }),
      ),
    }),
  ),
});

interface Skill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
}

/** None where codex is too old to tell. */
export const skillsIn = (answer: RpcAnswer): Skill[] => {
  const parsed = SkillsAnswer.safeParse('result' in answer ? answer.result : undefined);
  if (!parsed.success) return [];
  return parsed.data.data
    .flatMap(({ skills }) => skills)
    .filter(({ enabled }) => enabled !== false)
    .map(({ name, path, description, shortDescription }) => ({ name, path, description: shortDescription ?? description ?? '' }));
};

const OWN = [
  { name: 'compact', description: 'Sum the conversation up, so that there is room again' },
  { name: 'review', description: 'Review the uncommitted changes, or what is written after it' },
] as const;

export const commandsOf = (skills: readonly Skill[]): CommandInfo[] =>
  toCommands([...OWN, ...skills.map((skill) => ({ ...skill, isSkill: true }))]);

/** A prompt that begins with a command: its name, and the words after it. Null for any other, such as one that begins with a path. */
export const slashIn = (text: string): { readonly name: string; readonly words: string } | null => {
  const [, name, words = ''] = /^\/([\w:.-]+)(?:\s+([^]*))?$/.exec(text) ?? [];
  return name === undefined ? null : { name, words: words.trim() };
};

/** The names in a prompt that may be skills: that of a command at its beginning, and those with codex's own sign. */
export const skillNamesIn = (text: string): readonly string[] => {
  const slash = slashIn(text);
  return [...(slash === null ? [] : [slash.name]), ...Array.from(text.matchAll(/(?<=^|\s)\$([\w:.-]*\w)/g), ([, name = '']) => name)];
};

/** The request for a command that codex has for itself; null for a skill and all else. */
export const ownRequest = (
  threadId: string,
  { text, attachments }: Pick<EnginePrompt, 'text' | 'attachments'>,
): { readonly method: string; readonly params: object } | null => {
  // These requests take no attachments, and nothing that was attached is lost without a word.
  const slash = attachments.length === 0 ? slashIn(text) : null;
  if (slash?.name === 'compact') return { method: 'thread/compact/start', params: { threadId } };
  if (slash?.name !== 'review') return null;
  const target = slash.words === '' ? { type: 'uncommittedChanges' } : { type: 'custom', instructions: slash.words };
  return { method: 'review/start', params: { threadId, target } };
};

/** The input of a prompt, which calls the skills that it names: codex takes each by its path, and by its sign in the words. */
export const withSkills = (input: readonly TurnItem[], skills: readonly Skill[]): readonly TurnItem[] => {
  const [first, ...others] = input;
  if (first?.type !== 'text') return input;
  const names = skillNamesIn(first.text);
  const called = skills.filter(({ name }) => names.includes(name));
  const slash = slashIn(first.text);
  const text = called.some(({ name }) => name === slash?.name) ? first.text.replace('/', '$') : first.text;
  return [{ ...first, text }, ...called.map(({ name, path }) => ({ type: 'skill', name, path }) as const), ...others];
};
