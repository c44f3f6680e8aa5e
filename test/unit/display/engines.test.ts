import { describe, expect, test } from 'vitest';
import { byStatus, engineStatusText, labelText, modeDescription, modeOf, offerAgents } from '#display/engines.ts';
import { inLanguage, words } from '#display/words.ts';
import { engines } from '#companion/engines/index.ts';
import { EngineInfo, ModeInfo } from '#protocol/engines.ts';

const say = inLanguage(words, 'en');
const capabilities = Object.fromEntries(
  [
    'canResume',
    'canInterrupt',
    'canSteer',
    'hasPermissions',
    'hasQuestions',
    'hasPlan',
    'hasThoughts',
    'hasUsage',
    'hasImages',
    'hasShell',
    'hasModels',
  ].map((name) => [name, false]),
);

const engine = (change: object = {}): EngineInfo =>
  EngineInfo.parse({
    name: 'goose',
    label: 'Goose',
    status: 'ready',
    capabilities: { ...capabilities, mcp: [] },
    models: [],
    modes: [
      { modeId: 'auto', label: 'Autonomous', isDangerous: true },
      { modeId: 'approve', label: 'Manual', isDangerous: false },
      { modeId: 'chat', label: 'Chat only', isDangerous: false },
    ],
    isCustom: false,
    ...change,
  });

describe('the mode of a session', () => {
  test('is the one that was chosen', () => {
    expect(modeOf(engine({ defaultMode: 'approve' }), 'chat')?.label).toBe('Chat only');
  });

  test("is the engine's own default where none was chosen, whatever that is called", () => {
    expect(modeOf(engine({ defaultMode: 'chat' }), null)?.label).toBe('Chat only');
    expect(modeOf(engine({ defaultMode: 'auto' }), null)?.isDangerous).toBe(true);
  });

  test('is the first that asks while the engine does not say', () => {
    expect(modeOf(engine(), null)?.label).toBe('Manual');
    expect(modeOf(engine({ modes: [] }), null)).toBeNull();
    expect(modeOf(null, 'auto')).toBeNull();
  });

  test('is unknown where the engine has forgotten it', () => {
    expect(modeOf(engine(), 'gone')).toBeNull();
  });
});

describe('how an agent stands', () => {
  test('is said in words; what is built in misses a server and no program', () => {
    expect(engineStatusText(say, engine())).toBe('Ready');
    expect(engineStatusText(say, engine({ status: 'not_installed' }))).toBe('Not installed');
    expect(engineStatusText(say, engine({ status: 'not_installed', capabilities: { ...capabilities, mcp: ['bridge'] } }))).toBe(
      'No model server found',
    );
  });

  test('orders them: what works, what a command would mend, what is not here', () => {
    const statuses = (['not_installed', 'unchecked', 'ready', 'not_logged_in'] as const).map((status) => engine({ status }));

    expect(statuses.toSorted(byStatus).map(({ status }) => status)).toEqual(['ready', 'not_logged_in', 'unchecked', 'not_installed']);
  });
});

describe('while no agent can answer, what is offered', () => {
  const install = (name: string, change: object = {}): EngineInfo =>
    engine({ name, status: 'not_installed', fix: `get ${name}`, ...change });
  const local = install('local', { capabilities: { ...capabilities, mcp: ['bridge'] } });
  const offered = (...engines: EngineInfo[]): unknown => {
    const { best, local: model, rest } = offerAgents(engines);
    return [best?.name, model?.name, rest.map(({ name }) => name)];
  };

  test('is the one that was found, and no model beside it', () => {
    expect(offered(local, install('codex'), engine({ name: 'claude', status: 'not_logged_in' }))).toEqual([
      'claude',
      undefined,
      ['codex', 'local'],
    ]);
    expect(offered(install('codex'), { ...local, status: 'failed' })).toEqual(['local', undefined, ['codex']]);
  });

  test('is else the first that a command installs, and a model on this machine', () => {
    expect(offered(local, install('goose', { fix: undefined }), install('codex'), install('claude'))).toEqual([
      'codex',
      'local',
      ['claude', 'goose'],
    ]);
  });

  test('is the model alone where there is nothing else, and nothing where there is no agent', () => {
    expect(offered(local)).toEqual(['local', undefined, []]);
    expect(offered()).toEqual([undefined, undefined, []]);
  });
});

describe('the names of agents and modes', () => {
  const chinese = inLanguage(words, 'zh-CN');

  test('that Pilotfish gives are Chinese in Chinese, whole', () => {
    const modes = engines.flatMap((engine) => [...engine.modes]);

    expect(modes.length).toBeGreaterThan(20);
    for (const mode of modes.map((each) => ModeInfo.parse(each))) {
      expect([mode.label, labelText(mode, chinese)]).toEqual([labelText(mode, say), expect.stringMatching(/^\p{Script=Han}+$/u)]);
      expect([mode.description, modeDescription(mode, chinese)]).toEqual([modeDescription(mode, say), expect.stringMatching(/。$/u)]);
    }
    expect(engines.filter((engine) => labelText(engine, chinese) !== engine.label).map(({ name }) => name)).toEqual(['local']);
  });

  test('that an agent gives stay as they came, whatever they are', () => {
    const own = { modeId: 'plan', label: 'Plan', description: 'Never asks.', isDangerous: false };

    expect([labelText(own, chinese), modeDescription(own, chinese)]).toEqual(['Plan', 'Never asks.']);
    expect(labelText({ ...own, labelCode: 'mode_of_tomorrow' }, chinese)).toBe('Plan');
    expect(modeDescription({ modeId: 'x', label: 'X', isDangerous: false }, chinese)).toBe('');
  });
});
