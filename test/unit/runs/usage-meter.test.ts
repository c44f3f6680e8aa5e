import { describe, expect, test } from 'vitest';
import { UsageMeter } from '#companion/runs/usage-meter.ts';

describe('the usage meter', () => {
  test('adds up engines that count per process', () => {
    const meter = new UsageMeter({ costUsd: 1, inputTokens: 1000 });

    const first = meter.read({ costUsd: 0.25, inputTokens: 300, contextUsed: 40 });
    const second = meter.read({ costUsd: 0.5, inputTokens: 350 });

    expect(first).toEqual({ usage: { costUsd: 1.25, inputTokens: 1300, contextUsed: 40 }, spent: { costUsd: 0.25, inputTokens: 300 } });
    expect(second).toEqual({ usage: { costUsd: 1.5, inputTokens: 1350 }, spent: { costUsd: 0.25, inputTokens: 50 } });
  });

  test('takes over engines that count per conversation', () => {
    const meter = new UsageMeter({ costUsd: 1, inputTokens: 1000 });

    expect(meter.read({ costUsd: 1.25, inputTokens: 1010 }).spent).toEqual({ costUsd: 0.25, inputTokens: 10 });
    expect(meter.read({ costUsd: 1.5 })).toEqual({ usage: { costUsd: 1.5, inputTokens: 1010 }, spent: { costUsd: 0.25 } });
  });

  test('knows an engine that counts per process by any of its figures', () => {
    const meter = new UsageMeter({ inputTokens: 100, outputTokens: 1000 });

    const { spent } = meter.read({ inputTokens: 150, outputTokens: 20 });

    expect(spent).toEqual({ inputTokens: 150, outputTokens: 20 });
  });

  test('adds up what counts per process from its first figure on, however high that is', () => {
    const before = { costUsd: 0.0008, inputTokens: 100, outputTokens: 20 };

    const same = new UsageMeter(before).read(before, { isOfProcess: true });
    const more = new UsageMeter(before).read({ inputTokens: 150, outputTokens: 30 }, { isOfProcess: true });

    expect(same).toEqual({ usage: { costUsd: 0.0016, inputTokens: 200, outputTokens: 40 }, spent: before });
    expect(more.spent).toEqual({ inputTokens: 150, outputTokens: 30 });
  });

  test('keeps apart tokens of the process and the cost of the conversation', () => {
    const meter = new UsageMeter({ costUsd: 1, inputTokens: 100 });

    expect(meter.read({ costUsd: 1.25 }).spent).toEqual({ costUsd: 0.25 });
    expect(meter.read({ inputTokens: 150 }, { isOfProcess: true }).spent).toEqual({ inputTokens: 150 });
    expect(meter.read({ inputTokens: 170 }, { isOfProcess: true }).spent).toEqual({ inputTokens: 20 });
  });

  test('goes on when a count begins anew', () => {
    const meter = new UsageMeter({});
    meter.read({ outputTokens: 50 });

    expect(meter.read({ outputTokens: 10 })).toEqual({ usage: { outputTokens: 60 }, spent: { outputTokens: 10 } });
  });

  test('leaves out what cannot be true, and cuts what is beyond all measure', () => {
    const meter = new UsageMeter({ costUsd: 1, inputTokens: 10 });

    const crooked = meter.read({ inputTokens: -5, outputTokens: Number.NaN, costUsd: -1, contextUsed: 0.4, contextWindow: -2 });
    const huge = meter.read({ inputTokens: Infinity, outputTokens: 1e300, costUsd: 1e308 });

    expect(crooked).toEqual({ usage: { costUsd: 1, inputTokens: 10, contextUsed: 0 }, spent: {} });
    expect(huge.usage).toEqual({ inputTokens: 1e10, outputTokens: 1e10, costUsd: 1e6 });
  });
});
