import { describe, expect, test } from 'vitest';
import { projectDefaults } from '#protocol/project-defaults.ts';
import { sampleEngine, sampleProject } from '#test/fixtures/samples.ts';

const engine = sampleEngine({
  modes: [
    { modeId: 'plan', label: 'Plan', isDangerous: false },
    { modeId: 'bypass', label: 'Full access', isDangerous: true },
  ],
});
const project = sampleProject({ preferredCli: 'claude', selectedModel: 'opus', selectedMode: 'plan' });

describe('what a session of a project begins with', () => {
  test("is the project's model and mode, with its own agent only", () => {
    expect(projectDefaults(project, engine)).toEqual({ model: 'opus', mode: 'plan' });
    expect(projectDefaults(project, { ...engine, name: 'codex' })).toEqual({ model: null, mode: null });
    expect(projectDefaults(null, engine)).toEqual({ model: null, mode: null });
  });

  test('is never a mode in which nothing is asked, nor one that the agent does not have', () => {
    expect(projectDefaults({ ...project, selectedMode: 'bypass' }, engine).mode).toBeNull();
    expect(projectDefaults({ ...project, selectedMode: 'gone' }, engine).mode).toBeNull();
  });
});
