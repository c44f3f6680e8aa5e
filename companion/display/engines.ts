/** How agents stand, in which order they are offered, and which mode holds where none was chosen. */
import type { EngineInfo, ModeInfo } from '#protocol/engines.ts';
import type { SayWord } from './words.ts';

const statusWords = {
  ready: 'ready',
  not_installed: 'not_installed',
  too_old: 'too_old',
  not_logged_in: 'not_logged_in',
  failed: 'engine_failed',
  unchecked: 'unchecked',
} as const;

/** Whether it is a model that Pilotfish itself drives: it has no program to install and wants a server. */
export const wantsServer = ({ capabilities }: EngineInfo): boolean => capabilities.mcp.includes('bridge');

/** Whether it works, or what it lacks. */
export const engineStatusText = (say: SayWord, engine: EngineInfo): string =>
  say(engine.status === 'not_installed' && wantsServer(engine) ? 'no_server' : statusWords[engine.status]);

/** Whether a session may be begun with it: one that was not checked is checked by beginning. */
export const isUsable = ({ status }: EngineInfo): boolean => status === 'ready' || status === 'unchecked';

const order: readonly EngineInfo['status'][] = ['ready', 'not_logged_in', 'too_old', 'failed', 'unchecked', 'not_installed'];

/** Working ones first, then those a command would mend, then what is not here at all. */
export const byStatus = (one: EngineInfo, other: EngineInfo): number => order.indexOf(one.status) - order.indexOf(other.status);

/** The mode a session is in: the chosen one, or the engine's own default. Null where the engine has none or does not say. */
export const modeOf = (engine: EngineInfo | null | undefined, chosen: string | null): ModeInfo | null => {
  const modes = engine?.modes ?? [];
  const modeId = chosen ?? engine?.defaultMode;
  if (modeId !== undefined) return modes.find((mode) => mode.modeId === modeId) ?? null;
  return modes.find((mode) => !mode.isDangerous) ?? null;
};
