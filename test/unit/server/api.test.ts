import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { BrowserId, ProjectId, RequestId } from '#protocol/ids.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import { defaultPreferences } from '#test/fixtures/samples.ts';
import { until } from '#test/fixtures/until.ts';
import { anEngine, aProject, turn } from './room-doubles.ts';
import { overSocket, test, type Stage } from './stage.ts';

const json = async (
  stage: Stage,
  pathname: string,
  options?: Parameters<Stage['fetch']>[1],
): Promise<{ status: number; body: unknown }> => {
  const response = await stage.fetch(pathname, options);
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
};

describe('prompts', () => {
  test('are accepted with the id the client chose', async ({ stage }) => {
    const sessionId = stage.sessions.create();

    const answer = await json(stage, `/agent/chat/${sessionId}/act`, {
      method: 'POST',
      body: {
        instruction: 'Hello',
        requestId: 'turn_mine',
        displayText: 'Hi',
        attachments: [{ type: 'screenshot', name: 'page.png', mimeType: 'image/png', dataBase64: 'data:image/png;base64,iVBORw0KGgo=' }],
      },
    });

    expect(answer).toEqual({ status: 200, body: { requestId: 'turn_mine', sessionId, status: 'accepted' } });
    expect(stage.sessions.commands).toEqual([
      {
        type: 'turn.start',
        sessionId,
        turnId: 'turn_mine',
        prompt: {
          text: 'Hello',
          displayText: 'Hi',
          attachments: [{ kind: 'screenshot', name: 'page.png', mimeType: 'image/png', dataBase64: 'iVBORw0KGgo=' }],
        },
      },
    ]);
  });

  test('a model in the request becomes the session’s before the turn starts', async ({ stage }) => {
    const sessionId = stage.sessions.create();

    await json(stage, `/agent/chat/${sessionId}/act`, { method: 'POST', body: { instruction: 'Hello', model: 'opus' } });

    expect(stage.sessions.commands).toMatchObject([{ type: 'session.update', settings: { model: 'opus' } }, { type: 'turn.start' }]);
  });

  test('to an unknown session make one, in the project that they name or in the folder for those who have none', async ({ stage }) => {
    const without = await json(stage, '/agent/chat/session_plain/act', { method: 'POST', body: { instruction: 'Hello' } });
    const missing = await json(stage, '/api/agent-sessions/session_new/message', { method: 'POST', body: { content: 'Hello' } });
    const made = await json(stage, '/agent/chat/session_new/act', {
      method: 'POST',
      body: { instruction: 'Hello', projectId: aProject.id },
    });

    expect(without).toMatchObject({ status: 200, body: { sessionId: 'session_plain', status: 'accepted' } });
    expect(missing).toMatchObject({ status: 404, body: { code: 'SESSION_NOT_FOUND' } });
    expect(made).toMatchObject({ status: 200, body: { sessionId: 'session_new', status: 'accepted' } });
    expect(stage.sessions.commands).toMatchObject([
      { type: 'session.create', sessionId: 'session_plain', projectId: null },
      { type: 'turn.start', sessionId: 'session_plain' },
      { type: 'session.create', sessionId: 'session_new', projectId: aProject.id, engine: 'claude' },
      { type: 'turn.start', sessionId: 'session_new' },
    ]);
  });

  test('begin with the model of their project only where they go to its own agent', async ({ stage }) => {
    const project = { name: 'Shop', rootPath: '/srv/shop', preferredCli: 'claude', selectedModel: 'opus' };
    await json(stage, '/agent/projects', { method: 'POST', body: project });
    for (const cliPreference of ['claude', 'codex']) {
      const body = { instruction: 'x', cliPreference, projectId: 'project_2' };
      await json(stage, `/agent/chat/for_${cliPreference}/act`, { method: 'POST', body });
    }

    expect(stage.sessions.commands.filter(({ type }) => type === 'session.create')).toMatchObject([
      { engine: 'claude', settings: { model: 'opus' } },
      { engine: 'codex', settings: { model: null } },
    ]);
  });

  test('make no session with an id that has signs which mean something elsewhere', async ({ stage }) => {
    const body = { instruction: 'Hello', projectId: aProject.id };
    for (const id of ['..', 'a b', 'a%2Fb', '-f', `x${'y'.repeat(128)}`])
      expect(await json(stage, `/agent/chat/${id}/act`, { method: 'POST', body })).toMatchObject({
        status: expect.toSatisfy((status) => status === 400 || status === 404),
      });

    expect(stage.sessions.commands).toEqual([]);
  });

  test('to another agent than the session has go on in a new session, the same one when they are sent twice', async ({ stage }) => {
    const sessionId = stage.sessions.create({ projectId: aProject.id });
    const act = () =>
      json(stage, `/agent/chat/${sessionId}/act`, { method: 'POST', body: { instruction: 'x', cliPreference: 'codex', requestId: 'r1' } });

    const answer = await act();

    expect(answer).toMatchObject({
      status: 200,
      body: { requestId: 'r1', forkedFrom: sessionId, sessionId: expect.stringMatching(/^fork_/) },
    });
    expect(await act()).toEqual(answer);
    expect(stage.sessions.list().map(({ engineName }) => engineName)).toEqual(['claude', 'codex']);
  });

  test('may name another folder, in which their session works from then on', async ({ stage }) => {
    const sessionId = stage.sessions.create({ projectId: aProject.id });
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-elsewhere-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));

    const answer = await json(stage, `/agent/chat/${sessionId}/act`, { method: 'POST', body: { instruction: 'x', projectRoot: folder } });

    expect(answer).toMatchObject({ status: 200 });
    const [made] = stage.savedProjects;
    expect(made).toMatchObject({ name: path.basename(folder), rootPath: realpathSync(folder) });
    expect(stage.sessions.commands).toMatchObject([{ type: 'session.update', sessionId, projectId: 'project_2' }, { type: 'turn.start' }]);
  });

  test('are carried out in the project that they name, and never beside a session that is said to be in it', async ({ stage }) => {
    const sessionId = stage.sessions.create({ projectId: ProjectId.parse('project_9') });
    const act = (body: object) => json(stage, `/agent/chat/${sessionId}/act`, { method: 'POST', body: { instruction: 'x', ...body } });

    const beside = await act({ projectId: aProject.id, dbSessionId: sessionId });
    const unknown = await act({ projectId: 'nowhere' });
    const moved = await act({ projectId: aProject.id });

    expect(beside).toMatchObject({ status: 404, body: { code: 'SESSION_NOT_FOUND' } });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'PROJECT_NOT_FOUND' } });
    expect(moved).toMatchObject({ status: 200 });
    expect(stage.sessions.commands).toMatchObject([{ type: 'session.update', sessionId, projectId: aProject.id }, { type: 'turn.start' }]);
  });

  test('cannot name a folder where agents may not work', async ({ stage }) => {
    const sessionId = stage.sessions.create({ projectId: aProject.id });
    const act = (body: Record<string, unknown>) =>
      json(stage, `/agent/chat/${sessionId}/act`, { method: 'POST', body: { instruction: 'x', ...body } });

    expect(await act({ projectRoot: '/etc' })).toMatchObject({ status: 403, body: { code: 'WORKSPACE_OUTSIDE_ROOTS' } });
    expect(await act({ cliPreference: 'claude', projectRoot: aProject.rootPath })).toMatchObject({ status: 200 });
  });

  test('that are not valid say which field is wrong', async ({ stage }) => {
    const sessionId = stage.sessions.create();

    expect(await json(stage, `/agent/chat/${sessionId}/act`, { method: 'POST', body: { instruction: '' } })).toMatchObject({
      status: 400,
      body: { code: 'INPUT_INVALID', error: expect.stringContaining('instruction'), remedy: expect.any(String) },
    });
    expect(
      await json(stage, `/agent/chat/${sessionId}/act`, {
        method: 'POST',
        body: { instruction: 'x', attachments: [{ type: 'file', name: 'a', mimeType: 'text/plain', dataBase64: '%%%' }] },
      }),
    ).toMatchObject({ status: 400, body: { error: expect.stringContaining('attachments.0.dataBase64') } });
  });

  test('are cancelled by either name, and cancelling nothing is no error', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    stage.sessions.emit(sessionId, ...turn('1').started());

    expect((await json(stage, `/agent/chat/${sessionId}/cancel/turn_other`, { method: 'DELETE' })).body).toMatchObject({
      success: true,
      message: 'Nothing was running.',
    });
    expect((await json(stage, `/agent/chat/${sessionId}`, { method: 'DELETE' })).body).toEqual({
      success: true,
      cancelledCount: 1,
      sessionId,
    });
    expect((await json(stage, `/agent/chat/${sessionId}/cancel`, { method: 'DELETE' })).body).toEqual({
      success: true,
      cancelledCount: 0,
      sessionId,
    });
    expect(stage.sessions.commands).toEqual([{ type: 'turn.cancel', sessionId }]);
  });

  test('an answer says where it was given', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const requestId = RequestId.parse('request_1');
    const path = `/api/agent-sessions/${sessionId}/requests/${requestId}`;

    await json(stage, path, { method: 'POST', body: { optionId: 'once' } });
    await overSocket(stage.server.socket, path, { method: 'POST', body: { optionId: 'once' } });

    expect(stage.sessions.commands).toMatchObject([
      { type: 'request.answer', requestId, by: 'panel' },
      { type: 'request.answer', requestId, by: 'terminal' },
    ]);
  });
});

describe('our own routes', () => {
  test('send a prompt, cancel it and answer by our own names', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const turns = `/api/agent-sessions/${sessionId}/turns`;

    const started = await json(stage, turns, { method: 'POST', body: { turnId: 'turn_mine', text: 'Hello', delivery: 'queue' } });
    const other = await json(stage, `${turns}/turn_other`, { method: 'DELETE' });
    const cancelled = await json(stage, turns, { method: 'DELETE' });

    expect(started).toEqual({ status: 200, body: { turnId: 'turn_mine', sessionId } });
    expect([other.body, cancelled.body]).toEqual([{ cancelledCount: 0 }, { cancelledCount: 1 }]);
    expect(stage.sessions.commands).toEqual([
      { type: 'turn.start', sessionId, turnId: 'turn_mine', prompt: { text: 'Hello', attachments: [] }, delivery: 'queue' },
      { type: 'turn.cancel', sessionId },
    ]);
  });

  test('give a session limits of time, another mode and another project', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const change = { maxTurnMs: 60_000, maxSilenceMs: null, mode: 'bypass' };

    const changed = await json(stage, `/api/agent-sessions/${sessionId}`, { method: 'PATCH', body: { ...change, projectId: aProject.id } });

    expect(changed).toMatchObject({ status: 200, body: { session: { mode: 'bypass' } } });
    expect(stage.sessions.commands).toEqual([{ type: 'session.update', sessionId, projectId: aProject.id, settings: change }]);
  });

  test('do not know the names of others', async ({ stage }) => {
    const sessionId = stage.sessions.create();

    for (const body of [{ permissionMode: 'plan' }, { engineName: 'codex' }]) {
      expect(await json(stage, `/api/agent-sessions/${sessionId}`, { method: 'PATCH', body })).toMatchObject({
        status: 400,
        body: { code: 'INPUT_INVALID', message: expect.stringContaining(Object.keys(body).join()) },
      });
    }
  });
});

describe('folders', () => {
  test('are told that go on from a typed path; without one the field is named', async ({ stage }) => {
    expect(await json(stage, '/api/folders?path=%2Fhome%2Fme%2Fsh')).toEqual({
      status: 200,
      body: { folders: ['/home/me/sh-one', '/home/me/sh-two'] },
    });
    expect(await json(stage, '/api/folders')).toMatchObject({
      status: 400,
      body: { code: 'INPUT_INVALID', message: expect.stringContaining('path') },
    });
  });
});

describe('sessions', () => {
  test('are made with their settings; skipping permissions is the mode of the engine that does', async ({ stage }) => {
    const made = await json(stage, `/agent/projects/${aProject.id}/sessions`, {
      method: 'POST',
      body: { engineName: 'claude', name: 'Mine', allowDangerouslySkipPermissions: true },
    });

    expect(made).toMatchObject({
      status: 201,
      body: { session: { id: 'session_1', name: 'Mine', permissionMode: 'bypass', allowDangerouslySkipPermissions: true } },
    });
    expect(await json(stage, `/api/projects/${aProject.id}/agent-sessions`)).toMatchObject({ body: { sessions: [{ id: 'session_1' }] } });
  });

  test('are made with a prompt and limits in the form of an SDK, told again in it, and what has no effect is named', async ({ stage }) => {
    const made = await json(stage, `/agent/projects/${aProject.id}/sessions`, {
      method: 'POST',
      body: {
        systemPromptConfig: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
        optionsConfig: {
          maxTurns: 5,
          maxBudgetUsd: 2,
          disallowedTools: ['Bash'],
          tools: [],
          env: { A: 'b' },
          codexConfig: { sandboxMode: 'x', reasoningEffort: 'high' },
        },
      },
    });

    expect(made).toMatchObject({
      status: 201,
      body: {
        session: {
          engineName: 'claude',
          systemPromptConfig: { type: 'preset', append: 'Be brief.' },
          optionsConfig: { maxTurns: 5, maxBudgetUsd: 2, codexConfig: { reasoningEffort: 'high' } },
        },
        ignored: ['optionsConfig.disallowedTools', 'optionsConfig.env', 'optionsConfig.codexConfig.sandboxMode'],
      },
    });
    expect(stage.sessions.commands).toMatchObject([
      { type: 'session.create', engine: 'claude', settings: { systemPrompt: 'Be brief.', maxTurns: 5, maxCostUsd: 2 } },
    ]);
  });

  test('no other engine gets a mode it does not have', async ({ stage }) => {
    const made = await json(stage, `/agent/projects/${aProject.id}/sessions`, {
      method: 'POST',
      body: { engineName: 'codex', allowDangerouslySkipPermissions: true },
    });

    expect(made).toMatchObject({ status: 409, body: { code: 'ENGINE_UNSUPPORTED' } });
  });

  test('are changed field by field, and null clears', async ({ stage }) => {
    const sessionId = stage.sessions.create();

    const patched = await json(stage, `/agent/sessions/${sessionId}`, { method: 'PATCH', body: { model: 'opus', effort: null } });
    const moved = await json(stage, `/agent/sessions/${sessionId}`, { method: 'PATCH', body: { engineName: 'codex' } });

    expect(patched).toMatchObject({ status: 200, body: { session: { model: 'opus' } } });
    // It says how to go on with the other agent: by a fork, as the next message to it begins one.
    const remedy: unknown = expect.stringMatching(new RegExp(`fork.*cliPreference.*POST /api/agent-sessions/${sessionId}/fork`));
    expect(moved).toMatchObject({ status: 409, body: { code: 'ENGINE_UNSUPPORTED', remedy } });
    expect(stage.sessions.commands).toEqual([{ type: 'session.update', sessionId, settings: { model: 'opus', effort: null } }]);
    await json(stage, `/agent/sessions/${sessionId}`, { method: 'PATCH', body: { name: null } });
    expect(stage.sessions.commands.at(-1)).toEqual({ type: 'session.update', sessionId, name: '', settings: {} });
  });

  test('tools allowed beforehand are refused where the agent would not heed them', async ({ stage }) => {
    const made = await json(stage, '/agent/projects/project_1/sessions', {
      method: 'POST',
      body: { engineName: 'claude', allowedTools: ['Bash'], maxTurns: 3 },
    });

    expect(made).toMatchObject({ status: 409, body: { code: 'ENGINE_UNSUPPORTED', error: expect.stringContaining('no allowed tools') } });
    expect(stage.sessions.commands).toEqual([]);
  });

  test('in the form of an SDK, tools that the agent would not heed are left out and named, also by a change', async ({ stage }) => {
    const optionsConfig = { allowedTools: ['Bash'], maxTurns: 3 };

    const made = await json(stage, '/agent/projects/project_1/sessions', { method: 'POST', body: { engineName: 'claude', optionsConfig } });
    const changed = await json(stage, '/agent/sessions/session_1', { method: 'PATCH', body: { optionsConfig } });

    expect(made).toMatchObject({
      status: 201,
      body: { session: { optionsConfig: { maxTurns: 3 } }, ignored: ['optionsConfig.allowedTools'] },
    });
    expect(changed).toMatchObject({ status: 200, body: { ignored: ['optionsConfig.allowedTools'] } });
    expect(stage.sessions.commands).toMatchObject([
      { type: 'session.create', settings: { maxTurns: 3 } },
      { type: 'session.update', settings: { maxTurns: 3 } },
    ]);
    expect(JSON.stringify(stage.sessions.commands)).not.toContain('Bash');
  });

  test('are refused a mode that their engine does not have, with the names of those it has', async ({ stage }) => {
    const sessionId = stage.sessions.create();

    const made = await json(stage, `/agent/projects/${aProject.id}/sessions`, {
      method: 'POST',
      body: { engineName: 'claude', permissionMode: 'none' },
    });
    const patched = await json(stage, `/agent/sessions/${sessionId}`, { method: 'PATCH', body: { permissionMode: 'none' } });

    for (const answer of [made, patched]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'INPUT_INVALID', error: expect.stringContaining('bypass') } });
    }
    expect(stage.sessions.commands).toEqual([]);
  });

  test('are refused any mode where their engine was ready and told none, but for the names of existing clients, which send one always', async ({
    stage,
  }) => {
    const sessionId = stage.sessions.create();
    stage.engines.splice(0, 1, { ...anEngine, modes: [] });
    const make = (url: string, mode: object) => json(stage, url, { method: 'POST', body: { engineName: 'claude', ...mode } });

    const made = await make(`/api/projects/${aProject.id}/agent-sessions`, { mode: 'none' });
    const patched = await json(stage, `/api/agent-sessions/${sessionId}`, { method: 'PATCH', body: { mode: 'none' } });

    for (const answer of [made, patched])
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'INPUT_INVALID', message: expect.stringContaining('claude has no modes') },
      });
    expect(stage.sessions.commands).toEqual([]);
    expect(await make(`/agent/projects/${aProject.id}/sessions`, { permissionMode: 'default' })).toMatchObject({ status: 201 });
    stage.engines.splice(0, 1, { ...anEngine, modes: [], status: 'unchecked' });
    expect(await make(`/api/projects/${aProject.id}/agent-sessions`, { mode: 'plan' })).toMatchObject({ status: 201 });
  });

  test('give their view with the epoch, and their messages in pages', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    for (const id of ['a', 'b', 'c']) stage.sessions.emit(sessionId, ...turn(id).started(), turn(id).delta(id), ...turn(id).completed());

    const view = await json(stage, `/api/agent-sessions/${sessionId}`);
    const all = await json(stage, `/agent/sessions/${sessionId}/history`);
    const page = await json(stage, `/agent/chat/${sessionId}/history?limit=1&offset=1`);

    expect(view.body).toMatchObject({ sessionId, epoch: 'epoch1', seq: 16, status: 'idle' });
    expect(all.body).toMatchObject({
      success: true,
      totalCount: 3,
      messages: [{ content: 'a' }, { content: 'b' }, { content: 'c' }],
      pagination: { hasMore: false },
    });
    expect(page.body).toMatchObject({ messages: [{ content: 'b' }], pagination: { limit: 1, offset: 1, count: 1, hasMore: true } });
    const { MAX_SAFE_INTEGER: most } = Number;
    for (const route of [`/agent/sessions/${sessionId}/history`, `/agent/chat/${sessionId}/history`]) {
      const beyond = await json(stage, `${route}?limit=${most}&offset=${most}`);
      expect(beyond).toMatchObject({ status: 200, body: { messages: [], totalCount: 3, pagination: { count: 0, hasMore: false } } });
    }
    expect((await json(stage, `/api/agent-sessions/${sessionId}/page?before=nowhere`)).body).toMatchObject({ items: [] });
  });

  test('are removed by both names', async ({ stage }) => {
    const one = stage.sessions.create();
    const other = stage.sessions.create();

    expect((await stage.fetch(`/agent/sessions/${one}`, { method: 'DELETE' })).status).toBe(204);
    expect((await stage.fetch(`/api/agent-sessions/${other}`, { method: 'DELETE' })).status).toBe(204);
    expect((await json(stage, '/agent/sessions')).body).toEqual({ sessions: [] });
  });
});

describe('messages that another program adds', () => {
  const messages = `/agent/chat/${aProject.id}/messages`;
  const add = (stage: Stage, body: object) => json(stage, messages, { method: 'POST', body });

  test('stand in the newest session of the project, or in the one that is named, and twice the same id is one message', async ({
    stage,
  }) => {
    const [one, other] = [stage.sessions.create({ projectId: aProject.id }), stage.sessions.create({ projectId: aProject.id })];

    const said = await add(stage, { content: 'Look at this', id: 'm1' });
    const again = await add(stage, { content: 'Look at this', id: 'm1' });
    const ran = await add(stage, {
      content: 'ok',
      role: 'tool',
      messageType: 'tool_result',
      conversationId: other,
      metadata: { toolName: 'Bash' },
    });

    expect(said).toMatchObject({
      status: 201,
      body: { success: true, data: { id: 'm1', role: 'user', conversationId: one, isFinal: true } },
    });
    expect(again).toEqual(said);
    expect(ran).toMatchObject({ status: 201, body: { data: { role: 'tool', sessionId: other, metadata: { toolName: 'Bash' } } } });
    expect((await json(stage, messages)).body).toMatchObject({ totalCount: 2 });
  });

  test('are not said again where another session has become the newest meanwhile', async ({ stage }) => {
    stage.sessions.create({ projectId: aProject.id });
    const other = stage.sessions.create({ projectId: aProject.id });
    const said = await add(stage, { content: 'Look at this', id: 'm1', conversationId: other });

    expect(await add(stage, { content: 'Look at this', id: 'm1' })).toEqual(said);

    expect((await json(stage, messages)).body).toMatchObject({ totalCount: 1 });
  });

  test('begin a conversation where there is none', async ({ stage }) => {
    const first = await add(stage, { content: 'x', cliSource: 'claude' });
    const second = await add(stage, { content: 'y' });

    expect(first).toMatchObject({ status: 201, body: { data: { content: 'x', projectId: aProject.id, cliSource: 'claude' } } });
    expect(second).toMatchObject({ status: 201 });
    expect((await json(stage, '/agent/projects')).body).toMatchObject({
      projects: [{ id: aProject.id, sessionCount: 1, messageCount: 2 }],
    });
    expect(await add(stage, { content: 'z', conversationId: 'none-such' })).toMatchObject({
      status: 404,
      body: { code: 'SESSION_NOT_FOUND' },
    });
  });

  test('need a project, and a session of that project', async ({ stage }) => {
    const foreign = stage.sessions.create({ projectId: ProjectId.parse('project_9') });

    expect(await add(stage, { content: 'x', sessionId: foreign })).toMatchObject({ status: 404, body: { code: 'SESSION_NOT_FOUND' } });
    expect(await json(stage, '/agent/chat/nowhere/messages', { method: 'POST', body: { content: 'x' } })).toMatchObject({
      status: 404,
      body: { code: 'PROJECT_NOT_FOUND' },
    });
  });

  test('are emptied by session or all together, and not at all while one is working', async ({ stage }) => {
    const [one, other] = [stage.sessions.create({ projectId: aProject.id }), stage.sessions.create({ projectId: aProject.id })];
    for (const sessionId of [one, other]) await add(stage, { content: 'x', sessionId });
    const empty = (query = '') => json(stage, messages + query, { method: 'DELETE' });

    expect((await empty(`?conversationId=${one}`)).body).toEqual({ success: true, deleted: 1 });
    stage.sessions.emit(one, ...turn('1').started());
    expect(await empty()).toMatchObject({ status: 409, body: { code: 'SESSION_BUSY' } });
    expect(stage.sessions.view(other).items).toHaveLength(1);
    stage.sessions.emit(one, ...turn('1').completed());
    expect((await empty()).body).toEqual({ success: true, deleted: 2 });
  });
});

describe('what is known of agents', () => {
  test('is told for a session and for a project, by our names and by those of existing clients', async ({ stage }) => {
    const [older, newer] = [stage.sessions.create({ projectId: aProject.id }), stage.sessions.create({ projectId: aProject.id })];
    const ofSession = await json(stage, `/agent/sessions/${older}/engine-info`);
    const ofProject = await json(stage, `/agent/projects/${aProject.id}/engine-info`);

    expect(ofSession.body).toMatchObject({
      sessionId: older,
      engineName: 'claude',
      engine: { status: 'ready' },
      folder: aProject.rootPath,
    });
    expect(ofProject.body).toMatchObject({ projectId: aProject.id, engines: [{ sessionId: older }] });
    expect((await json(stage, `/agent/sessions/${newer}/claude-info`)).body).toEqual({
      managementInfo: { models: [{ value: 'sonnet', displayName: 'Sonnet' }], cwd: aProject.rootPath },
      sessionId: newer,
      engineName: 'claude',
    });
    expect((await json(stage, `/agent/projects/${aProject.id}/claude-info`)).body).toMatchObject({
      sourceSessionId: older,
      sessionsWithInfo: 2,
    });
    expect(await json(stage, '/agent/projects/nowhere/claude-info')).toMatchObject({ status: 404 });
  });
});

describe('folders', () => {
  test('are judged before a project is made of them', async ({ stage }) => {
    const judge = (rootPath: string) => json(stage, '/agent/projects/validate-path', { method: 'POST', body: { rootPath } });

    expect((await judge(path.join(tmpdir(), 'pilotfish-none'))).body).toMatchObject({ valid: true, exists: false, needsCreation: true });
    expect((await judge('/etc')).body).toMatchObject({ valid: false, code: 'WORKSPACE_OUTSIDE_ROOTS' });
    expect((await judge('/etc/none')).body).toMatchObject({ valid: false, exists: false, code: 'WORKSPACE_OUTSIDE_ROOTS' });
    expect((await judge('relative')).body).toMatchObject({ valid: false, code: 'INPUT_INVALID' });
  });

  test('a default root is one plain folder, whatever the project is called', async ({ stage }) => {
    const root = async (projectName: string) =>
      (await json(stage, '/agent/projects/default-root', { method: 'POST', body: { projectName } })).body;

    expect(await root('../../etc/passwd')).toMatchObject({ path: '/home/somebody/Pilotfish/etc-passwd' });
    expect(await root('我的 项目')).toMatchObject({ path: '/home/somebody/Pilotfish/我的-项目' });
    expect(await root('..')).toMatchObject({ path: '/home/somebody/Pilotfish/project' });
  });

  test('settings of the person are read and changed by panel and terminal, and hold no others', async ({ stage }) => {
    const { socket } = stage.server;

    expect(await json(stage, '/api/settings')).toEqual({ status: 200, body: defaultPreferences });
    expect(await json(stage, '/api/settings', { method: 'PATCH', body: { closeTabs: false } })).toEqual({
      status: 200,
      body: { ...defaultPreferences, closeTabs: false },
    });
    const limit = { dailyCostUsd: 2.5, dailyTokens: null };
    expect((await json(stage, '/api/settings', { method: 'PATCH', body: limit })).body).toMatchObject(limit);
    const order = { engineOrder: ['codex', 'claude'] };
    expect((await json(stage, '/api/settings', { method: 'PATCH', body: order })).body).toMatchObject(order);
    expect(await overSocket(socket, '/api/settings', { method: 'PATCH', body: {} })).toMatchObject({
      status: 200,
      json: { ...limit, closeTabs: false },
    });
    for (const body of [
      { allowedRoots: ['/'] },
      { dailyCostUsd: 0 },
      { dailyTokens: 1.5 },
      { closeTabs: 'no' },
      { closeTabs: true, keepAlive: true },
    ])
      expect((await json(stage, '/api/settings', { method: 'PATCH', body })).status).toBe(400);
    expect(await json(stage, '/api/settings')).toMatchObject({ status: 200, body: { ...limit, closeTabs: false } });
  });

  test('what is no file below the top of a repository is neither staged nor reverted', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const wrong = ['/etc/passwd', '../x', 'a/../../x', './a', 'a/', 'a//b', '.git/config', 'sub/.GIT/hooks/x', 'a\0../b'];
    for (const [act, more] of [
      ['stage', { isStaged: true }],
      ['revert', {}],
    ] as const) {
      for (const name of wrong) {
        const body = { paths: ['good.txt', name], ...more };
        const answer = await json(stage, `/api/agent-sessions/${sessionId}/changes/${act}`, { method: 'POST', body });
        expect(answer, `${act} ${name}`).toMatchObject({ status: 400, body: { message: expect.stringContaining('paths.1') } });
      }
    }
  });

  test('a session is a file in two forms, and a session again from one of them', async ({ stage }) => {
    const sessionId = stage.sessions.create({ name: 'Tides' });
    const markdown = await stage.fetch(`/api/agent-sessions/${sessionId}/export`);
    const file = await stage.fetch(`/api/agent-sessions/${sessionId}/export?format=json`);
    const document: unknown = JSON.parse(await file.text());

    expect([markdown.headers.get('content-type'), await markdown.text()]).toEqual([
      'text/markdown; charset=utf-8',
      expect.stringContaining('# Tides'),
    ]);
    const imported = await json(stage, '/api/agent-sessions/import', { method: 'POST', body: { document } });
    expect(imported).toMatchObject({ status: 201, body: { session: { name: 'Tides' } } });
    expect(stage.sessions.list()).toHaveLength(2);
    for (const body of [{}, { document: {} }, { document, uploadId: 'u' }, { uploadId: 'nowhere' }, { document, projectId: 'p9' }]) {
      expect((await json(stage, '/api/agent-sessions/import', { method: 'POST', body })).status).toBeGreaterThanOrEqual(400);
    }
    expect(stage.sessions.list()).toHaveLength(2);
  });

  test('what was used is told with names, by what was asked, and with the budget of the day', async ({ stage }) => {
    const { status, body } = await json(stage, '/api/usage?by=engine&engineName=claude&since=2026-01-01');

    expect([status, body]).toMatchObject([
      200,
      { by: 'engine', rows: [{ totalTokens: 18 }], today: { costUsd: 0.25, dailyCostUsd: null } },
    ]);
    for (const query of ['by=week', 'since=today', 'limit=0', 'sessionId=']) {
      expect((await json(stage, `/api/usage?${query}`)).status).toBe(400);
    }
  });

  test('a session is allowed several sites at once and for a while; a program from outside is not', async ({ stage }) => {
    const sessionId = stage.sessions.create({ kind: 'agent' });
    const post = (body: unknown) => stage.fetch('/api/grants', { method: 'POST', body });

    const made = await post({ sessionId, origins: ['https://a.example', 'https://B.example:8443'], minutes: 30 });
    const { grants } = (await made.json()) as { grants: { origin: string; createdAt: number; expiresAt: number }[] };
    expect(made.status).toBe(201);
    expect(grants.map(({ origin, createdAt, expiresAt }) => [origin, expiresAt - createdAt])).toEqual([
      ['https://a.example', 1_800_000],
      ['https://b.example:8443', 1_800_000],
    ]);
    expect(await (await stage.fetch('/api/grants')).json()).toEqual({ grants });

    for (const origins of [[], ['https://a.example/path'], ['a.example'], ['chrome://settings']])
      expect((await post({ sessionId, origins })).status, String(origins)).toBe(400);
    expect((await post({ sessionId, origins: ['https://a.example'], minutes: 5000 })).status).toBe(400);
    const outside = stage.sessions.create({ kind: 'client' });
    expect((await post({ sessionId: outside, origins: ['https://a.example'] })).status).toBe(403);
  });

  test('sites get a rule, keep it by their name and lose it; what is no site is refused', async ({ stage }) => {
    const put = (body: unknown) => stage.fetch('/api/sites', { method: 'PUT', body });
    expect(await (await put({ site: 'Bank.example.', rule: 'never' })).json()).toEqual({
      sites: [{ site: 'bank.example', rule: 'never' }],
    });
    expect(await (await put({ site: 'http://localhost:3000/', rule: 'ask' })).json()).toEqual({
      sites: [
        { site: 'bank.example', rule: 'never' },
        { site: 'http://localhost:3000', rule: 'ask' },
      ],
    });
    for (const site of [
      'https://bank.example/login',
      '*.example.org',
      'file:///etc',
      'me@bank.example',
      'localhost:3000',
      'two words',
      '__proto__',
    ])
      expect(await (await put({ site, rule: 'never' })).json(), site).toMatchObject({ code: 'INPUT_INVALID', remedy: /example\.org/ });
    expect((await put({ site: 'bank.example', rule: 'sometimes' })).status).toBe(400);

    expect(await (await stage.fetch('/api/sites/bank.example', { method: 'DELETE' })).json()).toEqual({
      sites: [{ site: 'http://localhost:3000', rule: 'ask' }],
    });
    expect((await stage.fetch('/api/sites/bank.example', { method: 'DELETE' })).status).toBe(404);
    expect(await (await stage.fetch('/api/sites/http%3A%2F%2Flocalhost%3A3000', { method: 'DELETE' })).json()).toEqual({ sites: [] });
  });

  test('roots are read and changed by the terminal only', async ({ stage }) => {
    const { socket } = stage.server;

    expect((await stage.fetch('/api/roots', { method: 'POST', body: { path: '/srv' } })).status).toBe(403);
    expect(await overSocket(socket, '/api/roots', { method: 'POST', body: { path: '/srv' } })).toEqual({
      status: 200,
      json: { roots: ['/srv'] },
    });
    expect(await overSocket(socket, '/api/roots', { method: 'POST', body: { path: '/srv/nobody-made-this' } })).toMatchObject({
      status: 404,
      json: { code: 'WORKSPACE_NOT_FOUND' },
    });
    expect(await overSocket(socket, '/api/roots?path=%2Fsrv', { method: 'DELETE' })).toEqual({ status: 200, json: { roots: [] } });
  });
});

describe('the live check of a browser', () => {
  const aBrowser = {
    browserId: BrowserId.parse('browser_1'),
    name: 'Chromium',
    label: 'Work',
    extensionVersion: VERSION,
    connectedAt: 0,
    toolCount: 3,
  };
  const check = (stage: Stage, body: unknown = {}) => json(stage, '/api/browsers/check', { method: 'POST', body });

  test('hears the link and calls one tool that looks, in the browser of the panel that asks, and leaves no session', async ({ stage }) => {
    stage.bridge.onReach(async () => aBrowser);
    stage.bridge.onCall(async () => ({ content: [{ type: 'text', text: 'secret.example is open' }] }));

    const { status, body } = await check(stage);

    expect(status).toBe(200);
    const ms = expect.any(Number);
    expect(body).toEqual({
      hops: [
        { hop: 'link', ms, error: null },
        { hop: 'tool', ms, error: null },
      ],
    });
    expect(stage.bridge.calls).toMatchObject([{ name: 'browser_tabs', args: { action: 'list' }, browserId: 'browser_1' }]);
    expect(stage.bridge.ended).toEqual([stage.bridge.calls[0]?.sessionId]);
    expect(stage.sessions.commands).toEqual([]);
  });

  test('ends at the hop that is broken, with what to do about it', async ({ stage }) => {
    const gone = await check(stage);
    stage.bridge.onReach(async () => aBrowser);
    stage.bridge.onCall(async () => ({ content: [{ type: 'text', text: 'INTERNAL: no.' }], isError: true }));
    const failing = await check(stage);

    expect(gone.body).toMatchObject({ hops: [{ hop: 'link', error: { code: 'BROWSER_NOT_CONNECTED' } }] });
    expect(failing.body).toMatchObject({
      hops: [{ error: null }, { hop: 'tool', error: { code: 'TOOL_FAILED', remedy: expect.stringContaining('Reload the extension') } }],
    });
  });

  test('takes nothing but the id of a browser', async ({ stage }) => {
    expect(await check(stage, { tool: 'browser_click' })).toMatchObject({
      status: 400,
      body: { code: 'INPUT_INVALID', message: expect.stringContaining('tool') },
    });
  });
});

describe('the daemon', () => {
  test('says to anybody on this machine that it is one, and no more; to its own also where it is', async ({ stage }) => {
    const anybody = await json(stage, '/health', { token: null });
    const panel = await json(stage, '/health');
    const capabilities = await json(stage, '/capabilities');

    expect(anybody).toEqual({
      status: 200,
      body: { name: 'pilotfish', version: VERSION, protocol: PROTOCOL.current, oldest: PROTOCOL.oldest },
    });
    expect(panel).toMatchObject({ body: { name: 'pilotfish', pid: process.pid, port: stage.server.port } });
    expect(capabilities).toMatchObject({ body: { protocol: PROTOCOL, features: expect.arrayContaining(['stream_ticket']) } });
  });

  test('is shut down by the terminal only, after it has said so', async ({ stage }) => {
    expect((await stage.fetch('/api/shutdown', { method: 'POST' })).status).toBe(403);
    expect(stage.stopped()).toBe(false);

    expect((await overSocket(stage.server.socket, '/api/shutdown', { method: 'POST' })).status).toBe(202);
    await expect.poll(() => stage.stopped()).toBe(true);
  });

  test('many wrong tokens are refused, logged and told of; the good client is served', async ({ stage }) => {
    const isLogged = (): boolean => stage.logged.some(({ event }) => event === 'gate.wrong_tokens');
    const statuses = new Set<number>();
    // How many come within a second depends on the machine.
    await until(async () => {
      const guesses = Array.from({ length: 40 }, (_, index) => stage.fetch('/ping', { token: `guess-${index}` }));
      for (const { status } of await Promise.all(guesses)) statuses.add(status);
      return isLogged();
    });
    const { warnings } = (await json(stage, '/api/status')).body as { warnings: string[] };

    expect([...statuses]).toEqual([401]);
    expect((await stage.fetch('/ping')).status).toBe(200);
    expect(warnings.filter((text) => text.includes('wrong tokens'))).toHaveLength(1);
  });
});
