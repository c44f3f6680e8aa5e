/** Which changes of a session's settings a running agent cannot take up. */
import type { ModeInfo } from '#protocol/engines.ts';
import type { SessionSettings } from '#protocol/events.ts';

/**
 * Whether the process has to be started anew. To and from a mode in which nothing asks too: agents refuse to enter one they were
 * not started for, and one that has been in it is not trusted to have left it.
 */
export const needsRestart = (
  before: Pick<SessionSettings, 'mode'>,
  change: { readonly [K in keyof SessionSettings]?: SessionSettings[K] | undefined },
  { modes, hasLimitsAtStart = false }: { readonly modes: readonly ModeInfo[]; readonly hasLimitsAtStart?: boolean | undefined },
): boolean => {
  const isDangerous = (modeId: string | null): boolean => modes.find((mode) => mode.modeId === modeId)?.isDangerous ?? false;
  const isOtherDanger = change.mode !== undefined && change.mode !== before.mode && (isDangerous(before.mode) || isDangerous(change.mode));
  const hasOtherLimits = hasLimitsAtStart && (change.maxTurns !== undefined || change.maxCostUsd !== undefined);
  return hasOtherLimits || change.systemPrompt !== undefined || change.allowedTools !== undefined || isOtherDanger;
};
