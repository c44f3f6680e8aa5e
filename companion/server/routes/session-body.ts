/** Sessions as the API takes and gives them. */
import type * as z from 'zod';
import { SessionInput, type SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { EnginesDoor, SessionsDoor } from '../deps.ts';

/** Every field is optional, null clears. */
export const SessionPatch = SessionInput.extend({ name: SessionInput.shape.name.nullable() }).partial();
type SessionPatch = z.infer<typeof SessionPatch>;

/** The settings a body names; what it leaves out stays as it is. */
export const toSettings = (engines: EnginesDoor, engineName: string, body: SessionPatch): Partial<SessionSettings> => {
  const mode = body.allowDangerouslySkipPermissions === true ? dangerousMode(engines, engineName) : body.permissionMode;
  checkMode(engines, engineName, mode);
  checkTools(engines, engineName, body.allowedTools ?? []);
  return {
    ...(body.model === undefined ? {} : { model: body.model }),
    ...(mode === undefined ? {} : { mode }),
    ...(body.effort === undefined ? {} : { effort: body.effort }),
    ...(body.systemPrompt === undefined ? {} : { systemPrompt: body.systemPrompt }),
    ...(body.allowedTools === undefined ? {} : { allowedTools: body.allowedTools }),
    ...(body.maxTurns === undefined ? {} : { maxTurns: body.maxTurns }),
    ...(body.maxCostUsd === undefined ? {} : { maxCostUsd: body.maxCostUsd }),
  };
};

/** A summary with the names that existing clients of `/agent` read. */
export const toApiSession = (engines: EnginesDoor, summary: SessionSummary): SessionSummary & Record<string, unknown> => ({
  ...summary,
  permissionMode: summary.mode,
  allowDangerouslySkipPermissions: modesOf(engines, summary.engineName).some(
    ({ modeId, isDangerous }) => isDangerous && modeId === summary.mode,
  ),
});

export const findSummary = (sessions: SessionsDoor, sessionId: SessionId): SessionSummary => {
  const summary = sessions.list().find(({ id }) => id === sessionId);
  if (summary === undefined) throw new CompanionError('SESSION_NOT_FOUND');
  return summary;
};

const dangerousMode = (engines: EnginesDoor, engineName: string): string => {
  const mode = modesOf(engines, engineName).find(({ isDangerous }) => isDangerous);
  if (mode === undefined) throw new CompanionError('ENGINE_UNSUPPORTED', `${engineName} has no mode that skips permissions.`);
  return mode.modeId;
};

/** An agent started with a mode that it does not have ends at once, and says so in its own words at best. */
const checkMode = (engines: EnginesDoor, engineName: string, mode: string | null | undefined): void => {
  const modes = modesOf(engines, engineName).map(({ modeId }) => modeId);
  if (typeof mode !== 'string' || modes.length === 0 || modes.includes(mode)) return;
  throw new CompanionError('INPUT_INVALID', `permissionMode: "${mode}" is none of the modes of ${engineName}: ${modes.join(', ')}.`);
};

/** Elsewhere they would be kept and not heeded. */
const checkTools = (engines: EnginesDoor, engineName: string, tools: readonly string[]): void => {
  const engine = engines.list().find(({ name }) => name === engineName);
  if (tools.length === 0 || engine === undefined || engine.capabilities.hasAllowedTools === true) return;
  throw new CompanionError('ENGINE_UNSUPPORTED', `${engine.label} takes no allowed tools.`, {
    remedy: 'Leave them out: it asks for what it needs.',
  });
};

const modesOf = (engines: EnginesDoor, engineName: string) => engines.list().find(({ name }) => name === engineName)?.modes ?? [];
