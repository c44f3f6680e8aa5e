/**
 * `npm test`: the check, and every test. While programs are installed, built and fetched, the check runs; browsers and agents are at work side
 * by side, because each of them waits a part of its time, and a core that rests makes the whole longer. The unit tests wait for nearly
 * nothing, so they come when one of the two is done, and no core rests at the end.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { installSystemPackages } from './fixtures/system-packages.ts';

const ROOT = path.join(import.meta.dirname, '..');

/** Whether it succeeds. Several write at once, so whole lines are told. */
const run = (command: string, args: readonly string[]): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const env = process.stdout.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env;
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    createInterface({ input: child.stdout }).on('line', (line) => console.log(line));
    createInterface({ input: child.stderr }).on('line', (line) => console.error(line));
    child.on('error', reject).on('close', (code) => resolve(code === 0));
  });

const runTests = (project: string): Promise<boolean> =>
  run(process.execPath, [path.join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', `--project=${project}`]);

const setUp = async (): Promise<boolean> => {
  try {
    await installSystemPackages((line) => console.log(line));
  } catch (error) {
    console.error(String(error));
    return false;
  }
  return run(process.execPath, [path.join(ROOT, 'test/setup.ts')]);
};

const isSetUp = setUp();
const isChecked = await run('npm', ['run', '--silent', 'check']);

const runWhenSetUp = async (project: string): Promise<boolean> => (await isSetUp) && runTests(project);

/** Which of them failed. */
const runAll = async (): Promise<string[]> => {
  const browsers = runWhenSetUp('e2e');
  const areAgentsGreen = await runWhenSetUp('integration');
  const isUnitGreen = await runTests('unit');
  const areBrowsersGreen = await browsers;
  const isAloneGreen = await runWhenSetUp('alone');
  return Object.entries({ integration: areAgentsGreen, unit: isUnitGreen, e2e: areBrowsersGreen, alone: isAloneGreen })
    .filter(([, isGreen]) => !isGreen)
    .map(([part]) => part);
};
const red = isChecked ? await runAll() : ['check'];
if (red.length > 0) console.error(`Failed: ${red.join(', ')}`);
process.exitCode = red.length === 0 ? 0 : 1;
