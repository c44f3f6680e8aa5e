/** `npm test`: the check, and every test. What needs no browser, no agent and no built program runs while those are made and fetched. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { installSystemPackages } from './fixtures/system-packages.ts';

const ROOT = path.join(import.meta.dirname, '..');

const run = (command: string, args: readonly string[]): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit' });
    child.on('error', reject).on('exit', (code) => resolve(code === 0));
  });

const runTests = (...projects: readonly string[]): Promise<boolean> =>
  run(process.execPath, [path.join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...projects.map((name) => `--project=${name}`)]);

installSystemPackages((line) => console.log(line));
const isSetUp = run(process.execPath, [path.join(ROOT, 'test/setup.ts')]);
const isChecked = await run('npm', ['run', '--silent', 'check']);
const isQuickGreen = isChecked && (await runTests('unit'));
const canGoOn = (await isSetUp) && isChecked;
const isRestGreen = canGoOn && (await runTests('integration', 'alone', 'e2e'));
process.exitCode = isQuickGreen && isRestGreen ? 0 : 1;
