/** The settings of a session as existing clients write them: in the form of the SDKs of two agents. Pure. */
import * as z from 'zod';
import type { SessionSettings } from '#protocol/events.ts';

const unread = z.unknown().optional();

/** A system prompt. Here it always comes after the agent's own, which is never replaced. */
export const SystemPromptConfig = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('custom'), text: z.string().max(1_000_000) }),
  z.strictObject({ type: z.literal('preset'), preset: z.string().max(200), append: z.string().max(1_000_000).optional() }),
]);

/** What has a counterpart is read; what has none is taken all the same, so that the clients are not refused, and named in the answer. */
export const OptionsConfig = z.strictObject({
  /** Of agents that take them. */
  allowedTools: z.array(z.string().max(1000)).max(1000).nullable().optional(),
  maxTurns: z.number().int().positive().nullable().optional(),
  maxBudgetUsd: z.number().positive().nullable().optional(),
  /** Of these, `reasoningEffort` is read. */
  codexConfig: z.record(z.string(), z.unknown()).nullable().optional(),
  settingSources: unread,
  disallowedTools: unread,
  tools: unread,
  betas: unread,
  maxThinkingTokens: unread,
  mcpServers: unread,
  outputFormat: unread,
  enableFileCheckpointing: unread,
  sandbox: unread,
  env: unread,
});

export interface SdkOptions {
  readonly systemPromptConfig?: z.output<typeof SystemPromptConfig> | null | undefined;
  readonly optionsConfig?: z.output<typeof OptionsConfig> | null | undefined;
}

type Change = { -readonly [Name in 'systemPrompt' | 'allowedTools' | 'maxTurns' | 'maxCostUsd' | 'effort']?: SessionSettings[Name] };

/** The same as our own settings; what is absent stays absent, and null goes back to the default. */
export const toSettings = ({ systemPromptConfig, optionsConfig }: SdkOptions): Change => ({
  ...(systemPromptConfig === undefined ? {} : { systemPrompt: textOf(systemPromptConfig) }),
  ...(optionsConfig === null ? { allowedTools: [], maxTurns: null, maxCostUsd: null, effort: null } : toLimits(optionsConfig ?? {})),
});

const textOf = (config: NonNullable<SdkOptions['systemPromptConfig']> | null): string | null => {
  const text = config === null ? '' : config.type === 'custom' ? config.text : (config.append ?? '');
  return text === '' ? null : text;
};

const toLimits = ({ allowedTools, maxTurns, maxBudgetUsd, codexConfig }: z.output<typeof OptionsConfig>): Change => ({
  ...(allowedTools === undefined ? {} : { allowedTools: allowedTools ?? [] }),
  ...(maxTurns === undefined ? {} : { maxTurns }),
  ...(maxBudgetUsd === undefined ? {} : { maxCostUsd: maxBudgetUsd }),
  ...effortOf(codexConfig?.['reasoningEffort']),
});

const effortOf = (effort: unknown): Change => (typeof effort === 'string' || effort === null ? { effort } : {});

const READ = new Set(['allowedTools', 'maxTurns', 'maxBudgetUsd', 'codexConfig']);

/** The names of the options that say something and have no effect. */
export const ignoredOptions = ({ optionsConfig }: SdkOptions, takesAllowedTools: boolean): string[] => {
  const given = optionsConfig ?? {};
  const isRead = (name: string): boolean => READ.has(name) && (name !== 'allowedTools' || takesAllowedTools);
  return [
    ...Object.entries(given).filter(([name, value]) => !isRead(name) && saysSomething(value)),
    ...Object.entries(given.codexConfig ?? {})
      .filter(([name, value]) => name !== 'reasoningEffort' && saysSomething(value))
      .map(([name, value]): [string, unknown] => [`codexConfig.${name}`, value]),
  ].map(([name]) => `optionsConfig.${name}`);
};

const saysSomething = (value: unknown): boolean => {
  if (value === undefined || value === null || value === false || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
};

/** What a session is set to, in the form of existing clients. */
export const fromSettings = (settings: SessionSettings): Required<SdkOptions> => {
  const { systemPrompt, allowedTools, maxTurns, maxCostUsd, effort } = settings;
  const limits = {
    ...(allowedTools.length === 0 ? {} : { allowedTools: [...allowedTools] }),
    ...(maxTurns === null ? {} : { maxTurns }),
    ...(maxCostUsd === null ? {} : { maxBudgetUsd: maxCostUsd }),
    ...(effort === null ? {} : { codexConfig: { reasoningEffort: effort } }),
  };
  return {
    systemPromptConfig: systemPrompt === null ? null : { type: 'preset', preset: 'claude_code', append: systemPrompt },
    optionsConfig: Object.keys(limits).length === 0 ? null : limits,
  };
};
