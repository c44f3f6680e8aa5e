/** What a daemon loads before anybody has asked it for anything is memory for as long as it runs. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const rootDir = path.join(import.meta.dirname, '..', '..', '..');
const IMPORTS = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)';/gm;

/** The packages that a file loads, itself and by what it imports; `import()` and types are not counted. */
const packagesOf = (file: string, seen = new Set<string>(), packages = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return packages;
  seen.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORTS)) {
    if (name.startsWith('.')) packagesOf(path.resolve(path.dirname(file), name), seen, packages);
    else if (name.startsWith('#protocol/')) packagesOf(path.join(rootDir, 'companion', name.slice(1)), seen, packages);
    else if (name.startsWith('#companion/')) packagesOf(path.join(rootDir, name.slice(1)), seen, packages);
    else packages.add(name);
  }
  return packages;
};

it('the daemon starts without the SDK of MCP, which takes 8 MB, and without a web client or terminal', () => {
  const packages = [...packagesOf(path.join(rootDir, 'companion/app/daemon-part.ts'))];

  expect(packages).toContain('fastify');
  expect(packages.filter((name) => /^(?:@modelcontextprotocol|@hono|undici|blessed|marked|highlight\.js|keytar)/.test(name))).toEqual([]);
});
