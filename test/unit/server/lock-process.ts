/** One process that wants to be the daemon: says whether it won, and holds the place until its stdin ends. With a second file it does nothing else until that is there. */
import { existsSync } from 'node:fs';
import { nullLog } from '#companion/lib/log.ts';
import { lockSocket } from '#companion/server/single-instance.ts';

const [, , socket = '', awaited] = process.argv;
const lock = await lockSocket({ socket, log: nullLog });
console.log(lock === null ? 'lost' : 'won');
if (awaited !== undefined) setImmediate(() => compute(awaited));
process.stdin.resume();
process.stdin.on('end', () => void (lock === null ? process.exit(0) : lock.release().then(() => process.exit(0))));

/** Keeps the processor busy. */
const compute = (until: string): void => {
  while (!existsSync(until));
};
