import { describe, expect, test } from 'vitest';
import {
  ActRequest,
  CompatProjectInput,
  CompatSessionChange,
  CompatSessionInput,
  toCompatSession,
  toProjectInput,
  toTurnInput,
  withOwnKeys,
} from '#companion/compat/bodies.ts';
import { createEnginesDouble, createSessionsDouble } from '#test/unit/server/room-doubles.ts';

const [claude] = createEnginesDouble().list();

describe('a prompt with the names of existing clients', () => {
  test('becomes one with ours: a request is a turn, a data URL is its base64', () => {
    const request = ActRequest.parse({
      instruction: 'Hello',
      requestId: 't1',
      displayText: 'Hi',
      delivery: 'steer',
      attachments: [{ type: 'image', name: 'a.png', mimeType: 'image/png', dataBase64: 'data:image/png;base64,iVBORw0KGgo=' }],
    });

    expect(toTurnInput(request)).toEqual({
      turnId: 't1',
      text: 'Hello',
      displayText: 'Hi',
      delivery: 'steer',
      attachments: [{ kind: 'image', name: 'a.png', mimeType: 'image/png', dataBase64: 'iVBORw0KGgo=' }],
    });
  });

  test('may say what program wrote it, and nothing else that is not known', () => {
    const written = { instruction: 'x', clientMeta: { kind: 'web_editor_apply_batch' } };

    expect(toTurnInput(ActRequest.parse(written))).toEqual({ text: 'x' });
    expect(ActRequest.safeParse({ ...written, conversationId: 'c' }).error?.issues).toMatchObject([{ keys: ['conversationId'] }]);
  });
});

/** Bodies as existing clients send them, with every key they know. */
const clientBodies = [
  {
    name: 'a prompt',
    schema: ActRequest,
    body: {
      instruction: 'Make it blue',
      cliPreference: 'codex',
      model: 'gpt-5',
      attachments: [{ type: 'file', name: 'a.txt', mimeType: 'text/plain', dataBase64: 'aGk=' }],
      projectId: 'project_1',
      dbSessionId: 'session_1',
      projectRoot: '/home/somebody/site',
      requestId: 'request-1',
      clientMeta: { kind: 'web_editor_apply_single', elementLabel: 'button' },
      displayText: 'Apply one change',
    },
  },
  {
    name: 'a project',
    schema: CompatProjectInput,
    body: {
      id: 'project_1',
      name: 'site',
      rootPath: '/home/somebody/site',
      description: 'The site',
      preferredCli: 'claude',
      selectedModel: 'opus',
      useCcr: false,
      enableChromeMcp: true,
      allowCreate: true,
    },
  },
  {
    name: 'a new session',
    schema: CompatSessionInput,
    body: {
      engineName: 'claude',
      name: 'One',
      model: 'opus',
      permissionMode: 'plan',
      allowDangerouslySkipPermissions: false,
      systemPromptConfig: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
      optionsConfig: { settingSources: ['project'], maxTurns: 5, env: { A: 'b' }, codexConfig: { reasoningEffort: 'high' } },
    },
  },
  {
    name: 'a change of a session',
    schema: CompatSessionChange,
    body: {
      name: null,
      model: null,
      permissionMode: null,
      allowDangerouslySkipPermissions: null,
      systemPromptConfig: null,
      optionsConfig: null,
    },
  },
];

describe('a body of existing clients', () => {
  test.for(clientBodies)('is taken with every key they know, and with no other: $name', ({ schema, body }) => {
    expect(schema.safeParse(body).error).toBeUndefined();
    expect(schema.safeParse({ ...body, unheardOf: 1 }).error?.issues).toMatchObject([{ keys: ['unheardOf'] }]);
  });

  test('leaves nothing behind of what has no effect', () => {
    const project = CompatProjectInput.parse({ name: 'site', rootPath: '/srv', useCcr: true, enableChromeMcp: false });
    const session = CompatSessionInput.parse({ engineName: 'claude', optionsConfig: { env: { A: 'b' } } });

    expect(toProjectInput(project)).toEqual({ name: 'site', rootPath: '/srv' });
    expect(withOwnKeys(session, 'claude', claude)).toEqual({ engineName: 'claude' });
  });
});

describe('a session with the names of existing clients', () => {
  const input = (body: object) => withOwnKeys(CompatSessionInput.parse({ engineName: 'claude', ...body }), 'claude', claude);

  test('has its mode by either old name', () => {
    expect(input({ permissionMode: 'plan' })).toEqual({ engineName: 'claude', mode: 'plan' });
    expect(input({ permissionMode: null })).toEqual({ engineName: 'claude', mode: null });
    expect(input({ allowDangerouslySkipPermissions: true })).toEqual({ engineName: 'claude', mode: 'bypass' });
    expect(input({ mode: 'plan', maxTurnMs: 60_000 })).toEqual({ engineName: 'claude', mode: 'plan', maxTurnMs: 60_000 });
  });

  test('has the prompt and the limits that are written in the form of an SDK, and ours go before them', () => {
    const optionsConfig = { maxTurns: 5, maxBudgetUsd: 2, codexConfig: { reasoningEffort: 'high' } };

    expect(input({ systemPromptConfig: { type: 'custom', text: 'Be brief.' }, optionsConfig })).toEqual({
      engineName: 'claude',
      systemPrompt: 'Be brief.',
      maxTurns: 5,
      maxCostUsd: 2,
      effort: 'high',
    });
    expect(input({ systemPrompt: 'Mine', systemPromptConfig: null })).toEqual({ engineName: 'claude', systemPrompt: 'Mine' });
    expect(input({ systemPromptConfig: { type: 'preset', preset: 'claude_code' }, optionsConfig: null })).toEqual({
      engineName: 'claude',
      systemPrompt: null,
      allowedTools: [],
      maxTurns: null,
      maxCostUsd: null,
      effort: null,
    });
  });

  test('has nothing chosen where a form sends an empty name', () => {
    const project = CompatProjectInput.parse({ name: 'site', rootPath: '/srv', preferredCli: '', selectedModel: '' });
    const session = CompatSessionInput.parse({ engineName: '', model: '', permissionMode: '' });

    expect(toProjectInput(project)).toEqual({ name: 'site', rootPath: '/srv', preferredCli: null, selectedModel: null });
    expect(withOwnKeys(session, 'claude', claude)).toEqual({ engineName: undefined, model: null, mode: null });
    expect(ActRequest.parse({ instruction: 'x', cliPreference: '', model: '', projectRoot: '' })).toEqual({ instruction: 'x' });
  });

  test('cannot skip permissions where the agent has no mode for it', () => {
    expect(() => withOwnKeys({ allowDangerouslySkipPermissions: true }, 'codex', undefined)).toThrow(
      expect.objectContaining({ code: 'ENGINE_UNSUPPORTED' }),
    );
  });

  test('is shown with its mode by both old names', () => {
    const sessions = createSessionsDouble();
    sessions.create();
    const [row] = sessions.list();
    if (row === undefined) return expect.unreachable();

    expect(toCompatSession({ ...row, mode: 'bypass' }, claude)).toMatchObject({
      permissionMode: 'bypass',
      allowDangerouslySkipPermissions: true,
    });
    return expect(toCompatSession(row, claude)).toMatchObject({ permissionMode: null, allowDangerouslySkipPermissions: false });
  });
});
