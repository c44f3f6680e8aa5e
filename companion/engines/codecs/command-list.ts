/** The slash commands of an agent, as the front ends list them. */
import type { CommandInfo } from '#protocol/engines.ts';

/** What is shown of them is one line; each list of the agents travels with them. */
const MAX_COMMANDS = 300;
const MAX_DESCRIPTION = 160;

interface Told {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly isSkill?: boolean;
}

export const toCommands = (told: readonly Told[]): CommandInfo[] =>
  told.slice(0, MAX_COMMANDS).map(({ name, description, isSkill = false }) => ({
    name,
    ...(description ? { description: description.slice(0, MAX_DESCRIPTION) } : {}),
    ...(isSkill ? { isSkill } : {}),
  }));
