/** The state of agents, the order in which they are offered, and the mode of a session for which none was chosen. */
import type { EngineInfo, ModeInfo } from '#protocol/engines.ts';
import { saidText } from './said.ts';
import { words, type SayWord, type WordKey } from './words.ts';

const statusWords = {
  ready: 'ready',
  not_installed: 'not_installed',
  too_old: 'too_old',
  not_logged_in: 'not_logged_in',
  failed: 'engine_failed',
  unchecked: 'unchecked',
} as const;

/** Whether Pilotfish itself drives the model: then there is no program to install, but a server is needed. */
export const wantsServer = ({ capabilities }: EngineInfo): boolean => capabilities.mcp.includes('bridge');

/** What an agent or a mode is called: by Pilotfish in the language of the reader, by itself as it came. */
export const labelText = ({ label, labelCode }: Pick<ModeInfo, 'label' | 'labelCode'>, say: SayWord): string =>
  labelCode === undefined ? label : saidText({ code: labelCode, values: {}, text: label }, say);

/** What a mode does; empty where nobody tells. */
export const modeDescription = ({ description: text = '', descriptionCode: code }: ModeInfo, say: SayWord): string =>
  code === undefined ? text : saidText({ code, values: {}, text }, say);

/** Whether it works, or what is missing. */
export const engineStatusText = (say: SayWord, engine: EngineInfo): string =>
  say(engine.status === 'not_installed' && wantsServer(engine) ? 'no_server' : statusWords[engine.status]);

/** The command that mends what is missing; null where that is a sentence, or nothing is known. */
export const commandOf = ({ fix }: EngineInfo): string | null => (fix === undefined || fix.endsWith('.') ? null : fix);

/** How hard a model is to think: the words that agents have for it, and for others the agent's own. */
export const effortText = (effort: string, say: SayWord): string => {
  const key = `effort_${effort}`;
  return isWordKey(key) ? say(key) : effort;
};

const isWordKey = (key: string): key is WordKey => Object.hasOwn(words, key);

/** Whether a session may be started with it; an engine that was not checked is checked by starting it. */
export const isUsable = ({ status }: EngineInfo): boolean => status === 'ready' || status === 'unchecked';

const order: readonly EngineInfo['status'][] = ['ready', 'not_logged_in', 'too_old', 'failed', 'unchecked', 'not_installed'];

/** Engines that work come first, then those that a command would mend, then those that are not installed. */
export const byStatus = (one: EngineInfo, other: EngineInfo): number => order.indexOf(one.status) - order.indexOf(other.status);

/** What is offered while no agent can answer. */
export interface AgentOffer {
  /** What is nearest to answering: an agent that was found, else the first that a command installs. */
  readonly best: EngineInfo | null;
  /** A model on this machine, where no agent was found. */
  readonly local: EngineInfo | null;
  readonly rest: readonly EngineInfo[];
}

export const offerAgents = (engines: readonly EngineInfo[]): AgentOffer => {
  const isHard = (engine: EngineInfo): boolean => engine.status === 'not_installed' && (wantsServer(engine) || engine.fix === undefined);
  const sorted = engines.toSorted((one, other) => byStatus(one, other) || Number(isHard(one)) - Number(isHard(other)));
  const [best = null, ...others] = sorted;
  const local = best?.status === 'not_installed' ? (others.find(wantsServer) ?? null) : null;
  return { best, local, rest: others.filter((engine) => engine !== local) };
};

/** The mode of a session: the chosen one, or the engine's own default. Null when the engine has none or does not say. */
export const modeOf = (engine: EngineInfo | null | undefined, chosen: string | null): ModeInfo | null => {
  const modes = engine?.modes ?? [];
  const modeId = chosen ?? engine?.defaultMode;
  if (modeId !== undefined) return modes.find((mode) => mode.modeId === modeId) ?? null;
  return modes.find((mode) => !mode.isDangerous) ?? null;
};
