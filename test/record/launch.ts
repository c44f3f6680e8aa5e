/** How a scenario differs from agent to agent: what one does unasked, another does only in a mode of its own. */
import type { LaunchOptions } from '#companion/engines/engine.ts';

/** Scenarios that are about a permission; in all others the agent must not ask. */
const ASKING = new Set(['shell-allowed', 'shell-denied']);

const choices: Record<string, { readonly asking: string; readonly free: string; readonly model?: string }> = {
  codex: { asking: 'ask-always', free: 'default' },
  qwen: { asking: 'default', free: 'yolo' },
  // Left to itself it asks a model which model to ask.
  gemini: { asking: 'default', free: 'yolo', model: 'gemini-2.5-pro' },
  opencode: { asking: 'build', free: 'build-allowed' },
};

/** The launch of a scenario as it is recorded and as it is replayed. */
export const forScenario = (options: LaunchOptions, engine: string, scenario: string, resumed: string | null): LaunchOptions => {
  const choice = choices[engine];
  const mode = choice?.[ASKING.has(scenario) ? 'asking' : 'free'] ?? null;
  const settings = { ...options.settings, mode: options.settings.mode ?? mode, model: choice?.model ?? null };
  return { ...options, settings, engineSessionId: resumed };
};
