/** The scenarios of test/transcripts for an engine whose recordings test/record makes. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProcessEngine } from '#companion/engines/engine.ts';
import { gaps } from '#test/record/gaps.ts';
import { forScenario } from '#test/record/launch.ts';
import { linesOf, replay, scenariosOf, TRANSCRIPTS } from './replay.ts';

/** Each recording gives the one expected story, and each scenario has a recording or a reason. */
export const transcriptTests = (engine: ProcessEngine): void => {
  const recorded = scenariosOf(engine.name);

  test.for(recorded)('%s', async (scenario) => {
    await expect(replay(launchedFor(engine, scenario), scenario)).toMatchFileSnapshot(join(TRANSCRIPTS, scenario, 'expected.jsonl'));
  });

  test('a scenario without a recording has a reason, and one with a recording has none', () => {
    const all = readdirSync(TRANSCRIPTS);
    const reasons = Object.keys(gaps[engine.name] ?? {});

    expect(all.filter((scenario) => !recorded.includes(scenario) && !reasons.includes(scenario))).toEqual([]);
    expect(reasons.filter((scenario) => recorded.includes(scenario))).toEqual([]);
  });
};

/** The engine as test/record launched it for the scenario. */
export const launchedFor = (engine: ProcessEngine, scenario: string): ProcessEngine => {
  const resumed = scenario === 'resume' ? conversationIn(linesOf(scenario, engine.name)) : null;
  return { ...engine, codec: (options) => engine.codec(forScenario(options, engine.name, scenario, resumed)) };
};

/** The engine's own id of the conversation a recording is of. */
const conversationIn = (lines: readonly string[]): string => {
  const id = lines.map((line) => /"(?:threadId|sessionId)":"([^"]+)"/.exec(line)?.[1]).find((found) => found !== undefined);
  if (id === undefined) throw new Error('no conversation in the recording');
  return id;
};
