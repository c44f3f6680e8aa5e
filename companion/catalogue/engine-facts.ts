/** What a session needs to know of its engine, which may have been removed or switched off since. */
import type { ModeInfo } from '#protocol/engines.ts';
import type { EngineCatalogue } from './engine-catalogue.ts';

/** The capabilities of the engine. There are none when it was removed; the next turn says so. */
export const capabilitiesOf = (engines: EngineCatalogue, name: string): { canSteer: boolean; canResume: boolean } =>
  engines.known().find(({ engine }) => engine.name === name)?.engine.capabilities ?? { canSteer: false, canResume: false };

interface RunFacts {
  readonly modes: readonly ModeInfo[];
  readonly hasLimitsAtStart: boolean;
  /** Null where the usual time is enough. */
  readonly stopTimeoutMs: number | null;
}

/**
 * What its start and its stop depend on: the modes it reported when it was checked, or those it is known to have, its limits, and how long it may
 * take to end its turn.
 */
export const runFactsOf = (engines: EngineCatalogue, name: string): RunFacts => {
  const known = engines.known().find(({ engine }) => engine.name === name);
  const own = known?.engine.type === 'process' ? known.engine : null;
  return {
    modes: known?.info.modes ?? [],
    hasLimitsAtStart: own?.hasLimitsAtStart === true,
    stopTimeoutMs: own?.stopTimeoutMs ?? null,
  };
};
