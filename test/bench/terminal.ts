/** How soon the terminal UI shows something, and a long session: from its start to what is on the screen. */
import { createCompanion, type Companion } from '#test/fixtures/companion.ts';
import { writeHistory } from '#test/fixtures/history.ts';
import { createHome } from '#test/fixtures/home.ts';
import { openTerminal } from '#test/fixtures/terminal.ts';
import type { Row } from './bench.ts';
import { interleave, timed, type Figures } from './stats.ts';

const LONG = 5000;
const SHORT = 1;
/** How much longer ten thousand messages may take than two. */
const ALLOWANCE_MS = 150;
/** How much longer than the daemon's answer the first screen may take. */
const PAINT_MS = 150;
/** What a double click opens, the smallest that is cared for, and a large screen. */
const SIZES = [
  [80, 24],
  [60, 16],
  [200, 60],
] as const;

export const benchTerminal = async (report: (line: string) => void): Promise<Row[]> => {
  report('terminal UI, start to the newest answer of a session of 10,000 messages');
  const homes = [createHome(), createHome()] as const;
  const [long, short] = [createCompanion(homes[0]), createCompanion(homes[1])];
  writeHistory(long, LONG);
  writeHistory(short, SHORT);
  try {
    await Promise.all([long.startDaemon(), short.startDaemon()]);
    const warm = await interleave({ long: () => timeToAnswer(long, LONG), short: () => timeToAnswer(short, SHORT) }, 10);
    const cold = await interleave({ long: () => timeFromRest(long, LONG), short: () => timeFromRest(short, SHORT) }, 5);
    const painted: Row[] = [];
    for (const [columns, rows] of SIZES) painted.push(await firstPaint(short, columns, rows));
    return [
      ...painted,
      row('terminal UI, start to the newest of 10,000 messages', warm.long, warm.short, ALLOWANCE_MS),
      row('the same, a daemon that has just been started and has not read them yet', cold.long, cold.short, 1000),
    ];
  } finally {
    await Promise.all([long.stopDaemon(), short.stopDaemon()]);
    await Promise.all(homes.map((home) => home.remove()));
  }
};

/** From the start to a screen with what the daemon tells, beside a command that prints what the daemon tells. */
const firstPaint = async (companion: Companion, columns: number, rows: number): Promise<Row> => {
  const { painted, told } = await interleave(
    {
      painted: () =>
        timed(async () => {
          using terminal = openTerminal([companion.executable], { env: companion.env, cwd: companion.home.dir, columns, rows });
          await terminal.waitFor('● live');
        }),
      told: () =>
        timed(async () => {
          // A terminal whose program has ended shows no longer what it wrote.
          const command = ['sh', '-c', '"$0" sessions; exec cat', companion.executable];
          using terminal = openTerminal(command, { env: companion.env, cwd: companion.home.dir, columns, rows });
          await terminal.waitFor('Long');
        }),
    },
    10,
  );
  return {
    area: 'terminal UI',
    what: `first paint at ${columns}×${rows}`,
    ours: `${painted.p50.toFixed(0)} ms`,
    reference: `a command with the daemon's answer: ${told.p50.toFixed(0)} ms; at most ${PAINT_MS} ms more`,
    ratio: painted.p50 / (told.p50 + PAINT_MS),
    goal: 1,
  };
};

const timeToAnswer = (companion: Companion, count: number): Promise<number> =>
  timed(async () => {
    using terminal = openTerminal([companion.executable], { env: companion.env, cwd: companion.home.dir });
    await terminal.waitFor(`answer ${count} `);
  });

const timeFromRest = async (companion: Companion, count: number): Promise<number> => {
  await companion.stopDaemon();
  await companion.startDaemon();
  return timeToAnswer(companion, count);
};

const row = (what: string, long: Figures, short: Figures, allowanceMs: number): Row => ({
  area: 'long session',
  what,
  ours: `${long.p50.toFixed(0)} ms`,
  reference: `two messages: ${short.p50.toFixed(0)} ms; at most ${allowanceMs} ms more`,
  ratio: long.p50 / (short.p50 + allowanceMs),
  goal: 1,
});
