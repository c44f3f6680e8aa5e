/** `npm start`: builds what is stale, registers with the browsers found, and opens the terminal UI (or prints its report where there is no terminal). */
import { spawnSync } from 'node:child_process';
import { build, executable } from './build.ts';

const run = (args: readonly string[]): number => {
  const { status, error } = spawnSync(executable, args, { stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status ?? 1;
};

try {
  await build({ force: false, report: (line) => console.log(line) });
} catch (error) {
  console.error(`The build failed: ${error instanceof Error ? error.message : String(error)}`);
  console.error('Run `npm ci --ignore-scripts` in this folder, then `npm start` again.');
  process.exit(1);
}
// A browser that could not be registered is named by install itself; the rest still works and the screen says what is missing.
run(['install']);
process.exitCode = run([]);
