/** What the scripted model says in each scenario: the same words for every agent, through the tools each of them has. */
import path from 'node:path';
import type { AgentTools } from '#test/fixtures/agents.ts';
import { createGate } from '#test/fixtures/gate.ts';
import type { ModelServer } from '#test/fixtures/model-server.ts';

const GREETING = 'Hello from the fake model. This is a **streamed** answer with several deltas.';

export const scriptScenarios = (model: ModelServer, tools: AgentTools, workspace: string, scenario: string): void => {
  const file = path.join(workspace, 'note.txt');
  const unfold = tools.findMcp === null ? [] : [{ parts: [tools.findMcp('page screenshot fail')] }];
  const failing = (marker: string, status: number, error: string, message: string): void =>
    model.script(marker, { status, error, message, headers: { 'retry-after': '1' } });

  model.script('[[text]]', {
    parts: [{ text: GREETING, pieceLength: 12 }],
  });
  model.script('[[hi]]', { parts: [{ text: 'Hi.' }] });
  model.script('[[think]]', {
    parts: [{ thinking: 'Let me think about that for a moment.' }, { text: 'Thought about it: 42.', pieceLength: 9 }],
  });
  model.script(
    '[[shell]]',
    { parts: [{ text: 'I will run a command.' }, tools.shell('echo hello-from-shell')] },
    { parts: [{ text: 'The command printed hello-from-shell.', pieceLength: 12 }] },
  );
  model.script('[[shelltouch]]', { parts: [tools.shell('touch perm-created.txt')] }, { parts: [{ text: 'After touch.' }] });
  model.script(
    '[[edit]]',
    { parts: [{ text: 'Writing a file.' }, tools.write(file, 'line one\nline two\n')] },
    { parts: [tools.edit(file, 'line two', 'line 2 (edited)')] },
    { parts: [{ text: 'File written and edited.', pieceLength: 12 }] },
  );
  model.script(
    '[[mcp]]',
    ...unfold,
    { parts: [{ text: 'Reading the page.' }, tools.mcp('lab', 'browser_read_page', { url: 'https://example.test/' })] },
    { parts: [{ text: 'The page says: fake page.', pieceLength: 12 }] },
  );
  model.script('[[mcperr]]', ...unfold, { parts: [tools.mcp('lab', 'fail', {})] }, { parts: [{ text: 'The tool failed.' }] });
  model.script(
    '[[screenshot]]',
    ...unfold,
    { parts: [{ text: 'Taking a screenshot.' }, tools.mcp('lab', 'screenshot', {})] },
    { parts: [{ text: 'Here it is.' }] },
  );
  // Never finishes: what follows is an interrupt or the end of the process.
  model.script('[[slow]]', { parts: [{ text: 'The quick brown fox jumps over the lazy dog. ', pieceLength: 12 }, { gate: createGate() }] });
  model.script('[[image]]', (request) => ({ parts: [{ text: `The request carried ${imagesIn(request.body)} image(s).` }] }));
  if (tools.plan !== null) {
    const entries = ['Read the page', 'Fill the form', 'Report'];
    const states = [
      ['completed', 'in_progress', 'pending'],
      ['completed', 'completed', 'completed'],
    ];
    const { plan } = tools;
    model.script(
      '[[todo]]',
      ...states.map((state) => ({ parts: [plan(entries.map((content, index) => ({ content, status: state[index] ?? 'pending' })))] })),
      { parts: [{ text: 'Plan done.' }] },
    );
  }
  if (tools.ask !== undefined) {
    const choices = ['First', 'Second'];
    model.script('[[ask]]', { parts: [tools.ask('Which one?', choices)] }, { parts: [{ text: 'Thanks for the answer.' }] });
  }
  if (tools.background !== undefined) {
    const { shell, agent } = tools.background;
    model.script('<task-notification>', { parts: [{ text: 'I see that it has ended.' }] });
    model.script(
      '[[bgshell]]',
      { parts: [shell('echo one; sleep 1; echo two; exit 3')] },
      { parts: [{ text: 'It runs in the background.' }] },
    );
    model.script(
      '[[bgendless]]',
      { parts: [shell('echo one; until false; do sleep 1; done')] },
      { parts: [{ text: 'It runs in the background.' }] },
    );
    // The subagent speaks once the main agent has: a recording is to tell the same story each time.
    const spoken = createGate();
    model.script(
      '[[look]]',
      { parts: [{ gate: spoken }, { text: 'Looking.' }, tools.shell('sleep 1; ls')] },
      { parts: [{ text: 'There is nothing here.' }] },
    );
    model.script('[[bgagent]]', { parts: [agent('[[look]] Look around.')] }, () => {
      setTimeout(() => spoken.open(), 200);
      return { parts: [{ text: 'It looks around in the background.' }] };
    });
  }
  failing('[[e401]]', 401, 'authentication_error', 'Incorrect API key provided: sk-fake.');
  failing('[[e429]]', 429, 'rate_limit_error', 'Rate limit reached for requests.');
  failing('[[e529]]', 529, 'overloaded_error', 'Overloaded');
  failing(
    '[[e400ctx]]',
    400,
    'invalid_request_error',
    "This model's maximum context length is 128000 tokens. Your messages have 200000 tokens.",
  );
  if (scenario === 'model-unknown') {
    failing('[[text]]', 404, 'not_found_error', 'models/no-such-model is not found for API version v1beta');
  }
  if (scenario === 'mcp-unreachable') model.script('[[mcp]]', { parts: [{ text: GREETING, pieceLength: 12 }] });
};

const imagesIn = (body: unknown): number => JSON.stringify(body).match(/"type":"(?:input_image|image_url)"|"inlineData"/g)?.length ?? 0;
