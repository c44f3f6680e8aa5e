/** docs/adding-a-tool.md, followed in a copy of the folder of tools: one file is copied, and the list gets a line. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test as base } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../../../..');
const COPIED = ['package.json', 'installer', 'extension/tools'];
const LINKED = ['rooms.ts', 'node_modules', 'companion', 'docs', 'extension/toolkit', 'extension/shared', 'extension/content'];

const test = base.extend<{ copy: string }>({
  // oxlint-disable-next-line no-empty-pattern
  copy: async ({}, use) => {
    const copy = mkdtempSync(path.join(tmpdir(), 'pf-adding-'));
    mkdirSync(path.join(copy, 'extension'));
    for (const name of COPIED) cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
    for (const name of LINKED) symlinkSync(path.join(ROOT, name), path.join(copy, name));
    await use(copy);
    rmSync(copy, { recursive: true, force: true });
  },
});

/** Runs in Node itself: the copy has a package of its own, by which its imports are found. */
const script = (copy: string): string => `
  import { listTools } from ${JSON.stringify(path.join(copy, 'installer/tools-list.ts'))};
  import { makeDocs } from ${JSON.stringify(path.join(copy, 'installer/docs.ts'))};
  import { serveSets } from ${JSON.stringify(path.join(ROOT, 'companion/toolsets/serve-sets.ts'))};
  const list = listTools();
  const served = serveSets(['default'], { tools: () => list, call: () => Promise.reject(new Error('nothing is called here')) }).tools();
  console.log(JSON.stringify({ names: served.map(({ name }) => name), page: makeDocs()['tools.md'] }));
`;

test('a copied file and a line in the list make a tool that clients are offered and the documentation has', ({ copy }) => {
  const file = read('extension/tools/browser-reload.ts')
    .replace('browserReload', 'browserRenew')
    .replace("'browser_reload'", "'browser_renew'")
    .replace('Load the page again.', 'Renew the page of the tab.');
  writeFileSync(path.join(copy, 'extension/tools/browser-renew.ts'), file);
  appendFileSync(path.join(copy, 'extension/tools/list.ts'), "export { browserRenew } from './browser-renew.ts';\n");

  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script(copy)], { encoding: 'utf8', cwd: ROOT });

  const { names, page } = JSON.parse(output) as { names: string[]; page: string };
  expect(names[names.indexOf('browser_reload') + 1]).toBe('browser_renew');
  expect(page).toContain('## browser_renew\n\nRenew the page of the tab.\n\nClass: navigate\n');
});

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
