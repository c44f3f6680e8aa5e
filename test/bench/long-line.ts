/** A program of the benchmark: reads a line of 100 MB from a child, and prints what that took. */
import { startChild } from '#companion/process/child.ts';

const LINE_BYTES = 100_000_000;

const read = async (sizeBytes: number): Promise<number> => {
  let overflows = 0;
  const child = startChild({
    command: 'head',
    args: ['-c', String(sizeBytes), '/dev/zero'],
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
    onLine: () => {},
    onOverflow: () => {
      overflows += 1;
    },
  });
  await child.exited;
  return overflows;
};

// The first child of a process costs something by itself.
await read(1);
const peakBefore = process.resourceUsage().maxRSS;
const startedAt = performance.now();
const overflows = await read(LINE_BYTES);
const tookMs = performance.now() - startedAt;
if (overflows !== 1) throw new Error(`the line was refused ${overflows} times`);
console.log(JSON.stringify({ tookMs, peakMb: (process.resourceUsage().maxRSS - peakBefore) / 1024 }));
