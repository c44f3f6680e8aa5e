import { describe, expect, test } from 'vitest';
import { codex } from '#companion/engines/codex.ts';
import { defaultSettings } from '#protocol/events.ts';
import { command, greet, itemCompleted, itemStarted, NO_LOGIN_NEEDED, ready, running, THREAD, TURN, turnCompleted } from './codex-stage.ts';
import { malformedLines } from './fuzz.ts';
import { launchOptions, linesOf } from './replay.ts';
import { promptOf, startSession, type CodecSession } from './codec-stage.ts';

describe('starting codex', () => {
  test('no secret is among the arguments or in the environment, and no file is written', () => {
    const launch = codex.launch(launchOptions());

    expect(launch.args).toEqual(['app-server', '-c', 'features.plugins=false', '-c', 'check_for_update_on_startup=false']);
    expect(launch.env).toEqual({});
    expect(launch.files).toEqual([]);
  });

  test('the MCP server and its token go over stdin, and the project is not named, lest codex mark it as trusted', () => {
    const { params } = ready().lastOf('thread/start') ?? {};

    expect(params).not.toHaveProperty('cwd');
    expect(params).toMatchObject({
      approvalPolicy: 'on-request',
      sandbox: 'workspace-write',
      approvalsReviewer: 'user',
      config: {
        mcp_servers: {
          lab: {
            url: 'http://127.0.0.1:1/mcp',
            required: true,
            http_headers: { Authorization: 'Bearer token' },
            tool_timeout_sec: 600,
            default_tools_approval_mode: 'approve',
          },
        },
      },
    });
  });

  test("a server of the user's own with our name keeps it", () => {
    const session = ready({}, { lab: { command: 'x' }, lab_2: { command: 'y' } });

    expect(session.lastOf('thread/start')?.params).toHaveProperty('config.mcp_servers.lab_3');
  });

  test('it is ready with its version and its models; where no login is needed there is no account to tell', () => {
    expect(ready().events).toEqual([
      { type: 'bound', engineSessionId: THREAD },
      {
        type: 'ready',
        version: '0.169.0',
        models: [{ modelId: 'gpt-6', label: 'GPT-6', efforts: ['high'] }],
      },
    ]);
  });

  test('a health check ends before there is a thread', () => {
    const session = startSession(codex, { isProbe: true });

    greet(session, { account: { type: 'chatgpt', email: 'a@b.c', planType: 'plus' }, requiresOpenaiAuth: true } as never);

    expect(session.events).toEqual([]);
    session.answers('skills/list', {
      result: { data: [{ cwd: '/w', skills: [tideSkill, { ...tideSkill, name: 'off', enabled: false }] }] },
    });
    expect(session.events).toMatchObject([
      {
        type: 'ready',
        account: 'a@b.c (plus)',
        commands: [{ name: 'compact' }, { name: 'review' }, { name: 'tide', description: 'Reads tide tables', isSkill: true }],
      },
    ]);
    expect(session.lastOf('thread/start')).toBeUndefined();
  });

  test('a health check of a codex that tells no skills is ready all the same', () => {
    const session = startSession(codex, { isProbe: true });
    greet(session, NO_LOGIN_NEEDED);

    session.answers('skills/list', { error: { code: -32601, message: 'unknown method' } });

    expect(session.events).toMatchObject([{ type: 'ready', commands: [{ name: 'compact' }, { name: 'review' }] }]);
  });

  test('without a login it stops at once and says so', () => {
    const session = startSession(codex);

    greet(session, { account: null, requiresOpenaiAuth: true });

    expect(session.effects.at(-1)).toMatchObject({ type: 'stop', error: { code: 'ENGINE_NOT_LOGGED_IN' } });
  });

  test('a resumed conversation is told the folder, as the project may have moved', () => {
    expect(ready({ engineSessionId: 'old' }).lastOf('thread/resume')?.params).toMatchObject({
      threadId: 'old',
      cwd: '<workspace>',
      excludeTurns: true,
    });
  });

  test('a conversation that is gone is begun anew, and the user is told', () => {
    const session = startSession(codex, { engineSessionId: 'old' });
    greet(session, NO_LOGIN_NEEDED);
    session.answers('config/read', { result: { config: {} } });

    const events = session.answers('thread/resume', { error: { code: -32600, message: 'no rollout found' } });
    session.answers('thread/start', { result: { thread: { id: 'new' }, model: 'gpt-6' } });

    expect(events).toMatchObject([{ type: 'notice', level: 'warning' }]);
    expect(session.events).toContainEqual({ type: 'bound', engineSessionId: 'new' });
  });

  test.each([{ engineSessionId: null }, { engineSessionId: 'old' }])(
    'a thread that does not come about without the browser tools is opened without them, and the user is told: $engineSessionId',
    (options) => {
      const session = startSession(codex, options);
      greet(session, NO_LOGIN_NEEDED);
      session.answers('config/read', { result: { config: {} } });
      const opening = options.engineSessionId === null ? 'thread/start' : 'thread/resume';

      const events = session.answers(opening, {
        error: { code: -32603, message: 'Fatal error: required MCP servers failed to initialize: lab: no route' },
      });
      session.answers(opening, { result: { thread: { id: 'late' }, model: 'gpt-6' } });

      expect(events).toMatchObject([{ type: 'notice', code: 'MCP_UNREACHABLE', text: expect.stringContaining('lab: no route') }]);
      expect(session.lastOf(opening)?.params).not.toHaveProperty('config.mcp_servers');
      expect(session.events).toContainEqual({ type: 'bound', engineSessionId: 'late' });
    },
  );

  test("a server of the user's own that codex cannot do without is told as the reason", () => {
    const session = startSession(codex);
    greet(session, NO_LOGIN_NEEDED);
    session.answers('config/read', { result: { config: {} } });

    session.answers('thread/start', { error: { code: -32603, message: 'required MCP servers failed to initialize: theirs: gone' } });

    expect(session.effects.at(-1)).toMatchObject({ type: 'stop', error: { code: 'ENGINE_START_FAILED' } });
  });

  test('a process that ends before it is ready says why', () => {
    const session = startSession(codex);

    const effects = session.codec.exit({ code: 1, signal: null, stderr: 'config.toml is broken' });

    expect(effects).toMatchObject([{ type: 'stop', error: { code: 'ENGINE_START_FAILED' } }]);
    expect(JSON.stringify(effects)).toContain('config.toml is broken');
  });
});

const tideSkill = { name: 'tide', description: 'Reads tide tables', path: '/skills/tide/SKILL.md', enabled: true };

describe('a prompt that begins with a command', () => {
  const start = (text: string): CodecSession => {
    const session = ready();
    session.take(session.codec.prompt(promptOf(text)));
    return session;
  };

  test('calls a skill by its path', () => {
    const session = start('/tide of Brest');
    expect(session.lastOf('skills/list')?.params).toEqual({ cwds: ['<workspace>'] });

    session.answers('skills/list', { result: { data: [{ cwd: '/w', skills: [tideSkill] }] } });

    expect(session.lastOf('turn/start')?.params).toMatchObject({
      threadId: THREAD,
      input: [
        { type: 'text', text: '$tide of Brest' },
        { type: 'skill', name: 'tide', path: '/skills/tide/SKILL.md' },
      ],
    });
  });

  test('may name a skill anywhere by its sign, which is called by its path once', () => {
    const session = start('look at $tide and $HOME, then $tide.');
    session.answers('skills/list', { result: { data: [{ cwd: '/w', skills: [tideSkill, { ...tideSkill, name: 'home' }] }] } });

    expect(session.lastOf('turn/start')?.params).toMatchObject({
      input: [
        { type: 'text', text: 'look at $tide and $HOME, then $tide.' },
        { type: 'skill', name: 'tide', path: '/skills/tide/SKILL.md' },
      ],
    });
    expect(start('it costs 5$ or a$b').lastOf('skills/list')).toBeUndefined();
  });

  test('that codex does not know is sent as it is written', () => {
    const session = start('/etc is where it is');
    session.answers('skills/list', { error: { code: -32601, message: 'unknown method' } });

    expect(session.lastOf('turn/start')?.params).toMatchObject({ input: [{ type: 'text', text: '/etc is where it is' }] });
    expect(start('/etc/hosts is a file').lastOf('skills/list')).toBeUndefined();
  });

  test('compacts or reviews by a request of its own, and the turn is one like any other', () => {
    expect(start('/compact').lastOf('thread/compact/start')?.params).toEqual({ threadId: THREAD });
    expect(start('/review only the tests').lastOf('review/start')?.params).toEqual({
      threadId: THREAD,
      target: { type: 'custom', instructions: 'only the tests' },
    });
    const session = start('/review');
    expect(session.lastOf('review/start')?.params).toMatchObject({ target: { type: 'uncommittedChanges' } });
    session.answers('review/start', { result: { turn: { id: TURN }, reviewThreadId: THREAD } });
    session.says(turnCompleted('completed'));
    expect(session.events.at(-1)).toMatchObject({ type: 'turn.completed', outcome: 'completed' });
  });
});

describe('a turn of codex', () => {
  test('changed settings go with the next prompt, and only once', () => {
    const session = ready();
    session.take(session.codec.configure({ ...defaultSettings, model: 'gpt-7', mode: 'full-access', effort: 'high' }));

    session.take(session.codec.prompt(promptOf('one')));
    const first = session.lastOf('turn/start')?.params;
    session.take(session.codec.prompt(promptOf('two')));
    const second = session.lastOf('turn/start')?.params;

    expect(first).toMatchObject({ model: 'gpt-7', effort: 'high', approvalPolicy: 'never', sandboxPolicy: { type: 'dangerFullAccess' } });
    expect(Object.keys(second ?? {})).toEqual(['threadId', 'input']);
  });

  test('an image goes by the path of its file', () => {
    const session = ready();
    const image = {
      attachmentId: 'a',
      kind: 'image',
      name: 'x.png',
      mimeType: 'image/png',
      sizeBytes: 1,
      dataBase64: 'AA==',
      path: '/run/x.png',
    };

    session.take(session.codec.prompt(promptOf('look', [image as never])));

    expect(session.lastOf('turn/start')?.params?.['input']).toContainEqual({ type: 'localImage', path: '/run/x.png' });
  });

  test('what a message into the running turn cuts is closed, as codex never does', () => {
    const session = running();
    session.says(itemStarted({ type: 'agentMessage', id: 'm1', text: '' }));
    session.take(session.codec.steer(promptOf('rather this')));

    const events = session.says(itemStarted({ type: 'userMessage', id: 'u2' }));

    expect(session.lastOf('turn/steer')?.params).toMatchObject({ threadId: THREAD, expectedTurnId: TURN });
    expect(events).toEqual([{ type: 'item.completed', itemId: 'm1', status: 'completed' }]);
  });

  test('words for a turn that has no name yet wait for it', () => {
    const session = ready();
    session.take(session.codec.prompt(promptOf('hello')));

    session.take(session.codec.steer(promptOf('and this')));
    expect(session.lastOf('turn/steer')).toBeUndefined();
    session.answers('turn/start', { result: { turn: { id: TURN } } });

    expect(session.lastOf('turn/steer')?.params).toMatchObject({ expectedTurnId: TURN });
  });

  test('an interrupt also ends what the command left running, closes what is open, and a late end is ignored', () => {
    const session = running();
    session.says(itemStarted(command()));

    session.take(session.codec.interrupt());
    session.answers('turn/interrupt', { result: {} });
    const events = session.says(turnCompleted('interrupted'));
    const late = session.says(itemCompleted(command({ status: 'failed', exitCode: -1 })));

    expect(session.lastOf('thread/backgroundTerminals/clean')?.params).toEqual({ threadId: THREAD });
    expect(events).toEqual([
      { type: 'item.completed', itemId: 'call-1', status: 'cancelled' },
      { type: 'turn.completed', outcome: 'cancelled' },
    ]);
    expect(late).toEqual([]);
  });

  test('a command that still runs when the model is done goes on in the background, until it ends or is stopped', () => {
    const session = running();
    session.says(itemStarted(command()));
    session.says(itemStarted(command({ id: 'call-2' })));

    const end = session.says(turnCompleted('completed'));
    session.take(session.codec.stopTask('call-1'));
    session.answers('thread/backgroundTerminals/list', { result: { data: [{ itemId: 'call-1', processId: '77' }] } });
    const stopped = session.says(itemCompleted(command({ status: 'failed', exitCode: -1 })));
    session.take(session.codec.stopTask('call-2'));
    const gone = session.answers('thread/backgroundTerminals/list', { result: { data: [] } });

    expect(end).toEqual([
      { type: 'item.updated', itemId: 'call-1', patch: { isBackground: true } },
      { type: 'item.updated', itemId: 'call-2', patch: { isBackground: true } },
      { type: 'turn.completed', outcome: 'completed' },
    ]);
    expect(session.lastOf('thread/backgroundTerminals/terminate')?.params).toEqual({ threadId: THREAD, processId: '77' });
    expect(stopped).toMatchObject([{ type: 'item.completed', itemId: 'call-1', status: 'failed' }]);
    expect(gone).toEqual([{ type: 'item.completed', itemId: 'call-2', status: 'cancelled' }]);
  });

  test('an interrupt that comes before the turn has a name is sent when it has one', () => {
    const session = ready();
    session.take(session.codec.prompt(promptOf('hello')));

    session.take(session.codec.interrupt());
    session.answers('turn/start', { result: { turn: { id: TURN } } });

    expect(session.lastOf('turn/interrupt')?.params).toEqual({ threadId: THREAD, turnId: TURN });
  });

  test('a moved and a deleted file are whole unified diffs', () => {
    const session = running();
    const changes = [
      { path: '/p/a', kind: { type: 'update', move_path: '/p/b' }, diff: '@@ -1 +1 @@\n-x\n+y\n\n\nMoved to: /p/b' },
      { path: '/p/c', kind: { type: 'delete' }, diff: 'gone\n' },
    ];

    const [started] = session.says(itemStarted({ type: 'fileChange', id: 'f', changes, status: 'inProgress' }));

    expect(started).toMatchObject({
      item: {
        title: '2 files',
        changes: [
          { path: '/p/a', change: 'move', movedTo: '/p/b', unified: '--- /p/a\n+++ /p/a\n@@ -1 +1 @@\n-x\n+y\n' },
          { path: '/p/c', change: 'delete', unified: '--- /p/c\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n' },
        ],
      },
    });
  });

  test('reasoning that says nothing is not shown, and its parts are kept apart', () => {
    const session = running();
    const delta = (text: string): object => ({
      method: 'item/reasoning/summaryTextDelta',
      params: { threadId: THREAD, itemId: 'r2', delta: text },
    });
    const silent = session.says(itemStarted({ type: 'reasoning', id: 'r1', summary: [], content: [] }));
    silent.push(...session.says(itemCompleted({ type: 'reasoning', id: 'r1', summary: [], content: [] })));
    session.says(itemStarted({ type: 'reasoning', id: 'r2', summary: [], content: [] }));
    session.says(delta('First.'));
    session.says({ method: 'item/reasoning/summaryPartAdded', params: { threadId: THREAD, itemId: 'r2' } });
    session.says(delta('Second.'));

    const end = session.says(itemCompleted({ type: 'reasoning', id: 'r2', summary: ['First.', 'Second.'], content: [] }));

    expect(silent).toEqual([]);
    expect(end).toEqual([{ type: 'item.completed', itemId: 'r2', status: 'completed' }]);
  });

  test("a sub-agent's items hang below the call that began it, and its turn does not end ours", () => {
    const session = running();
    const call = { type: 'collabAgentToolCall', id: 'c1', tool: 'spawn', status: 'inProgress', prompt: 'count', receiverThreadIds: ['t2'] };
    session.says(itemStarted(call));

    const [child] = session.says({
      method: 'item/started',
      params: { threadId: 't2', item: { type: 'agentMessage', id: 'm9', text: '' } },
    });
    const stranger = session.says({
      method: 'item/started',
      params: { threadId: 't3', item: { type: 'agentMessage', id: 'm8', text: '' } },
    });
    const end = session.says({ method: 'turn/completed', params: { threadId: 't2', turn: { id: 'x', status: 'completed', error: null } } });

    expect(child).toMatchObject({ itemId: 'm9', parentItemId: 'c1' });
    expect(stranger).toEqual([]);
    expect(end).toEqual([]);
  });

  test.for([
    ['"contextWindowExceeded"', 'ENGINE_CONTEXT_FULL'],
    ['"usageLimitExceeded"', 'ENGINE_RATE_LIMITED'],
    ['"serverOverloaded"', 'ENGINE_OVERLOADED'],
    ['"modelNotFound"', 'ENGINE_MODEL_UNKNOWN'],
    ['"unauthorized"', 'ENGINE_NOT_LOGGED_IN'],
    ['"cyberPolicy"', 'ENGINE_REFUSED'],
    ['"sessionBudgetExceeded"', 'ENGINE_BUDGET_REACHED'],
    ['{"httpConnectionFailed":{"httpStatusCode":401}}', 'ENGINE_NOT_LOGGED_IN'],
    ['{"responseTooManyFailedAttempts":{"httpStatusCode":429}}', 'ENGINE_RATE_LIMITED'],
    ['{"httpConnectionFailed":{"httpStatusCode":529}}', 'ENGINE_OVERLOADED'],
    ['{"responseStreamDisconnected":{"httpStatusCode":null}}', 'ENGINE_API_ERROR'],
    ['"something new"', 'ENGINE_API_ERROR'],
    ['null', 'ENGINE_API_ERROR'],
  ])('%s is %s', ([info, code]) => {
    const session = running();

    const events = session.says(turnCompleted('failed', { message: 'It failed.', codexErrorInfo: JSON.parse(String(info)) as unknown }));

    expect(events.at(-1)).toMatchObject({ type: 'turn.completed', outcome: 'failed', error: { code } });
  });

  test('a limit that is used up says when it resets', () => {
    const session = running();
    const primary = { usedPercent: 100, windowDurationMins: 300, resetsAt: 1_800_000_000 };
    session.says({ method: 'account/rateLimits/updated', params: { rateLimits: { primary, secondary: null } } });

    const events = session.says(turnCompleted('failed', { message: 'No more.', codexErrorInfo: 'usageLimitExceeded' }));

    expect(events.at(-1)).toMatchObject({ error: { code: 'ENGINE_RATE_LIMITED', retryAt: 1_800_000_000_000 } });
  });

  test('a repeated request is a state, not an answer', () => {
    const session = running();
    const error = { message: 'Reconnecting... 1/5', codexErrorInfo: { responseStreamDisconnected: {} }, additionalDetails: 'status 529' };

    expect(session.says({ method: 'error', params: { threadId: THREAD, error, willRetry: true } })).toEqual([
      { type: 'retrying', text: 'status 529' },
    ]);
  });

  test('a process that ends with code 0 in the midst of a turn was cut', () => {
    const events = running().codec.exit({ code: 0, signal: null, stderr: '' });

    expect(events).toMatchObject([{ event: { type: 'turn.completed', outcome: 'failed', error: { code: 'ENGINE_OUTPUT_TRUNCATED' } } }]);
  });
});

describe('codex robustness', () => {
  test('ten thousand malformed lines do no harm, unknown ones are passed over, and a good turn works after them', () => {
    const session = running();
    const good = linesOf('mcp', 'codex');
    const methods = [
      ...new Set(good.map((line) => (JSON.parse(line) as { method?: string }).method ?? 'x')),
      'item/commandExecution/requestApproval',
      'item/fileChange/requestApproval',
      'mcpServer/elicitation/request',
      'item/tool/requestUserInput',
      'item/permissions/requestApproval',
      'turn/plan/updated',
      'error',
    ];

    for (const line of malformedLines(good, methods, 10_000)) session.take(session.codec.line(line));
    expect(session.says({ method: 'brand/new', params: {} })).toEqual([]);
    session.says(itemStarted({ type: 'agentMessage', id: 'fine', text: '' }));
    session.says(itemCompleted({ type: 'agentMessage', id: 'fine', text: 'Still here.' }));
    session.says(turnCompleted('completed'));

    expect(session.events.filter((event) => event.type === 'malformed').length).toBeGreaterThan(1_000);
    expect(session.events).toContainEqual({ type: 'item.completed', itemId: 'fine', status: 'completed', patch: { text: 'Still here.' } });
    expect(session.events.at(-1)).toEqual({ type: 'turn.completed', outcome: 'completed' });
  });
});
