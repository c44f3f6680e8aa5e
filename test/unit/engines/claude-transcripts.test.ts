import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claude } from '#companion/engines/claude.ts';
import { replay, scenariosOf, TRANSCRIPTS } from './replay.ts';

describe('claude transcripts', () => {
  test.for(scenariosOf('claude'))('%s', async (scenario) => {
    await expect(replay(claude, scenario)).toMatchFileSnapshot(join(TRANSCRIPTS, scenario, 'expected.jsonl'));
  });
});
