import { test as base, describe, expect, vi } from 'vitest';
import { OfferedTools } from '#companion/toolsets/offered-tools.ts';
import { type AgentStage, startPlainStage, textOf } from './tool-stage.ts';
import { until } from '#test/fixtures/until.ts';
import { describeTabs, plainTest } from './tool-test.ts';

/** Chromium has the feature behind a flag. */
const test = base.extend<{ stage: AgentStage }>({
  stage: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
    async ({}, use) => {
      const stage = await startPlainStage(1, ['--enable-features=WebMCP']);
      await use(stage);
      await stage.close();
    },
    { scope: 'file' },
  ],
});

describeTabs(
  (how) => `browser_page_tool in a ${how} tab`,
  ({ open }) => {
    test('calls what the page offers, by script and by form, once it was allowed', async ({ stage }) => {
      const agent = await open(stage, 'page-tools.html');
      agent.answerWith(() => 'session');

      const result = await agent.call('browser_snapshot');
      const listed = textOf(result);
      const offered = new OfferedTools(() => stage.bridge.tools());
      const isListed = (): boolean => offered.list().some(({ name }) => name === 'browser_page_tool');
      expect([isListed(), offered.learn(result), isListed()]).toEqual([false, true, true]);
      expect(listed).toMatch(
        /<\w{7} untrusted .*Tools of the page, for browser_page_tool:\n- add\(a: number, b\?: number\), only looks: Adds two numbers \(e1 /s,
      );
      expect(listed).toContain('- order(thing?: "tea"|"cake"): Orders a thing');
      expect(listed).toContain('- search_shop(words?: string (what to look for)): Search the shop');
      const call = (name: string, args?: Record<string, unknown>): Promise<string> =>
        agent.text('browser_page_tool', { name, ...(args === undefined ? {} : { arguments: args }) });
      expect(await call('add', { a: 2, b: 3 })).toMatch(/^The tool of the page answered\..*<\w{7} .*answer: sum 5/s);
      // It only looks, and was told no words.
      expect(agent.asked).toEqual([]);
      const ordered = await call('order', { thing: 'tea' });
      expect(ordered).toContain('ordered tea');
      expect(ordered).not.toContain('planted-9c2e');
      expect(await call('search_shop', { words: 'cups' })).toMatch(/answer: found 3.*searched cups/s);
      const [card] = agent.asked;
      expect(card?.title).toBe(`Use the tool “order” of the page on ${stage.url}`);
      expect(card?.detail).toContain('With: {"thing":"tea"}');
      expect(agent.asked).toHaveLength(1);
    });

    test('tells what it answered in blocks as words, and a fault as one', async ({ stage }) => {
      const agent = await open(stage, 'page-tools.html');
      agent.answerWith(() => 'session');

      expect(await agent.text('browser_page_tool', { name: 'show' })).toMatch(
        /answer: seen from the street\n\(image, 3000 bytes, not shown\)\n<\/\w{7}>/,
      );
      expect(await agent.error('browser_page_tool', { name: 'buy' })).toMatch(
        /^The tool of the page answered that it failed\..*answer: sold out\n/s,
      );
    });

    test('says of a form that somebody has to send, and of a page that was left, what it has come to', async ({ stage }) => {
      const agent = await open(stage, 'page-tools.html');
      agent.answerWith(() => 'session');
      const startedAt = performance.now();

      const filled = await agent.text('browser_page_tool', { name: 'book', arguments: { guests: '4' } });
      const ms = performance.now() - startedAt;
      const sent = await agent.text('browser_click', { target: 'role=button[name="Book"]' });
      const left = await agent.text('browser_page_tool', { name: 'leave' });

      expect(filled).toMatch(/^The tool filled its form, which waits to be sent.*textbox "Guests" = "4"/s);
      expect(ms).toBeLessThan(15_000);
      expect(sent).toContain('booked for 4');
      expect(left).toMatch(/^The tool led to another page before it answered\. A page was loaded/);
    });

    test('says what failed, and which tools there are', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'page-tools.html');

      expect(await agent.error('browser_page_tool', { name: 'broken' })).toMatch(/^TOOL_FAILED: .*The tool of the page failed\./);
      const asked = agent.asked.length;
      expect(await agent.error('browser_page_tool', { name: 'pay' })).toMatch(/^TOOL_ARGUMENTS: .*no tool of this name.*add, .*order/s);
      expect(agent.asked).toHaveLength(asked);
      agent.answerWith(() => 'reject');
      const long = { thing: 'x'.repeat(4_000), at: 'the end' };
      expect(await agent.error('browser_page_tool', { name: 'order', arguments: long })).toMatch(/^CONSENT_DENIED: /);
      // Who decides sees all that is given to the tool.
      const given = [...(agent.asked.at(-1)?.detail ?? '').matchAll(/^With: (.*)$/gm)].map(([, piece = '']) => piece);
      expect(given.join('')).toBe(JSON.stringify(long));
    });
  },
);

describe('a frame', () => {
  test('offers its tools beside those of its page, by a name with the frame in it, and its own site is asked for', async ({ stage }) => {
    const tools = '/page-tools.html';
    const frames = [
      `src="${stage.url}${tools}"`,
      `src="${stage.otherUrl}${tools}"`,
      `allow="tools" src="${stage.otherUrl}${tools}?allowed"`,
    ];
    const own = "document.modelContext?.registerTool({ name: 'add', description: 'Of the page', execute: () => 'from the page' })";
    const page = `${frames.map((frame) => `<iframe ${frame}></iframe>`).join('')}<script>${own}</script>`;
    const agent = await stage.open(`says?text=${encodeURIComponent(page)}`);
    agent.answerWith(() => 'session');
    const offers = await until(
      async () => {
        const found = [...(await agent.text('browser_snapshot')).matchAll(/Tools of its frame (f\d+) \((\S+)\), for/g)];
        return found.length === 2 && found.map(([, frame = '', site = '']) => ({ frame, site }));
      },
      { what: 'the tools of two frames' },
    );

    expect(await agent.text('browser_page_tool', { name: 'add' })).toContain('answer: from the page');
    for (const { frame, site } of offers) {
      const added = await agent.text('browser_page_tool', { name: `${frame}:add`, arguments: { a: 2, b: 3 } });
      expect(added).toMatch(new RegExp(`untrusted ${site}>.*\\nanswer: sum 5\\n`, 's'));
      const ordered = await agent.text('browser_page_tool', { name: `${frame}:order`, arguments: { thing: 'tea' } });
      expect(ordered).toMatch(new RegExp(`appeared: \\[${frame}e\\d+ status = "ordered tea"\\]`));
    }

    // Without being allowed to, a frame of another site offers none.
    expect(offers.map(({ site }) => site)).toEqual([stage.url, stage.otherUrl]);
    expect(agent.asked.map(({ where }) => where)).toEqual([stage.url, stage.otherUrl]);
    expect(await agent.error('browser_page_tool', { name: 'f4711:add' })).toContain('frame');
  });
});

describe('a hostile page', () => {
  test('is told no words by a tool that is said to only look, unless the person lets it, and nothing that its tools say leaves the fence or is endless', async ({
    stage,
  }) => {
    const agent = await stage.open('hostile-tools.html');
    const said = async (name: string, args = {}): Promise<string> =>
      textOf(await agent.call('browser_page_tool', { name, arguments: args }));
    const listed = await agent.text('browser_snapshot');

    agent.answerWith(() => 'reject');
    for (const words of [{ words: 'a secret' }, { code: 48_291_301 }]) expect(await said('turncoat', words)).toMatch(/^CONSENT_DENIED/);
    expect(await agent.text('browser_snapshot')).not.toContain(' turned');
    agent.answerWith(() => 'session');
    const texts = [listed];
    for (const name of ['turncoat', 'breaker', 'thrower', 'flood', 'constructor']) texts.push(await said(name));

    for (const text of texts) {
      const [, nonce = ''] = /<(\w{7}) untrusted /.exec(text) ?? [];
      const [before = '', ...after] = text.split(`</${nonce}>`);
      expect(nonce).not.toBe('');
      expect(after).toHaveLength(1);
      expect(before.split(`<${nonce} `)[0]).not.toMatch(/pay now|ends\./);
      expect(after.join('')).not.toMatch(/pay now|ends\./);
      expect(text.length).toBeLessThan(60_000);
    }
    expect(texts.at(-1)).toContain('of the constructor');
    expect(texts.at(-2)).toContain('answer (the first 20000 of 1000000 characters): xxx');
    expect(agent.asked.map(({ title }) => title)).toEqual(['turncoat', 'turncoat', 'breaker'].map((name) => expect.stringContaining(name)));
  });
});

describe('what secret fields hold, also in a shadow root and in a frame,', () => {
  test('is in nothing that the page says: tools of its own, text, title, address, console, requests, dialogs, errors, results of code', async ({
    stage,
  }) => {
    const agent = await stage.open('secrets-told.html');
    agent.answerWith(() => 'session');
    const code = "document.title + document.querySelector('#copies').innerHTML + frames[0].document.querySelector('input').value";

    const snapshot = await agent.text('browser_snapshot', { urls: true });
    const texts = [
      snapshot,
      await agent.text('browser_find', { regex: 'Tr0ub|h0rse|st4ple' }),
      await agent.text('browser_evaluate', { function: code }),
      await agent.error('browser_evaluate', { function: `throw new Error(${code})` }),
      await agent.text('browser_tabs', { action: 'list' }),
      await agent.text('browser_request', { url: `${stage.url}/secrets-told.html` }),
      await agent.error('browser_page_tool', { name: 'fail' }),
    ];
    const logged = await agent.text('browser_console_messages');
    const told = await agent.text('browser_page_tool', { name: 'tell' });
    const asked = await agent.text('browser_click', { target: '#ask' });
    const shown = await agent.error('browser_snapshot');

    for (const text of [...texts, logged, told, asked, shown]) expect(text).not.toMatch(/Tr0ub4dor|shadow-h0rse|frame-st4ple/);
    expect(snapshot).toContain('- tell(): Tells [secret]');
    expect(snapshot).toContain('to=[secret]');
    expect(snapshot).toContain('Spinat-Pinboard');
    expect(logged).toContain('logged [secret] [secret] [secret]');
    expect(told).toContain('"told":"[secret] [secret] [secret]"');
    for (const text of [asked, shown]) expect(text).toContain('asked [secret] [secret] [secret]');
  });
});

describe('a page that has come since the call was allowed', () => {
  test('has no tool of it called, though its tools have the same names', async ({ stage }) => {
    const agent = await stage.open('page-tools.html');
    const pass = stage.bridge.call.bind(stage.bridge);
    const spy = vi.spyOn(stage.bridge, 'call').mockImplementationOnce(async (input, options) => {
      await agent.text('browser_navigate', { url: `${stage.otherUrl}/page-tools.html` });
      return pass(input, options);
    });

    const error = await agent.error('browser_page_tool', { name: 'order', arguments: { thing: 'tea' } });
    spy.mockRestore();

    expect(error).toMatch(/^DOCUMENT_CHANGED/);
    expect(await agent.text('browser_snapshot')).not.toContain('ordered');
    expect(agent.asked.map(({ where }) => where)).toEqual([stage.url]);
  });
});

describe('where the browser has no such tools', () => {
  plainTest('nothing tells of them', async ({ stage }) => {
    const agent = await stage.open('page-tools.html');

    const result = await agent.call('browser_snapshot');
    expect(JSON.stringify(result)).not.toContain('browser_page_tool');
    expect(new OfferedTools(() => stage.bridge.tools()).learn(result)).toBe(false);
    expect(await agent.error('browser_page_tool', { name: 'add' })).toContain('no tool of this name');
  });
});
