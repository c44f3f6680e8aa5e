/** The secrets that an agent may come across in a run. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { LaunchOptions } from '#companion/engines/engine.ts';
import { secretsIn, secretsInArguments, secretsSetByHand } from '#companion/lib/redact.ts';
import type { Place } from './run.ts';

/** A larger file is not taken for a list of MCP servers. */
const MAX_FILE_BYTES = 1024 * 1024;

const Variables = z.record(z.string(), z.string()).catch({});
const McpServer = z.object({
  args: z.array(z.string()).catch([]),
  env: Variables,
  headers: Variables,
  url: z.string().catch(''),
});
const McpFile = z.object({ mcpServers: z.record(z.string(), z.unknown()) });

/** Stored keys, the token of this run, and the secrets among the variables and MCP servers of the project. */
export const secretsOfRun = (
  launch: Pick<LaunchOptions, 'cwd' | 'mcp' | 'secrets'>,
  place: Pick<Place, 'env' | 'loginEnv' | 'leadingArgs'>,
): string[] => [
  launch.mcp?.token ?? '',
  ...Object.values(launch.secrets),
  ...secretsSetByHand(place.env),
  ...secretsIn(place.loginEnv),
  ...secretsInArguments(place.leadingArgs),
  ...secretsOfProject(launch.cwd),
];

/** The secrets of the MCP servers that the project in `folder` names. */
export const secretsOfProject = (folder: string): string[] => {
  const file = path.join(folder, '.mcp.json');
  try {
    if (statSync(file).size > MAX_FILE_BYTES) return [];
    const { mcpServers } = McpFile.parse(JSON.parse(readFileSync(file, 'utf8')));
    return Object.values(mcpServers).flatMap((server) => {
      const { args, env, headers, url } = McpServer.safeParse(server).data ?? { args: [], env: {}, headers: {}, url: '' };
      return [...secretsInArguments(args), ...secretsSetByHand(env), ...secretsSetByHand(headers), ...secretsIn({ url })];
    });
  } catch {
    // There is no such file, or it cannot be read.
    return [];
  }
};
