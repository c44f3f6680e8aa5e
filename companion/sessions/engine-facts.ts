/** What a session needs to know of its engine, which may have been removed or switched off since. */
import type { ModeInfo } from '#protocol/engines.ts';
import type { EngineDirectory } from './engine-directory.ts';

/** What the engine can; nothing when it is gone, and the next turn says so. */
export const capabilitiesOf = (engines: EngineDirectory, name: string): { canSteer: boolean; canResume: boolean } =>
  engines.known().find(({ engine }) => engine.name === name)?.engine.capabilities ?? { canSteer: false, canResume: false };

/** Its modes as it told them when it was checked, or as it is known to have. */
export const modesOf = (engines: EngineDirectory, name: string): readonly ModeInfo[] =>
  engines.known().find(({ engine }) => engine.name === name)?.info.modes ?? [];
