/** Runs things side by side and says what came out. */
export interface Figures {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly min: number;
  readonly n: number;
}

/** Percentiles of the samples; of few samples the highest ones are their maximum. */
export const figures = (samples: readonly number[]): Figures => {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), min: at(0), n: sorted.length };
};

/** Each round measures every candidate once, in turn: what slows the machine down slows all of them. */
export const interleave = async <Name extends string>(
  candidates: Readonly<Record<Name, () => Promise<number>>>,
  rounds: number,
): Promise<Record<Name, Figures>> => {
  const names = Object.keys(candidates) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) await candidates[name]();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) samples[name].push(await candidates[name]());
  }
  return Object.fromEntries(names.map((name) => [name, figures(samples[name])])) as Record<Name, Figures>;
};

export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};
