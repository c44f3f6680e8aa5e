/** What claude says of itself when asked to initialize: who is logged in, and which models there are. */
import type { CommandInfo, ModelInfo } from '#protocol/engines.ts';
import { toCommands } from '#companion/engines/codecs/command-list.ts';
import { InitializeResponse } from './frames.ts';

export interface Introduction {
  readonly version: string | null;
  /** The account, or null when nobody is logged in. */
  readonly account: string | null;
  readonly models: readonly ModelInfo[];
  readonly commands: readonly CommandInfo[];
}

/** Reads the answer to `initialize`, which costs no request to the provider. */
export const readIntroduction = (response: unknown): Introduction => {
  const parsed = InitializeResponse.safeParse(response);
  // A newer claude may say it in another way; a missing login then shows at the first prompt.
  if (!parsed.success) return { version: null, account: 'unknown', models: [], commands: [] };
  const { account, models, commands, claude_code_version: version } = parsed.data;
  return {
    version: version ?? null,
    account: accountOf(account),
    // Its own name for no choice, which every front end offers by itself.
    models: (models ?? [])
      .filter(({ value }) => value !== 'default')
      .map(({ value, displayName, supportedEffortLevels }) => ({
        modelId: value,
        label: displayName ?? value,
        ...(supportedEffortLevels ? { efforts: supportedEffortLevels } : {}),
      })),
    commands: toCommands(withSkills(commands ?? [])),
  };
};

type Told = NonNullable<InitializeResponse['commands']>[number];

/** What is not its own was added by the person, the project or a plugin. An older claude does not tell which is its own. */
const withSkills = (commands: readonly Told[]): (Told & { isSkill: boolean })[] => {
  const isTold = commands.some(({ builtin }) => builtin === true);
  return commands.map((command) => ({ ...command, isSkill: isTold && command.builtin !== true }));
};

const accountOf = (account: InitializeResponse['account']): string | null => {
  if (account === null || account === undefined) return 'unknown';
  const sources = [account.tokenSource, account.apiKeySource].filter((source) => typeof source === 'string' && source !== 'none');
  // Cloud providers log in with their own credentials, which claude does not count as a token or key.
  const provider = account.apiProvider ?? 'firstParty';
  if (sources.length === 0) return provider === 'firstParty' ? null : provider;
  const who = [account.email, account.subscriptionType].filter((part) => typeof part === 'string' && part !== '');
  return who.length > 0 ? who.join(', ') : sources.join(', ');
};
