import { describe, expect, test } from 'vitest';
import type { Project } from '#protocol/api.ts';
import { EngineInfo } from '#protocol/engines.ts';
import { SessionId } from '#protocol/ids.ts';
import { agentOf, canCompose, newSettings, select } from '#extension/sidepanel/selected.ts';
import { sampleProject, sampleSession } from '#test/fixtures/samples.ts';
import { initialState, type PanelState } from '#extension/sidepanel/state.ts';

const capabilities = Object.fromEntries(
  'canResume canInterrupt canSteer hasPermissions hasQuestions hasPlan hasThoughts hasUsage hasImages hasShell hasModels'
    .split(' ')
    .map((name) => [name, true]),
);

const goose = EngineInfo.parse({
  name: 'goose',
  label: 'Goose',
  status: 'ready',
  capabilities: { ...capabilities, mcp: ['stdio'] },
  models: [],
  modes: [
    { modeId: 'auto', label: 'Autonomous', isDangerous: true },
    { modeId: 'approve', label: 'Manual', isDangerous: false },
  ],
  defaultMode: 'auto',
  isCustom: false,
});

const stateOf = (mode: string | null): PanelState => ({
  ...initialState,
  engines: [goose],
  choice: { ...initialState.choice, engine: 'goose', mode },
});

describe('the mode that is shown', () => {
  test("is the agent's own default while nobody chose one, also when that asks nothing", () => {
    expect(select(stateOf(null)).mode).toMatchObject({ label: 'Autonomous', isDangerous: true });
  });

  test('is the one that was chosen', () => {
    expect(select(stateOf('approve')).mode?.label).toBe('Manual');
  });
});

describe('a new session of a project', () => {
  const project = sampleProject({ preferredCli: 'goose', selectedModel: 'small', selectedMode: 'approve' });
  const start = { ...stateOf(null), projects: [project] };
  const of = (change: Partial<PanelState['choice']>): PanelState => ({
    ...start,
    choice: { ...start.choice, projectId: project.id, ...change },
  });

  test('begins with the model and mode of its project, and with what was chosen instead', () => {
    expect(newSettings(of({}))).toEqual({ model: 'small', mode: 'approve', effort: null });
    expect(select(of({})).mode?.label).toBe('Manual');
    expect(newSettings(of({ model: 'large', mode: 'auto' }))).toEqual({ model: 'large', mode: 'auto', effort: null });
  });
});

describe('the agent and model of a project', () => {
  const id = sampleProject().id;
  const inProject = (engineName: string, createdAt: string, model: string | null = null) =>
    sampleSession({ id: SessionId.parse(`${engineName}-${createdAt}`), projectId: id, engineName, model, createdAt });

  test('are those of its newest conversation, unless an agent was set for it', () => {
    const sessions = [
      inProject('goose', '2026-03-01T00:00:00.000Z', 'large'),
      inProject('claude', '2026-02-01T00:00:00.000Z', 'opus'),
      { ...inProject('codex', '2026-04-01T00:00:00.000Z'), projectId: null },
    ];
    const of = (project: Project) => agentOf({ ...initialState, projects: [project], sessions }, id);

    expect(of(sampleProject())).toEqual({ engine: 'goose', model: 'large' });
    expect(of(sampleProject({ preferredCli: 'claude', selectedModel: 'sonnet' }))).toEqual({ engine: 'claude', model: null });
    expect(agentOf({ ...initialState, projects: [sampleProject()], sessions: [] }, id)).toBeNull();
  });
});

describe('the composer', () => {
  const withEngines = (...engines: EngineInfo[]): PanelState => ({ ...initialState, engines });
  const failed: EngineInfo = { ...goose, status: 'failed' };

  test('is there while agents are still looked for, and as soon as one of them may answer', () => {
    expect(canCompose(initialState)).toBe(true);
    expect(canCompose(withEngines(failed, { ...goose, status: 'unchecked' }))).toBe(true);
    expect(canCompose({ ...withEngines(failed, goose), isCheckingEngines: true })).toBe(true);
  });

  test('is not there when every agent was checked and none can answer', () => {
    expect(canCompose(withEngines(failed, { ...goose, status: 'not_installed' }))).toBe(false);
    expect(canCompose(withEngines())).toBe(false);
  });

  test('stays in a session, and where something was written', () => {
    expect(canCompose({ ...withEngines(failed), sessionId: SessionId.parse('s1') })).toBe(true);
    expect(canCompose({ ...withEngines(failed), draft: { text: 'Look', attachments: [] } })).toBe(true);
  });
});
