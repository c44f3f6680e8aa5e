/** Starts children that end while timers hold up the event loop, and says of how many the end was told. */
import { spawn } from 'node:child_process';
import { Orphans } from '#companion/process/orphans.ts';

const COUNT = 60;
const HOLD_MS = 30;

const orphans = new Orphans();
let ended = 0;
const holding = [1, 2, 3].map((everyMs) =>
  setInterval(() => {
    const until = performance.now() + HOLD_MS;
    while (performance.now() < until);
  }, everyMs),
);
const finish = (): void => {
  console.log(`${ended} of ${COUNT} ended`);
  for (const timer of holding) clearInterval(timer);
  clearTimeout(limit);
  orphans.close();
};
const limit = setTimeout(finish, 12_000);
for (let index = 0; index < COUNT; index += 1) {
  spawn('/bin/sh', ['-c', `sleep 0.${index % 10}`], { stdio: 'ignore' }).once('exit', () => {
    ended += 1;
    if (ended === COUNT) finish();
  });
}
