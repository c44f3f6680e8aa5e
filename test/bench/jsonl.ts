/** What reading an agent's output costs, and the line that never ends. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ClaudeCodec } from '#companion/engines/claude/codec.ts';
import { readLine } from '#companion/engines/claude/lines.ts';
import { startChild } from '#companion/process/child.ts';
import { launchOptions } from '#test/unit/engines/replay.ts';
import type { Row } from './bench.ts';
import { writeCorpus } from './corpus.ts';
import { figures, interleave, timed } from './stats.ts';

const CORPUS_BYTES = 256 * 2 ** 20;
const ROUNDS = 5;

/** Each reads the output of a process, as the runner does: a file would not be cut where a pipe is. */
export const benchJsonl = async (report: (line: string) => void): Promise<Row[]> => {
  report('a line of 100 MB');
  const long = Array.from({ length: ROUNDS }, readLongLine);

  const folder = mkdtempSync(path.join(tmpdir(), 'pilotfish-bench-'));
  try {
    report('reading the output of an agent');
    const file = path.join(folder, 'corpus.jsonl');
    writeCorpus(file, CORPUS_BYTES);
    const sizeMb = statSync(file).size / 1e6;
    let events = 0;
    const results = await interleave(
      {
        ours: () => timed(() => readByUs(file, readLine)),
        readline: () => timed(() => readByReadline(file)),
        codec: () =>
          timed(async () => {
            const codec = new ClaudeCodec(launchOptions());
            codec.prompt({ turnId: 'turn', text: 'work', attachments: [] });
            events = 0;
            await readByUs(file, (line) => (events += codec.line(line).length));
          }),
      },
      ROUNDS,
    );
    const eventsPerSecond = (events / results.codec.p50) * 1000;
    const refusedMs = figures(long.map(({ tookMs }) => tookMs)).p50;
    const peakMb = figures(long.map((one) => one.peakMb)).p50;
    return [
      {
        area: 'reading output',
        what: 'output of an agent, 256 MB through a pipe, read and parsed',
        ours: `${((sizeMb / results.ours.p50) * 1000).toFixed(0)} MB/s`,
        reference: `readline and JSON.parse: ${((sizeMb / results.readline.p50) * 1000).toFixed(0)} MB/s`,
        ratio: results.ours.p50 / results.readline.p50,
        goal: 0.71,
      },
      limit(
        'reading output',
        'the same up to our events',
        `${(eventsPerSecond / 1000).toFixed(0)},000 events/s`,
        '50,000 events/s',
        50_000 / eventsPerSecond,
      ),
      limit('endless line', 'a line of 100 MB, refused', `${refusedMs.toFixed(0)} ms`, '1000 ms', refusedMs / 1000),
      limit('endless line', 'memory that takes', `${peakMb.toFixed(0)} MB`, '64 MB', peakMb / 64),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const readByUs = async (file: string, read: (line: string) => unknown): Promise<void> => {
  await startChild({ command: 'cat', args: [file], cwd: '/', env: { PATH: process.env['PATH'] ?? '' }, onLine: read, onOverflow: () => {} })
    .exited;
};

const readByReadline = async (file: string): Promise<void> => {
  const child = spawn('cat', [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) JSON.parse(line);
};

/** In a process of its own: the peak of a process's memory is known, not how it came about. */
const readLongLine = (): { tookMs: number; peakMb: number } => {
  const script = path.join(import.meta.dirname, 'long-line.ts');
  return JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' })) as { tookMs: number; peakMb: number };
};

const limit = (area: string, what: string, ours: string, aim: string, ratio: number): Row => ({
  area,
  what,
  ours,
  reference: `the limit: ${aim}`,
  ratio,
  goal: 1,
});
