/** Stands for the daemon: tells each caller of its socket for whom it acts, and runs as an agent what is written to its stdin. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { peerOf } from '#companion/lib/peer.ts';
import { identifyCaller } from '#companion/process/lineage.ts';
import { Orphans } from '#companion/process/orphans.ts';

const [socket = '', kind = ''] = process.argv.slice(2);
const orphans = kind === 'without-orphans' ? null : new Orphans();
let leader: number | undefined;

createServer((connection) => {
  connection.on('error', () => {});
  connection.end(JSON.stringify(identifyCaller(peerOf(connection), { isRun: (pid) => pid === leader })));
}).listen(socket, () => console.log(JSON.stringify({ areAdopted: orphans?.areAdopted ?? false })));

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { command, env, isNoted } = JSON.parse(line) as { command: string; env: Record<string, string>; isNoted: boolean };
    const child = spawn('/bin/sh', ['-c', command], { env, detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
    if (isNoted) leader = child.pid;
  })
  .on('close', () => process.exit());
