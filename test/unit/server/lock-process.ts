/** One process that wants to be the daemon: says whether it won, and holds the place until its stdin ends. */
import { nullLog } from '#companion/lib/log.ts';
import { lockSocket } from '#companion/server/single-instance.ts';

const lock = await lockSocket({ socket: process.argv[2] ?? '', log: nullLog });
console.log(lock === null ? 'lost' : 'won');
process.stdin.resume();
process.stdin.on('end', () => void (lock === null ? process.exit(0) : lock.release().then(() => process.exit(0))));
