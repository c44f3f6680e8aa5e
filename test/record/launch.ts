/** How a scenario differs from agent to agent: what one does unasked, another does only in a mode of its own. */
import type { LaunchOptions } from '#companion/engines/engine.ts';

/** Scenarios that are about a permission; in all others the agent must not ask. */
const ASKING = new Set(['shell-allowed', 'shell-denied']);

const modes: Record<string, { readonly asking: string; readonly free: string }> = {
  codex: { asking: 'ask-always', free: 'default' },
  qwen: { asking: 'default', free: 'yolo' },
  gemini: { asking: 'default', free: 'yolo' },
  opencode: { asking: 'build', free: 'build-allowed' },
};

/** The launch of a scenario as it is recorded and as it is replayed. */
export const forScenario = (options: LaunchOptions, engine: string, scenario: string, resumed: string | null): LaunchOptions => {
  const mode = modes[engine]?.[ASKING.has(scenario) ? 'asking' : 'free'] ?? null;
  return { ...options, settings: { ...options.settings, mode: options.settings.mode ?? mode }, engineSessionId: resumed };
};

/** Engines whose recordings are made by record.ts. */
export const recordedEngines = Object.keys(modes);
