/** What every surface knows of an engine: whether it works here, what it still needs, what it can do. */
import * as z from 'zod';
import { ErrorBody } from './errors.ts';

/** What an engine really can; callers read these, never names. */
export const Capabilities = z.object({
  canResume: z.boolean(),
  canInterrupt: z.boolean(),
  canSteer: z.boolean(),
  hasPermissions: z.boolean(),
  hasQuestions: z.boolean(),
  hasPlan: z.boolean(),
  hasThoughts: z.boolean(),
  hasUsage: z.boolean(),
  hasImages: z.boolean(),
  hasShell: z.boolean(),
  hasModels: z.boolean(),
  /** Commands and subagents may run in the background, each with a stop of its own. */
  canStopTasks: z.boolean().optional(),
  /** What a command in the background has written can be read while it runs. */
  canReadTasks: z.boolean().optional(),
  /** Tools can be allowed for a session beforehand. */
  hasAllowedTools: z.boolean().optional(),
  mcp: z.array(z.enum(['http', 'stdio', 'bridge'])),
});
export type Capabilities = z.infer<typeof Capabilities>;

export const ModelInfo = z.object({ modelId: z.string(), label: z.string(), efforts: z.array(z.string()).optional() });
export type ModelInfo = z.infer<typeof ModelInfo>;

/** A command that a prompt may begin with, after a slash. A skill, which the person or the project has added, may be named anywhere in it. */
export const CommandInfo = z.object({ name: z.string(), description: z.string().optional(), isSkill: z.boolean().optional() });
export type CommandInfo = z.infer<typeof CommandInfo>;

/** `isDangerous`: nothing asks any more; shown all the time, never the default. */
export const ModeInfo = z.object({
  modeId: z.string(),
  label: z.string(),
  /** What `label` says, where Pilotfish names it. */
  labelCode: z.string().optional(),
  description: z.string().optional(),
  descriptionCode: z.string().optional(),
  isDangerous: z.boolean(),
});
export type ModeInfo = z.infer<typeof ModeInfo>;

export const EngineInfo = z.object({
  name: z.string(),
  label: z.string(),
  /** What `label` says, where it is no name of a program. */
  labelCode: z.string().optional(),
  status: z.enum(['ready', 'not_installed', 'too_old', 'not_logged_in', 'failed', 'unchecked']),
  version: z.string().optional(),
  path: z.string().optional(),
  /** How the path was found: settings, login shell, a known folder. */
  pathSource: z.string().optional(),
  /** Who is logged in or by what, without any secret. */
  account: z.string().optional(),
  error: ErrorBody.optional(),
  /** The command that mends it, ready to paste. */
  fix: z.string().optional(),
  /** The command that logs in; absent where there is none. */
  loginCommand: z.string().optional(),
  capabilities: Capabilities,
  models: z.array(ModelInfo),
  modes: z.array(ModeInfo),
  /** Its slash commands; absent where it does not tell them. */
  commands: z.array(CommandInfo).optional(),
  /** Which of `modes` a session has whose user chose none; absent while nobody knows. */
  defaultMode: z.string().optional(),
  isCustom: z.boolean(),
  checkedAt: z.number().optional(),
});
export type EngineInfo = z.infer<typeof EngineInfo>;

/** Whether it asks in one way only: an agent may tell its modes when it is started, so this is known once it was ready. */
export const hasNoModes = ({ status, modes }: EngineInfo): boolean => status === 'ready' && modes.length === 0;
