/** What a session needs to know of its engine, which may have been removed or switched off since. */
import type { ModeInfo } from '#protocol/engines.ts';
import type { EngineCatalogue } from './engine-catalogue.ts';

/** What the engine can; nothing when it is gone, and the next turn says so. */
export const capabilitiesOf = (engines: EngineCatalogue, name: string): { canSteer: boolean; canResume: boolean } =>
  engines.known().find(({ engine }) => engine.name === name)?.engine.capabilities ?? { canSteer: false, canResume: false };

/** What starting it depends on: its modes as it told them when it was checked, or as it is known to have, and its limits. */
export const startFactsOf = (engines: EngineCatalogue, name: string): { modes: readonly ModeInfo[]; hasLimitsAtStart: boolean } => {
  const known = engines.known().find(({ engine }) => engine.name === name);
  return {
    modes: known?.info.modes ?? [],
    hasLimitsAtStart: known?.engine.type === 'process' && known.engine.hasLimitsAtStart === true,
  };
};
