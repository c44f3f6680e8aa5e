/** What reading an agent's output costs: P10, and the line that never ends (R13). */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createClaudeCodec } from '#companion/engines/claude/codec.ts';
import { readLine } from '#companion/engines/claude/lines.ts';
import { startChild } from '#companion/process/child.ts';
import { launchOptions } from '#test/unit/engines/replay.ts';
import type { Row } from './bench.ts';
import { writeCorpus } from './corpus.ts';
import { figures, interleave, timed, type Figures } from './stats.ts';

const CORPUS_BYTES = 256 * 2 ** 20;
const ROUNDS = 5;
const LONG_LINE_BYTES = 100_000_000;

/** Each reads the output of a process, as the runner does: a file would not be cut where a pipe is. */
export const benchJsonl = async (report: (line: string) => void): Promise<Row[]> => {
  report('R13: a line of 100 MB');
  // First: the peak of this process's memory is known, not how it came about.
  const peakBefore = process.resourceUsage().maxRSS;
  const refused: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) refused.push(await timed(() => readLongLine()));
  const peakMb = (process.resourceUsage().maxRSS - peakBefore) / 1024;

  const folder = mkdtempSync(path.join(tmpdir(), 'pilotfish-bench-'));
  try {
    report('P10: reading the output of an agent');
    const file = path.join(folder, 'corpus.jsonl');
    writeCorpus(file, CORPUS_BYTES);
    const sizeMb = statSync(file).size / 1e6;
    const results = await interleave(
      {
        ours: () => timed(() => readByUs(file, readLine)),
        readline: () => timed(() => readByReadline(file)),
        codec: () => timed(() => readByUs(file, createReader())),
      },
      ROUNDS,
    );
    return [
      throughput('JSON lines of an agent through a pipe, read and parsed', results.ours, results.readline, sizeMb, 1 / 1.4),
      throughput('the same up to our events, every field checked', results.codec, results.readline, sizeMb, 3),
      {
        id: 'R13',
        what: 'a line of 100 MB, refused',
        ours: `${figures(refused).p50.toFixed(0)} ms`,
        reference: 'the limit: 1000 ms',
        ratio: figures(refused).p50 / 1000,
        goal: 1,
      },
      { id: 'R13', what: 'memory that takes', ours: `${peakMb.toFixed(0)} MB`, reference: 'the limit: 64 MB', ratio: peakMb / 64, goal: 1 },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const readByUs = async (file: string, read: (line: string) => unknown): Promise<void> => {
  await startChild({ command: 'cat', args: [file], cwd: '/', env: { PATH: process.env['PATH'] ?? '' }, onLine: read, onOverflow: () => {} })
    .exited;
};

const createReader = (): ((line: string) => unknown) => {
  const codec = createClaudeCodec(launchOptions());
  codec.prompt({ turnId: 'turn', text: 'work', attachments: [] });
  return (line) => codec.line(line);
};

const readByReadline = async (file: string): Promise<void> => {
  const child = spawn('cat', [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) JSON.parse(line);
};

const readLongLine = async (): Promise<void> => {
  let overflows = 0;
  const child = startChild({
    command: 'head',
    args: ['-c', String(LONG_LINE_BYTES), '/dev/zero'],
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
    onLine: () => {},
    onOverflow: () => {
      overflows += 1;
    },
  });
  await child.exited;
  if (overflows !== 1) throw new Error(`the line was refused ${overflows} times`);
};

const throughput = (what: string, ours: Figures, reference: Figures, sizeMb: number, goal: number): Row => ({
  id: 'P10',
  what,
  ours: `${((sizeMb / ours.p50) * 1000).toFixed(0)} MB/s`,
  reference: `readline and JSON.parse: ${((sizeMb / reference.p50) * 1000).toFixed(0)} MB/s`,
  ratio: ours.p50 / reference.p50,
  goal: Math.round(goal * 100) / 100,
});
