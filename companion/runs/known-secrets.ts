/** The secrets that an agent may come across in a run: they are blotted out of all that is kept of it. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { LaunchOptions } from '#companion/engines/engine.ts';
import { secretsIn, secretsInArguments } from '#companion/lib/redact.ts';
import type { Place } from './run.ts';

/** A list of MCP servers that is larger is none. */
const MAX_FILE_BYTES = 1024 * 1024;

const Variables = z.record(z.string(), z.string()).catch({});
const McpServer = z.object({
  args: z.array(z.string()).catch([]),
  env: Variables,
  headers: Variables,
  url: z.string().catch(''),
});
const McpFile = z.object({ mcpServers: z.record(z.string(), z.unknown()) });

/** Stored keys, the token of this run, and what is secret among the variables and the MCP servers of the project. */
export const knownSecrets = (
  launch: Pick<LaunchOptions, 'cwd' | 'mcp' | 'secrets'>,
  place: Pick<Place, 'env' | 'loginEnv' | 'leadingArgs'>,
): string[] => [
  launch.mcp?.token ?? '',
  ...Object.values(launch.secrets),
  ...userValues(place.env),
  ...secretsIn(place.loginEnv),
  ...secretsInArguments(place.leadingArgs),
  ...inMcpFile(path.join(launch.cwd, '.mcp.json')),
];

/** What a person set for an agent or a server by hand is a key more often than not, whatever its name is. */
const userValues = (variables: Readonly<Record<string, string>>): string[] => [
  ...secretsIn(variables),
  ...Object.entries(variables).flatMap(([name, value]) => (HARMLESS_NAME.test(name) || HARMLESS_VALUE.test(value) ? [] : [value])),
];

const HARMLESS_NAME =
  /(?:^|_)(?:MODELS?|URL|URI|HOST|PORT|PATH|DIR|HOME|LANG|LC_\w+|TERM|SHELL|USER|REGION|VERSION|MODE|LEVEL|TIMEOUT|DEBUG|TZ|TYPE)$|^content-type$|^accept$|^user-agent$/i;

/** Paths, addresses (the passwords in them are found by themselves), numbers, and words of letters. */
const HARMLESS_VALUE = /^(?:[~.]{0,2}[/\\]|[a-z]:\\).*$|^[a-z][\w+.-]*:\/\/.*$|^[\d.,:]*$|^\p{L}+(?:[-_. ]\p{L}+)*$/isu;

const inMcpFile = (file: string): string[] => {
  try {
    if (statSync(file).size > MAX_FILE_BYTES) return [];
    const { mcpServers } = McpFile.parse(JSON.parse(readFileSync(file, 'utf8')));
    return Object.values(mcpServers).flatMap((server) => {
      const { args, env, headers, url } = McpServer.safeParse(server).data ?? { args: [], env: {}, headers: {}, url: '' };
      return [...secretsInArguments(args), ...userValues(env), ...userValues(headers), ...secretsIn({ url })];
    });
  } catch {
    // There is none, or none that can be read.
    return [];
  }
};
