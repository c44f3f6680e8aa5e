/** What an ACP agent may ask the client to do for it: read and write files and run commands, inside the project only. */
import path from 'node:path';
import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '#companion/engines/codecs/json-rpc.ts';
import type { ErrorBody, ErrorCode } from '#protocol/errors.ts';
import type { ItemPatch } from '#protocol/items.ts';

const Place = z.looseObject({ path: z.string().optional(), cwd: z.string().nullish() });

const METHODS = new Set([
  'fs/read_text_file',
  'fs/write_text_file',
  'terminal/create',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
]);

/** The capabilities that `initialize` announces for it. */
export const serviceCapabilities = (usesServices: boolean): ClientCapabilities => ({
  fs: { readTextFile: usesServices, writeTextFile: usesServices },
  terminal: usesServices,
});

export const isServiceMethod = (method: string): boolean => METHODS.has(method);

/**
 * Whether a call is about a place inside the project. The runner resolves links and checks again; what is plainly
 * outside never gets that far.
 */
export const isInProject = (params: unknown, root: string): boolean => {
  const place = Place.safeParse(params);
  if (!place.success) return false;
  const relative = path.relative(root, path.resolve(root, place.data.path ?? place.data.cwd ?? root));
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
};

const OfTerminal = z.looseObject({ terminalId: z.string() });

/** The terminal a call is about, or the one it has made. */
export const terminalIn = (value: unknown): string | undefined => {
  const parsed = OfTerminal.safeParse(value);
  return parsed.success ? parsed.data.terminalId : undefined;
};

/** The file or folder a call is about. */
export const placeIn = (params: unknown): string => {
  const parsed = Place.safeParse(params);
  return parsed.success ? (parsed.data.path ?? parsed.data.cwd ?? '') : '';
};

const TerminalState = z.object({
  output: z.string(),
  exitStatus: z.looseObject({ exitCode: z.number().nullish() }).nullish(),
});

/** The part of a terminal's state that the item of its call shows. */
export const stateIn = (result: unknown): ItemPatch | null => {
  const parsed = TerminalState.safeParse(result);
  if (!parsed.success) return null;
  const { output, exitStatus } = parsed.data;
  const exitCode = exitStatus?.exitCode ?? undefined;
  return { text: output, ...(exitCode === undefined ? {} : { exitCode }) };
};

/** ACP's code for a file that is not there. */
const RESOURCE_NOT_FOUND = -32_002;

/** A fault of Pilotfish, not of the agent. */
const INTERNAL_ERROR = -32_603;

const refusals: Partial<Record<ErrorCode, number>> = {
  FILE_NOT_FOUND: RESOURCE_NOT_FOUND,
  ENGINE_UNSUPPORTED: METHOD_NOT_FOUND,
  INPUT_INVALID: INVALID_PARAMS,
  INPUT_TOO_LARGE: INVALID_PARAMS,
  WORKSPACE_OUTSIDE_ROOTS: INVALID_PARAMS,
};

/** What the agent is told of a refusal. An agent that makes a new file looks for it first, and may know only ACP's own phrase. */
export const toRefusal = ({ code, message }: ErrorBody, place: string): { code: number; message: string } => ({
  code: refusals[code] ?? INTERNAL_ERROR,
  message: code === 'FILE_NOT_FOUND' ? `Resource not found: ${place}` : message,
});
