/** `npm run test:quick`: the unit tests but for those that spend their time with processes, which the end of the run names. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const VITEST = path.join(import.meta.dirname, '..', 'node_modules/vitest/vitest.mjs');

const { status } = spawnSync(process.execPath, [VITEST, 'run', '--project=unit', ...process.argv.slice(2)], {
  env: { ...process.env, PILOTFISH_TEST: 'quick' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
