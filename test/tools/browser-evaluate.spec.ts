import { expect } from 'vitest';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { type Agent, type AgentStage, currentTab, refsInFrames } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

/** The page is given time before it is taken for one that never ends. */
const WHOLE_MS = 600_000;

const open = async (stage: AgentStage, isShown: boolean): Promise<Agent> => {
  const agent = await stage.open('evaluate.html');
  const tabId = await currentTab(agent);
  if (isShown) await agent.text('browser_tabs', { action: 'select', tabId });
  return agent;
};

describeTabs(
  (how) => `browser_evaluate in a ${how} tab`,
  ({ isShown }) => {
    test('runs in the world of a page that forbids code from text, and asks with the code whole', async ({ stage }) => {
      const agent = await open(stage, isShown);
      const code = `// Only looks.\nasync () => ({ ...basket, node: document.body, padding: '${'x'.repeat(3_000)}'.length })`;

      const text = await agent.text('browser_evaluate', { function: code });

      expect(text).toMatch(/<\w{7} untrusted http:\/\/127.*\{"items":\["pear","plum"\],"total":"3n","node":"<body>","padding":3000\}/s);
      const card = JSON.stringify(agent.asked);
      expect(card).toMatch(/Code 1: \/\/ Only looks\.\\nCode 2: async \(\) => .*Code 3: x+.*Code 4: x+'\.length \}\)\\n/);
      expect(card.match(/x/g)?.length).toBeGreaterThanOrEqual(3_000);
      expect(agent.asked).toHaveLength(1);
    });

    test('is given an element, also of a frame', async ({ stage }) => {
      const agent = await open(stage, isShown);
      const inFrame = await agent.ref(/button "Inside"/);

      expect(await agent.text('browser_evaluate', { function: '(element) => element.textContent', target: '#title' })).toContain(
        '"Basket"',
      );
      expect(await agent.text('browser_evaluate', { function: '(element) => element.id + place', target: inFrame })).toContain(
        '"innerframe"',
      );
    });

    test('runs each of several codes that come at once', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, isShown);
      agent.answerWith(() => 'session');
      const tell = (word: string): Promise<string> =>
        agent.text('browser_evaluate', { function: `() => '${word}' + document.title.length` });
      await tell('first');
      await agent.text('browser_reload');

      const told = await Promise.all(['one', 'two', 'three'].map(tell));

      expect(told.join()).toMatch(/"one\d+"[^]*"two\d+"[^]*"three\d+"/);
    });

    test('is given an element of a frame of another site', async ({ stage }) => {
      const agent = await stage.open('frames.html');
      const named = async (target: string): Promise<string> =>
        agent.text('browser_evaluate', { function: 'async (element) => `${element.textContent} on ${location.host}`', target });

      const told = [];
      for (const ref of await refsInFrames(agent, 'button "Press me"', 2)) told.push(await named(ref));

      expect(told.join()).toContain(`"Press me on ${new URL(stage.url).host}"`);
      expect(told.join()).toContain(`"Press me on ${new URL(stage.otherUrl).host}"`);
      expect(agent.asked).toHaveLength(2);
    });

    test('takes an expression, what is undefined and what is too long', async ({ stage }) => {
      const agent = await open(stage, isShown);

      expect(await agent.text('browser_evaluate', { function: 'document.title' })).toContain('"Evaluate"');
      expect(await agent.text('browser_evaluate', { function: '() => {}' })).toContain('\nundefined\n');
      // Names that we would use ourselves.
      const names = 'code, told, value, given, write, wait, thrown, tell'.split(', ');
      await agent.text('browser_evaluate', { function: names.map((name) => `globalThis.${name} = 1`).join(', ') });
      expect(await agent.text('browser_evaluate', { function: names.join(' + ') })).toContain(`\n${names.length}\n`);
      const long = await agent.text('browser_evaluate', { function: "'y'.repeat(60_000)" });
      expect(long).toContain('Only the first 26,');
      expect(long.length).toBeLessThan(28_000);
      // Of another script a letter takes three bytes, and agents count these.
      const chinese = await agent.text('browser_evaluate', { function: "'潮'.repeat(60_000)" });
      expect(chinese).toMatch(/Only the first 9,\d{3} characters/);
      expect(chinese.length).toBeLessThan(10_500);
      expect(await agent.text('browser_evaluate', { function: "({ password: 'hunter2' })" })).not.toContain('hunter2');
    });

    test('takes statements as the body of a function, and runs no code twice', async ({ stage }) => {
      const agent = await open(stage, isShown);
      const result = (code: string, more = {}): Promise<string> => agent.text('browser_evaluate', { function: code, ...more });

      expect(await result('return basket.items.length')).toContain('\n2\n');
      expect(await result('const [first] = basket.items; await 0; return first;')).toContain('"pear"');
      expect(await result('return element.id', { target: '#title' })).toContain('"title"');
      // The page throws what code throws that cannot be read.
      const error = "{ get stack() { throw new SyntaxError('Unexpected token') } }";
      const code = `(document.querySelector('#title').append('!'), (() => { throw ${error} })())`;
      expect(await agent.error('browser_evaluate', { function: code })).toContain('SyntaxError');
      expect(await agent.text('browser_snapshot')).toMatch(/Basket!(?!!)/);
    });

    test('tells a result though the page has another JSON, other promises and other lists', async ({ stage }) => {
      const agent = await open(stage, isShown);
      await agent.text('browser_evaluate', {
        function: `() => {
          JSON.stringify = () => 'mine';
          Promise.resolve = () => null;
          Promise.prototype.then = () => null;
          Array.prototype[Symbol.iterator] = null;
          Array.prototype.toJSON = () => 'mine';
          Function.prototype.call = null;
          Object.assign(window, { Node: class {}, Map: {}, Set: () => { throw 'mine' }, RegExp: null, NodeList: 1, HTMLCollection: '' });
        }`,
      });

      for (const code of [
        '() => ({ a: [1, "b"] })',
        'async () => ({ a: [1, "b"] })',
        '(element) => ({ a: [1, element === undefined ? "b" : 0] })',
      ])
        expect(await agent.text('browser_evaluate', { function: code })).toContain('{"a":[1,"b"]}');
      expect(await agent.text('browser_evaluate', { function: '(element) => element', target: 'body' })).toContain('"<body>"');
      const held = '() => { const held = [document.querySelectorAll("h1")]; held[1] = held; return held; }';
      expect(await agent.text('browser_evaluate', { function: held })).toContain('[["<h1>"],"(told already)"]');
      expect(await agent.error('browser_evaluate', { function: 'async () => { throw new Error("away") }' })).toContain('Error: away');
    });

    test('tells of a page that the code led to and that did not come', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, isShown);

      expect(await agent.text('browser_evaluate', { function: `() => { location.href = '/no-content'; }` })).toMatch(
        /gave no page, so this one stays.*led to: .*no-content/s,
      );
    });

    test('tells what the code threw, inside the fence', async ({ stage }) => {
      const agent = await open(stage, isShown);

      expect(await agent.error('browser_evaluate', { function: "() => { throw new TypeError('No pear') }" })).toMatch(
        /^TOOL_FAILED: .*threw an error.*<\w{7} untrusted .*TypeError: No pear/s,
      );
      expect(await agent.error('browser_evaluate', { function: '() => {' })).toContain('SyntaxError');
      expect(await agent.text('browser_snapshot')).toContain('Basket');
    });

    test('tells what holds itself, what JSON has no word for, and how statements give something back', async ({ stage }) => {
      const agent = await open(stage, isShown);
      const run = (code: string): Promise<string> => agent.text('browser_evaluate', { function: code });

      expect(
        await run(
          "() => { const a = { set: new Set([1]), map: new Map([['k', 2]]), why: new Error('no luck'), odd: NaN, how: /a/g }; a.self = [a]; return a; }",
        ),
      ).toContain('\n{"set":[1],"map":[["k",2]],"why":"Error: no luck","odd":"NaN","how":"/a/g","self":["(told already)"]}\n');
      expect(await run("() => document.querySelectorAll('body')")).toContain('\n["<body>"]\n');
      expect(await run('() => [window]')).toContain('\n["[object Window]"]\n');
      expect(await run('document.title; document.title')).toContain('Statements give back what they return');
      expect(await run('() => { document.title; }')).not.toContain('Statements');
      expect(await agent.error('browser_evaluate', { function: '() => {' })).toContain('Correct the code');
    });

    test('follows where the code leads, and what it asks', async ({ stage }) => {
      const agent = await open(stage, isShown);

      expect(await agent.text('browser_evaluate', { function: "() => alert('Hear')" })).toContain('dialog: alert: "Hear" (accepted)');
      expect(await agent.text('browser_evaluate', { function: "() => confirm('Sure?')" })).toContain('use browser_handle_dialog');
      await agent.text('browser_handle_dialog', { accept: true });
      expect(await agent.text('browser_evaluate', { function: "() => { location.href = '/form.html' }" })).toContain(
        'title: Create an account',
      );
    });

    // Nothing of it knows whether the tab is shown, and each loop takes a core for as long as it is waited for.
    test('ends code that never ends, and the tab goes on', { timeout: WHOLE_MS }, async ({ stage }) => {
      const agent = await open(stage, isShown);

      expect(await agent.error('browser_evaluate', { function: '() => { for (;;); }' })).toMatch(
        /^TOOL_TIMEOUT: .*kept the page busy.*was ended/s,
      );
      expect(await agent.text('browser_snapshot')).toContain('Basket');
      // In the short form once at its start: each keeps a core busy for seconds.
      const later = 'async () => { await new Promise((resolve) => setTimeout(resolve, 50)); for (;;); }';
      if (isWhole) expect(await agent.error('browser_evaluate', { function: later })).toContain('was ended');
      const before = agent.asked.length;

      const stop = new AbortController();
      const call = agent.call('browser_evaluate', { function: '() => { for (;;); }' }, { signal: stop.signal });
      await until(() => agent.asked.length === before + 1);
      stop.abort();
      await call;
      // Until then the page is told to be busy.
      await until(async () => (await agent.call('browser_click', { target: '#title' })).isError !== true, { what: 'the page to be free' });
    });

    test('lets code that only waits go on waiting', async ({ stage }) => {
      const agent = await open(stage, isShown);

      const stop = new AbortController();
      const call = agent.call('browser_evaluate', { function: '() => new Promise(() => {})' }, { signal: stop.signal });
      await until(() => agent.asked.length === 1);
      stop.abort();
      await call;

      expect(await agent.text('browser_evaluate', { function: '1 + 1' })).toContain('\n2\n');
    });

    test('does nothing without a yes', async ({ stage }) => {
      const agent = await open(stage, isShown);
      agent.answerWith(() => 'reject');

      expect(await agent.error('browser_evaluate', { function: "document.title = 'Changed'" })).toContain('CONSENT_DENIED');
      expect(await agent.text('browser_snapshot')).not.toContain('Changed');
    });
  },
);
