/** Every engine with its real agent: `npm run test:engines`, with `-- --latest` on the newest versions of the day. */
import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from '#installer/build.ts';
import { CLI_VERSIONS_VARIABLE, cliNames, cliPackage, cliVersion, installClis } from '#test/fixtures/clis.ts';

const ROOT = path.join(import.meta.dirname, '..');
const report = (line: string): void => console.log(line);

const newestVersion = async (packageName: string): Promise<string> => {
  const { stdout } = await promisify(execFile)('npm', ['view', packageName, 'version', '--loglevel=error']);
  return stdout.trim();
};

const pinned = new Map(cliNames.map((name) => [name, cliVersion(name)]));
if (process.argv.includes('--latest')) {
  const newest = await Promise.all(cliNames.map(async (name) => `${name}=${await newestVersion(cliPackage(name))}`));
  process.env[CLI_VERSIONS_VARIABLE] = newest.join(',');
}
await build({ force: false, report });
await installClis(report);
for (const name of cliNames) {
  const version = cliVersion(name);
  report(`${name.padEnd(10)} ${cliPackage(name)} ${version}${version === pinned.get(name) ? '' : ` (pinned: ${pinned.get(name)})`}`);
}

const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
const suite = ['run', 'test/integration/engines.test.ts', '--project', 'integration', '--reporter=verbose'];
spawn(process.execPath, [vitest, ...suite], { cwd: ROOT, stdio: 'inherit', env: { ...process.env, PILOTFISH_TEST: 'whole' } }).on(
  'exit',
  (code) => {
    process.exitCode = code ?? 1;
  },
);
