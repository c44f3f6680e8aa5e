/** Every engine with the real agent behind it, against a scripted model, through the built executable: one list of expectations for all. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { SessionView } from '#protocol/view.ts';
import { engines } from '#companion/engines/index.ts';
import { isDaemon } from '#test/fixtures/companion.ts';
import { answerNext, answerOf, isDone, lastTurn, turnsDone } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { filesUnder } from '#test/fixtures/installed-agent.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { apiErrors } from '#test/fixtures/model-server.ts';
import { connectBrowserDouble, DOUBLE_PAGE } from '#test/fixtures/browser-double.ts';
import { until } from '#test/fixtures/until.ts';
import { WHOLE } from '#test/fixtures/whole.ts';
import { leftToWhole, subjects, test, type Ability, type Subject } from './engine-stage.ts';

/** A failed login is told at once: no agent's retries come before it. */
const AT_ONCE_MS = 15_000 + SLACK_MS;

/** The command by which a person signs in with the agent. */
const loginOf = ({ name }: Subject): string => {
  const engine = engines.find((each) => each.name === name);
  return engine?.type === 'process' ? engine.finding.loginCommand : '';
};

describe.for(subjects)('$name', (subject: Subject) => {
  const { find, browserTool, shell } = subject;
  const found = find.length === 0 ? [] : [{ parts: find }];
  const costly = leftToWhole(subject);
  /** For what agents that start slowly prove in the whole suite only. */
  const longTest = costly === undefined ? test : test.skip;
  const longTestOf = (ability: Ability) => (subject.missing[ability] === undefined ? longTest : test.skip);
  const long = costly === undefined ? '' : ` [missing: it ${costly}]`;
  /** What Pilotfish does in one way for all agents is shown by one of them. */
  const tags = subject.name === 'claude' ? [] : [WHOLE.name];
  const suffix = (ability: Ability): string => (subject.missing[ability] === undefined ? '' : ` [missing: it ${subject.missing[ability]}]`);

  // A conversation shows it too, for which an agent has to be found and ready.
  longTest(`is found and ready${long || suffix('version')}`, { tags }, async ({ share }) => {
    const { companion } = await share(subject);

    const { json } = await companion.api.send('POST', '/api/engines/refresh', { name: subject.name });

    const { engines } = json as { engines: { name: string; status: string; version?: string }[] };
    const info = engines.find(({ name }) => name === subject.name);
    expect(info).toMatchObject({ status: 'ready' });
    expect(info?.version).toBe(subject.version);
  });

  longTest(`looks at a page with a browser tool, without a question${long}`, async ({ share }) => {
    const { companion, model, converse } = await share(subject);
    model.script('look at the page', ...found, { parts: [browserTool('browser_snapshot', {})] }, ({ toolText }) => ({
      parts: [{ text: `It said: ${toolText}` }],
    }));
    const browser = await connectBrowserDouble(companion);
    const conversation = await converse();

    await conversation.act('look at the page');
    const view = await turnsDone(conversation, 1);
    browser.close();

    expect(lastTurn(view)).toMatchObject({ status: 'completed', error: null });
    expect(browser.calls.map(({ name }) => name)).toEqual(['browser_snapshot']);
    expect(answerOf(view)).toContain(`browser_snapshot was done on ${DOUBLE_PAGE.title}`);
    expect(view.items.flatMap(({ body, status }) => (body.kind === 'tool' && body.toolKind === 'browser' ? [status] : []))).toEqual([
      'completed',
    ]);
    expect(conversation.events().some(({ type }) => type === 'request.opened')).toBe(false);
  });

  test('a click asks for consent: denied, it does not reach the page; allowed, it does', async ({ share, skip }) => {
    skip(costly !== undefined && subject.name !== 'gemini', 'as gemini, which speaks the same protocol: npm run test:whole');
    const { companion, model, converse } = await share(subject);
    const click = browserTool('browser_click', { element: 'Buy', target: 'e1' });
    model.script('click on it', ...found, { parts: [click] }, ({ toolText }) => ({ parts: [{ text: `It said: ${toolText}` }] }));
    const browser = await connectBrowserDouble(companion);
    const conversation = await converse();

    // An agent may tell of its call after that has asked, and a person answers later than this.
    const isPlaced = ({ requests: [open] }: SessionView): boolean => open !== undefined && open.itemId !== null;
    const answerPlaced = async (wanted: string): Promise<void> => {
      await conversation.waitFor(isPlaced);
      await answerNext(companion, conversation, wanted);
    };

    await conversation.act('click on it');
    await answerPlaced('reject');
    const denied = await turnsDone(conversation, 1);
    expect(browser.calls).toEqual([]);
    expect(answerOf(denied)).toContain('CONSENT_DENIED');

    // Two at once: each is asked about in the entry of its own call.
    const clicks = ['Buy', 'Sell'].map((element, index) => browserTool('browser_click', { element, target: `e${index}` }));
    model.script('click on both', ...found, { parts: clicks }, ({ toolText }) => ({ parts: [{ text: `It said: ${toolText}` }] }));
    await conversation.act('click on both');
    await answerPlaced('allow_once');
    await answerPlaced('allow_once');
    const allowed = await turnsDone(conversation, 2);
    browser.close();
    expect(browser.calls.filter(({ name }) => name === 'browser_click')).toHaveLength(2);
    expect(answerOf(allowed)).toContain('browser_click was done');
    const about = new Set(allowed.answered.map(({ itemId }) => itemId));
    const asked = allowed.items.filter(({ itemId }) => about.has(itemId));
    expect(asked.flatMap(({ body }) => (body.kind === 'tool' ? [body.input] : []))).toMatchObject([
      { element: 'Buy' },
      { element: 'Buy' },
      { element: 'Sell' },
    ]);
  });

  longTest(`stopped while a browser tool asks, it has the tools in its next turn${long}`, { tags: [WHOLE.name] }, async ({ share }) => {
    const { companion, model, converse } = await share(subject);
    const click = browserTool('browser_click', { element: 'Buy', target: 'e1' });
    model.script('press it', ...found, { parts: [click] }, { parts: [{ text: 'Pressed.' }] });
    let hasLooked = false;
    // Some agents give the stopped call to the model as a result, beside the new prompt.
    model.script('look at it then', ...found, ({ toolText }) => {
      const parts = hasLooked ? [{ text: `It said: ${toolText}` }] : [browserTool('browser_snapshot', {})];
      hasLooked = true;
      return { parts };
    });
    const browser = await connectBrowserDouble(companion);
    const conversation = await converse();

    await conversation.act('press it');
    await conversation.waitFor(({ requests }) => requests.length > 0);
    await companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);
    await turnsDone(conversation, 1);
    await conversation.act('look at it then');
    const view = await turnsDone(conversation, 2);
    browser.close();

    expect(browser.calls.map(({ name }) => name)).toEqual(['browser_snapshot']);
    expect(answerOf(view)).toContain(`browser_snapshot was done on ${DOUBLE_PAGE.title}`);
  });

  longTestOf('commands')(`a command asks: denied, it does not run; allowed, it does${long || suffix('commands')}`, async ({ share }) => {
    const { companion, model, converse } = await share(subject);
    model.script('make a file', { parts: [shell('touch made.txt')] }, { parts: [{ text: 'So it is.' }] });
    const conversation = await converse();
    const made = path.join(conversation.rootPath, 'made.txt');

    await conversation.act('make a file');
    await answerNext(companion, conversation, 'reject');
    const denied = await turnsDone(conversation, 1);
    expect(existsSync(made)).toBe(false);
    expect(denied.items.flatMap(({ body, status }) => (body.kind === 'tool' ? [status] : []))).toEqual(['denied']);

    await conversation.act('make a file, please');
    await answerNext(companion, conversation, 'allow_once');
    const allowed = await turnsDone(conversation, 2);
    expect(existsSync(made)).toBe(true);
    expect(lastTurn(allowed)?.status).toBe('completed');
    expect(answerOf(allowed)).toContain('So it is.');
  });

  longTest(
    `stopped in its answer, also after a second prompt, it ends within a second, keeps what it said, and stays ended${long}`,
    async ({ share }) => {
      const { companion, model, converse } = await share(subject);
      const gate = createGate();
      model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }, { text: ' there was an end.' }] });
      // Some turn to what was said at once, and would answer it before the stop.
      const later = createGate();
      model.script('make it shorter', { parts: [{ gate: later }, { text: 'Nobody asked for this any more.' }] });
      model.script('a short one', { parts: [{ text: 'The end.' }] });
      const conversation = await converse();

      const turnId = await conversation.act('a long story');
      await conversation.waitFor((view) => answerOf(view).includes('Once upon a time'));
      await conversation.act('make it shorter', { delivery: 'steer' });
      const load = new MachineLoad();
      const began = performance.now();
      await companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);
      const stopped = await conversation.waitFor(isDone);
      const tookMs = performance.now() - began;
      gate.open();
      later.open();
      console.info(`${subject.name}: stopped after ${Math.round(tookMs)} ms${load.words()}`);
      expect(tookMs).toBeLessThan(load.isQuiet ? 1_000 : SLACK_MS);
      expect(stopped.turns.find((turn) => turn.turnId === turnId)?.status).toBe('cancelled');
      expect(answerOf(stopped)).toContain('Once upon a time');

      await conversation.act('a short one');
      const next = await conversation.waitFor((view) => answerOf(view).includes('The end.') && isDone(view));
      expect(answerOf(next)).not.toContain('Nobody asked');
      expect(next.turns.filter(({ status }) => status === 'completed')).toHaveLength(1);
    },
  );

  longTestOf('commands')(
    `stopped while a command runs, nothing of the command is left${long || suffix('commands')}`,
    { tags },
    async ({ share }) => {
      const { companion, home, model, converse } = await share(subject);
      model.script('follow it', { parts: [shell('touch started.txt && tail -f /dev/null')] }, { parts: [{ text: 'It has ended.' }] });
      const conversation = await converse();
      const tails = () => home.processes().filter(({ command }) => command === 'tail -f /dev/null');

      await conversation.act('follow it');
      await answerNext(companion, conversation, 'allow_once');
      await until(() => tails().length > 0, { what: 'the command' });
      await companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);
      const view = await turnsDone(conversation, 1);

      expect(lastTurn(view)?.status).toBe('cancelled');
      expect(view.items.every(({ status }) => status !== 'running')).toBe(true);
      await home.waitForProcesses(() => tails().length === 0);
    },
  );

  longTest(
    `the daemon killed in the midst of a turn: interrupted, nothing left, and it resumes${long || suffix('resume')}`,
    { tags },
    async ({ companion, home, setUp }) => {
      const { model, converse, daemon } = await setUp(subject);
      const gate = createGate();
      model.script('remember the word', { parts: [{ text: 'I will.' }] });
      model.script('a long story', { parts: [{ text: 'Once upon a time' }, { gate }, { text: ' there was an end.' }] });
      const conversation = await converse();
      await conversation.act('remember the word albatross');
      await turnsDone(conversation, 1);
      const turnId = await conversation.act('a long story');
      await conversation.waitFor((view) => answerOf(view).includes('Once upon a time'));

      process.kill(daemon, 'SIGKILL');
      await home.waitForProcesses((list) => list.every(({ pid }) => pid !== daemon));
      gate.open();
      await companion.startDaemon();
      conversation.reconnect();
      const view = await turnsDone(conversation, 2);
      expect(view.turns.find((turn) => turn.turnId === turnId)?.status).toBe('interrupted');
      expect(answerOf(view)).toContain('Once upon a time');
      await home.waitForProcesses((list) => list.every(isDaemon));

      // Some send the prompt that was cut together with the next one.
      for (const marker of ['a long story', 'go on']) model.script(marker, { parts: [{ text: 'Here I am again.' }] });
      const before = model.requests.length;
      await conversation.act('go on');
      const resumed = await turnsDone(conversation, 3);
      expect(lastTurn(resumed)?.status).toBe('completed');
      expect(answerOf(resumed)).toContain('Here I am again.');
      const isRemembered = JSON.stringify(model.requests.slice(before).map(({ messages }) => messages)).includes('albatross');
      const isTold = resumed.items.some(({ body }) => body.kind === 'notice');
      // Where it may forget, the user is told that the conversation begins anew.
      expect(isRemembered || (subject.missing.resume !== undefined && isTold)).toBe(true);
    },
  );

  longTest(`a key that the provider refuses is told at once${long}`, { tags }, async ({ setUp }) => {
    const { model, converse } = await setUp(subject);
    model.script('first', { parts: [{ text: 'Here I am.' }] });
    model.script('hello', apiErrors.unauthorized);
    const conversation = await converse();
    await conversation.act('first');
    await turnsDone(conversation, 1);

    await conversation.act('hello');
    const view = await conversation.waitFor((next) => next.turns.length === 2 && isDone(next), AT_ONCE_MS);

    expect(lastTurn(view)).toMatchObject({
      status: 'failed',
      error: { code: 'ENGINE_NOT_LOGGED_IN', remedy: expect.stringContaining(loginOf(subject)) },
    });
  });

  longTestOf('process')(
    `its token is in no argument, no environment and no file, and the user's own files are as they were${long || suffix('process')}`,
    { tags },
    async ({ companion, home, setUp }) => {
      const { model, agent, converse } = await setUp(subject, { isOverheard: true });
      const gate = createGate();
      model.script(
        'wait for me',
        ...found,
        { parts: [browserTool('browser_snapshot', {})] },
        { parts: [{ text: 'Seen.' }, { gate }, { text: ' Done.' }] },
      );
      const own = filesUnder(home.dir);
      const isOurs = (file: string): boolean => file.startsWith(path.join(home.dir, 'pilotfish'));
      const browser = await connectBrowserDouble(companion);
      const conversation = await converse();
      await conversation.act('wait for me');
      await gate.reached;

      const token = tokenIn([agent?.said() ?? '', ...[...filesUnder(companion.paths.runsDir).values()].map(String)]);
      const running = home.processes();
      expect(running.length).toBeGreaterThan(1);
      for (const { pid, command } of running) {
        expect(command).not.toContain(token);
        expect(environmentOf(pid)).not.toContain(token);
      }
      gate.open();
      await turnsDone(conversation, 1);
      browser.close();
      await companion.stopDaemon();
      await home.waitForProcesses((list) => list.length === 0);

      const after = filesUnder(home.dir);
      expect([...after].filter(([, content]) => content.includes(token)).map(([file]) => file)).toEqual([]);
      const changed = [...own].filter(([file, content]) => !isOurs(file) && after.get(file)?.equals(content) !== true);
      const added = changed.map(([file, content]) => [path.relative(home.dir, file), keysAdded(String(content), String(after.get(file)))]);
      expect(Object.fromEntries(added)).toEqual(subject.rewrites);
      expect([...after.keys()].filter((file) => file.startsWith(conversation.rootPath))).toEqual([]);
    },
  );
});

/** The token of the run: said to the agent, or in the file it was given. */
const tokenIn = (texts: readonly string[]): string => {
  const found = texts.map((text) => /Bearer ([\w-]{43})/.exec(text)?.[1]).find((token) => token !== undefined);
  if (found === undefined) throw new Error('no token was given to the agent');
  return found;
};

/** Names of the settings that stand in a JSON file now; null when it differs in anything else. */
const keysAdded = (before: string, after: string): string[] | null => {
  const [old, now] = [before, after].map((text) => JSON.parse(text) as Record<string, unknown>);
  const isKept = Object.entries(old ?? {}).every(([key, value]) => JSON.stringify(now?.[key]) === JSON.stringify(value));
  return isKept ? Object.keys(now ?? {}).filter((key) => !(key in (old ?? {}))) : null;
};

const environmentOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // It ended while it was looked at.
    return '';
  }
};
