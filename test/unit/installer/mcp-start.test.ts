import path from 'node:path';
import { build, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';

const rootDir = path.join(import.meta.dirname, '../../..');

/** The packages that are loaded before the first line of a file runs. */
const packagesBefore = ({ inputs }: Metafile, entry: string): string[] => {
  const seen = new Set([entry]);
  for (const file of seen) {
    for (const { path: imported, kind } of inputs[file]?.imports ?? []) if (kind !== 'dynamic-import') seen.add(imported);
  }
  const names = [...seen].flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  return [...new Set(names)].toSorted();
};

test('`pilotfish mcp` answers its first questions without what speaks with a daemon: that takes longer to load than all the rest', async () => {
  const entry = 'companion/app/mcp.ts';
  const { metafile } = await build({
    absWorkingDir: rootDir,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    outdir: 'unused',
    logLevel: 'silent',
  });

  const packages = packagesBefore(metafile, entry);

  expect(packages).toContain('@modelcontextprotocol/server');
  expect(packages).not.toContain('undici');
  expect(packages).not.toContain('@modelcontextprotocol/client');
});
