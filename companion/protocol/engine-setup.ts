/** What a user sets for an agent: where it lies, how it is started, its keys. A key goes in and never comes out again. */
import * as z from 'zod';
import { EngineInfo } from './engines.ts';

/** The name of an agent that the user adds: letters that a person can type and a file name can contain. */
export const EngineName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,40}$/, 'small letters, digits, - and _ only');

/** The name of an environment variable, or of a secret that is passed as one. */
export const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'letters, digits and _ only');

const Word = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !text.includes('\0'), 'must not hold a NUL character');

/** Where a secret lies: in the system's keychain, or in a file of the user's that is not encrypted. */
export const SecretPlace = z.enum(['keychain', 'file']);

export const EngineSetup = z.object({
  engine: EngineInfo,
  isDisabled: z.boolean(),
  settings: z.object({
    path: z.string().optional(),
    args: z.array(z.string()),
    /** Only the names of the variables, because a value may be secret. */
    envNames: z.array(z.string()),
    endpoint: z.string().optional(),
  }),
  /** Whether the agent is a server at an address rather than a program. */
  hasEndpoint: z.boolean(),
  /** The secrets that the agent reads, and those that the user added. */
  secrets: z.array(z.object({ name: z.string(), isSet: z.boolean(), place: SecretPlace.optional() })),
  /** Secrets of other names may be added: only its user knows what it reads. */
  hasOpenSecrets: z.boolean(),
});
export type EngineSetup = z.infer<typeof EngineSetup>;

/** A key that is left out stays as it is, and null removes it. Program, arguments and variables are taken by the private socket only. */
export const EngineSettingsInput = z.strictObject({
  isDisabled: z.boolean().optional(),
  endpoint: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullable()
    .optional(),
  path: Word.nullable().optional(),
  args: z.array(z.string().max(4096)).max(100).nullable().optional(),
  env: z.record(VariableName, z.string().max(10_000).nullable()).optional(),
});
export type EngineSettingsInput = z.infer<typeof EngineSettingsInput>;

/** Null removes the secret. */
export const SecretInput = z.strictObject({
  value: z
    .string()
    .min(1)
    .max(10_000)
    .regex(/^[^\p{Cc}]+$/u, 'must be one line')
    .nullable(),
});
export type SecretInput = z.infer<typeof SecretInput>;

/** An agent of the user's own that speaks ACP. */
export const CustomEngineInput = z.strictObject({
  name: EngineName,
  label: z.string().min(1).max(80).optional(),
  command: Word,
  args: z.array(z.string().max(4096)).max(100),
});
export type CustomEngineInput = z.infer<typeof CustomEngineInput>;
