/** A process that adopts orphans, with children of its own; it looks before Node can hear of an end, and says what became of them. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Orphans } from '#companion/process/orphans.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { until } from '#test/fixtures/until.ts';

const stateOf = (pid: number): string | undefined => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];

const waitSync = (isDone: () => boolean): void => {
  for (const end = performance.now() + HANG_MS; !isDone() && performance.now() < end;);
};

const orphans = new Orphans();

// Its parent ends at once.
const { stdout } = spawnSync('/bin/sh', ['-c', 'sleep 0.3 >/dev/null & echo $!'], { encoding: 'utf8' });
const adopted = Number(stdout);

const child = spawn('/bin/sh', ['-c', 'exit 7'], { stdio: 'ignore' });
const own = child.pid ?? 0;
let code: number | null = null;
child.once('exit', (exitCode) => {
  code = exitCode;
});
// The event loop stands still, so that Node knows nothing of the end.
waitSync(() => stateOf(own) === 'Z');
for (let look = 0; look < 5; look += 1) orphans.look();

await until(() => code !== null, { timeoutMs: HANG_MS / 3, what: 'the end of the child to be told' }).catch(() => null);
await until(() => !existsSync(`/proc/${adopted}`), { timeoutMs: HANG_MS / 3, what: 'the orphan to be reaped' }).catch(() => null);
console.log(JSON.stringify({ told: code, isReaped: !existsSync(`/proc/${adopted}`), areAdopted: orphans.areAdopted }));
orphans.close();
// A child whose end was lost would keep it alive.
process.exit();
