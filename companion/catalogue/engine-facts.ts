/** What a session needs to know of its engine, which may have been removed or switched off since. */
import type { ModeInfo } from '#protocol/engines.ts';
import type { EngineCatalogue } from './engine-catalogue.ts';

/** The capabilities of the engine. There are none when it was removed; the next turn says so. */
export const capabilitiesOf = (engines: EngineCatalogue, name: string): { canSteer: boolean; canResume: boolean } =>
  engines.known().find(({ engine }) => engine.name === name)?.engine.capabilities ?? { canSteer: false, canResume: false };

/** What its start depends on: the modes it reported when it was checked, or those it is known to have, and its limits. */
export const startFactsOf = (engines: EngineCatalogue, name: string): { modes: readonly ModeInfo[]; hasLimitsAtStart: boolean } => {
  const known = engines.known().find(({ engine }) => engine.name === name);
  return {
    modes: known?.info.modes ?? [],
    hasLimitsAtStart: known?.engine.type === 'process' && known.engine.hasLimitsAtStart === true,
  };
};

/** How long it may take to end its turn when that is stopped; null where the usual time is enough. */
export const stopTimeoutOf = (engines: EngineCatalogue, name: string): { stopTimeoutMs: number | null } => {
  const known = engines.known().find(({ engine }) => engine.name === name);
  return { stopTimeoutMs: known?.engine.type === 'process' ? (known.engine.stopTimeoutMs ?? null) : null };
};
