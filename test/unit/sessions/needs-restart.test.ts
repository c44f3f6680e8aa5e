import { expect, test } from 'vitest';
import { needsRestart } from '#companion/sessions/needs-restart.ts';

const modes = [{ modeId: 'yolo', label: 'Yolo', isDangerous: true }];

test.each<[string, { mode: string | null }, Parameters<typeof needsRestart>[1], boolean, boolean]>([
  ['the system prompt', { mode: null }, { systemPrompt: 'x' }, false, true],
  ['the allowed tools', { mode: null }, { allowedTools: [] }, false, true],
  ['entering a mode in which nothing asks', { mode: null }, { mode: 'yolo' }, false, true],
  ['leaving a mode in which nothing asks', { mode: 'yolo' }, { mode: null }, false, true],
  ['the same mode again', { mode: 'yolo' }, { mode: 'yolo' }, false, false],
  ['the model', { mode: 'yolo' }, { model: 'm' }, false, false],
  ['a mode in which it asks, and the effort', { mode: 'plan' }, { mode: null, effort: 'high' }, false, false],
  ['limits that Pilotfish keeps', { mode: null }, { maxTurns: 1, maxCostUsd: 1 }, false, false],
  ['a limit of answers that the agent is started with', { mode: null }, { maxTurns: 1 }, true, true],
  ['a limit of cost that the agent is started with', { mode: null }, { maxCostUsd: null }, true, true],
])('whether a change needs a new process: %s', (_, before, change, hasLimitsAtStart, expected) => {
  expect(needsRestart(before, change, { modes, hasLimitsAtStart })).toBe(expected);
});
