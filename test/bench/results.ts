/** docs/benchmarks.md: what `npm run bench` measured, and below it who solved which task. Each run writes its own part. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FILE = path.join(import.meta.dirname, '..', '..', 'docs', 'benchmarks.md');
const TASKS = '\n## Tasks\n';

export const writeMeasured = (text: string): void => writeFileSync(FILE, `${text}${tasksIn(readFileSync(FILE, 'utf8'))}`);

export const writeTasks = (text: string): void => {
  const whole = readFileSync(FILE, 'utf8');
  writeFileSync(FILE, `${whole.slice(0, whole.length - tasksIn(whole).length)}${TASKS}\n${text}\n`);
};

const tasksIn = (whole: string): string => {
  const at = whole.indexOf(TASKS);
  return at < 0 ? '' : whole.slice(at);
};
