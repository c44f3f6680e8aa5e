/** Pages that are too much: no call hangs, what it says is short and helps, and the next call works. */
import { describe, expect } from 'vitest';
import { tellFigure, times } from '#test/fixtures/figures.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { isWhole, WHOLE } from '#test/fixtures/whole.ts';
import { type Agent, type AgentStage, ownTextOf, textOf } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

/** The longest limit of these tools, and the answer after it. */
const MAX_MS = 60_000;

/** No answer may cost an agent more than this. */
const MAX_CHARS = 100_000;

type Call = readonly [name: string, args: Record<string, unknown>];

const LOOK: readonly Call[] = [
  ['browser_snapshot', {}],
  ['browser_click', { target: 'h1' }],
];

/** What an agent may try next. */
const CALLS: readonly Call[] = isWhole
  ? [
      ...LOOK,
      ['browser_find', { text: 'Go on' }],
      ['browser_read', {}],
      ['browser_take_screenshot', {}],
      ['browser_tabs', { action: 'list' }],
    ]
  : LOOK;

/** Makes the calls one after the other; then another tab works, and the session goes on when the tab was closed. Resolves with how long the slowest one took. */
const tryAll = async (stage: AgentStage, agent: Agent, calls: readonly Call[]): Promise<number> => {
  const load = new MachineLoad();
  let longestMs = 0;
  for (const [name, args] of calls) {
    const startedAt = performance.now();
    const result = await agent.call(name, args);
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    const text = ownTextOf(result);

    expect(text.length).toBeLessThan(MAX_CHARS);
    if (result.isError === true) expect(text).toMatch(/^[A-Z_]+: .*\w\./s);
  }
  // Thousands of frames are work, which takes as long as there is no time for it.
  expect(longestMs).toBeLessThan(load.isQuiet ? MAX_MS : 5 * MAX_MS);
  expect(await (await stage.open('form.html')).text('browser_snapshot')).toContain('Create an account');
  await agent.text('browser_close');
  expect(await agent.text('browser_navigate', { url: `${stage.url}/article.html` })).toContain('HTTP 200');
  expect(await agent.text('browser_snapshot')).toContain('article.html');
  return longestMs;
};

/** What the short form has. */
const SHORT = new Set([`it puts ${times(50, 10_000)} frames into itself`, 'it shows a message at every moment']);

/** How a page keeps all to itself. */
const HELD = {
  'one message after the other': "for (;;) alert('again')",
  'one question after the other': "confirm('really?'); confirm('and this?')",
  'a loop': 'for (;;);',
};

const says = (html: string): string => `says?text=${encodeURIComponent(html)}`;

describe('a page that is too much ends no call but its own, and that in words, and can be closed', () => {
  for (const [what, page] of Object.entries({
    [`it has ${times(2, 50)} megabytes`]: `large?mb=${times(2, 50)}`,
    [`it puts ${times(50, 10_000)} frames into itself`]: says(
      `<h1>Frames</h1><script>for (let left = ${times(50, 10_000)}; left > 0; left -= 1) document.body.append(document.createElement('iframe'))</script>`,
    ),
    'it shows one message after the other without end': says(`<h1 onclick="for (;;) alert('again')">Again</h1>`),
    'it shows a message at every moment': says(`<h1 onclick="setInterval(() => alert('again'), 0)">Again</h1>`),
    'it asks at every moment': says(`<h1 onclick="setInterval(() => confirm('really?'), 0)">Again</h1>`),
    'it never loads': 'never',
  })) {
    test(what, { tags: SHORT.has(what) ? [] : [WHOLE.name] }, async ({ stage }) => {
      const startedAt = performance.now();
      const agent = stage.agent();
      const longestMs = await tryAll(stage, agent, [['browser_navigate', { url: `${stage.url}/${page}` }], ...CALLS]);

      tellFigure({
        fault: `A page of an agent's tab: ${what}`,
        count: `${CALLS.length + 1} calls`,
        lost: 0,
        doubled: 0,
        disordered: 0,
        leftRunning: 0,
        measured: `each ended within ${Math.round(longestMs)} ms, and the next tab worked`,
        ms: performance.now() - startedAt,
      });
    });
  }
});

test('a page with more elements than can be read says so, and what it says then works', { tags: WHOLE.name }, async ({ stage }) => {
  const rows = "<p id=rows hidden></p><script>rows.innerHTML = '<i></i>'.repeat(200_001)</script>";
  const agent = await stage.open(says(`<h1 onclick="this.textContent = 'Pressed'">Rows</h1>${rows}`));

  const looks = [
    ['browser_snapshot', {}],
    ['browser_find', { text: 'Rows' }],
    ['browser_wait_for', { text: 'Rows' }],
  ] as const;
  for (const [name, args] of looks)
    expect(await agent.error(name, args)).toMatch(/^TOOL_FAILED: .*has 2000\d\d elements.* "target", or browser_evaluate/);
  expect(await agent.error('browser_snapshot', { target: '#rows' })).toMatch(/^TOOL_FAILED: .*The target has 200001 elements/);

  expect(await agent.text('browser_snapshot', { target: 'h1' })).toContain('Rows');
  expect(await agent.text('browser_click', { target: 'h1' })).toContain('Pressed');
  expect(await agent.text('browser_evaluate', { function: "() => document.querySelector('h1').textContent" })).toContain('Pressed');
});

test(
  'a text of many megabytes is read from its beginning, with what comes after it, and says how much was not',
  { tags: WHOLE.name },
  async ({ stage }) => {
    const fill =
      '<script>text.textContent = "Fox ".repeat(1_250_000) + "Needle"; link.href = "data:text/plain," + "x".repeat(1e6)</script>';
    const agent = await stage.open(
      says(`<h1 onclick="this.textContent += '!'">Long</h1><p id="text"></p><h2>Below</h2><a id="link">Long</a>${fill}`),
    );

    expect(await agent.text('browser_find', { text: 'were not read' })).toMatch(
      /… \(30000\d\d more characters of this text were not read\)\n## Below/,
    );
    expect(await agent.text('browser_find', { text: 'Needle' })).toMatch(
      /^Nothing.* 30000\d\d characters .*browser_evaluate looks through them/,
    );
    expect(await agent.text('browser_read')).toMatch(/Part 1 of \d+: pass page 2/);
    expect((await agent.text('browser_snapshot', { target: '#link', urls: true })).length).toBeLessThan(5_000);
    expect(await agent.text('browser_click', { target: 'h1' })).toContain('Long!');
    expect(await agent.text('browser_click', { target: '#text' })).toContain('Clicked.');
    expect(await agent.text('browser_evaluate', { function: '() => text.textContent.indexOf("Needle")' })).toContain('5000000');
  },
);

test('a page of half a million elements can be worked in all the same', { tags: WHOLE.name }, async ({ stage }) => {
  const rows = "<p id=rows hidden></p><script>rows.innerHTML = '<div></div>'.repeat(500_000)</script>";
  const field = '<input type=password value="hush-hush-1"><input id=field>';
  const code = "() => document.querySelector('[type=password]').value";
  const agent = await stage.open(says(`<h1 onclick="this.textContent = 'Pressed'">Rows</h1>${field}${rows}<h2>Below</h2>`));

  expect(await agent.text('browser_click', { target: 'h1' })).toContain('Pressed');
  expect(await agent.text('browser_type', { target: '#field', text: 'hello' })).toContain('hello');
  expect(await agent.text('browser_scroll', { target: 'h2' })).toContain('Below');
  expect((await agent.call('browser_take_screenshot', {})).isError).not.toBe(true);
  expect(await agent.text('browser_click', { x: 40, y: 40 })).toContain('Clicked');
  expect(await agent.error('browser_click', { target: 'text=Pressed' })).toMatch(/^TOOL_FAILED: .*searched for words.*CSS selector/);
  expect(await agent.text('browser_evaluate', { function: code })).not.toContain('hush-hush-1');
});

test('a page with more frames than can be asked says so at once, and what it says then works', { tags: WHOLE.name }, async ({ stage }) => {
  const frames = "<script>for (let left = 310; left > 0; left -= 1) document.body.append(document.createElement('iframe'))</script>";
  const agent = await stage.open(says(`<h1 onclick="document.title = 'Pressed'">Frames</h1>${frames}`));

  for (const [name, args] of [...LOOK, ['browser_find', { text: 'Go on' }], ['browser_wait_for', { text: 'Go on' }]] as const) {
    const text = textOf(await agent.call(name, args));
    expect(text).toMatch(/^TOOL_FAILED: .*310 frames.*browser_take_screenshot.*"x" and "y".*browser_evaluate/);
  }

  expect((await agent.call('browser_take_screenshot', {})).isError).not.toBe(true);
  expect(await agent.text('browser_click', { x: 40, y: 40 })).toContain('Clicked');
  expect(await agent.text('browser_evaluate', { function: '() => `${frames.length} ${document.title}`' })).toContain('310 Pressed');
});

describe('a page that hangs is left by navigating, also to a page of its own site, while other tabs work', () => {
  for (const [what, script] of Object.entries(HELD)) {
    test(`in ${what}`, { tags: WHOLE.name }, async ({ stage }) => {
      const agent = await stage.open(says(`<h1 onclick="setTimeout(() => { ${script} }, 1500)">Again</h1>`));
      const other = await stage.open('form.html');
      await agent.call('browser_click', { target: 'h1' });
      await expect.poll(() => agent.call('browser_click', { target: 'h1' }).then(textOf)).toMatch(/^(?:DIALOG_OPEN|TOOL_TIMEOUT)/);

      expect(await other.text('browser_snapshot')).toContain('Create an account');
      expect(await agent.text('browser_navigate', { url: `${stage.url}/article.html` })).toContain('HTTP 200');
      expect(await agent.text('browser_snapshot')).toContain('article.html');
    });
  }
});

/** What a page asks the person for in the browser's own words, and what the agent is told of it. */
const ASKS = {
  'to print': ['print()', /wanted to be printed, which was not done: browser_pdf_save/],
  'for the place': [
    'navigator.geolocation.getCurrentPosition(() => {}, () => {})',
    /(?:lets it use|asked for) the location.*browser_emulate \(set emulation\)/,
  ],
  'to send notifications': ['Notification.requestPermission()', /(?:lets it use|asked for) notifications/],
  'for the camera': [
    'navigator.mediaDevices.getUserMedia({ video: true }).catch(() => {})',
    /(?:lets it use|asked for) camera or microphone/,
  ],
  'for a file of the computer': ['showOpenFilePicker().catch(() => {})', /(?:lets it use|asked for) a file or folder of the computer/],
  'for tabs that are blocked': [
    "window.open('/form.html'); window.open('/article.html')",
    /The browser blocked a tab that the page wanted to open/,
  ],
} as const;

describeTabs(
  (how) => `a ${how} page that asks the person`,
  ({ open, how }) => {
    for (const [what, [script, told]] of Object.entries(ASKS)) {
      const tags = what === 'to print' || what === 'for tabs that are blocked' ? [] : [WHOLE.name];
      test(`${what} holds up no call, and the agent is told`, { tags }, async ({ stage }) => {
        const agent = await open(stage, says(`<h1>Page</h1><button onclick="${script}; this.textContent = 'Pressed'">Go</button>`));

        expect(await agent.text('browser_click', { target: 'button' })).toMatch(told);
        expect(await agent.text('browser_snapshot')).toContain('button "Pressed"');
        expect(await agent.text('browser_navigate', { url: `${stage.url}/article.html` })).toContain('HTTP 200');
      });
    }

    for (const [what, script] of Object.entries({
      request: "fetch('/auth').then(({ status }) => { this.textContent = status; })",
      picture: "document.body.append(Object.assign(new Image(), { src: '/auth' }))",
      frame: "document.body.append(Object.assign(document.createElement('iframe'), { src: '/auth' }))",
    })) {
      test(`for a name and a password for a ${what} of it is told once, and how it goes on, and holds up nothing`, async ({ stage }) => {
        const agent = await open(stage, 'form.html');
        const site = how === 'hidden' ? stage.url : stage.otherUrl;
        await agent.text('browser_navigate', { url: `${site}/${says(`<button onclick="${script}">Go</button>`)}` });
        const load = new MachineLoad();
        const startedAt = performance.now();

        const told = await agent.text('browser_click', { target: 'button' });

        if (load.isQuiet) expect(performance.now() - startedAt).toBeLessThan(3_000);
        const next = await agent.text('browser_snapshot');
        expect(told + next).toMatch(new RegExp(`\nState: .*${site} wants a name and a password: .*browser_ask_human`));
        expect(await agent.text('browser_snapshot')).not.toContain('State:');
        await agent.text('browser_navigate', { url: `${stage.url}/article.html` });
        expect(await agent.text('browser_snapshot')).not.toContain('State:');
      });
    }

    test('for a name and a password is told, and opened with them', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      // A browser that was told them once gives them again.
      const address = new URL('/auth', how === 'hidden' ? stage.url : stage.otherUrl);

      expect(await agent.error('browser_navigate', { url: address.href })).toMatch(
        /^NAVIGATION_FAILED: .*wants a name and a password.*browser_ask_human/,
      );
      expect(await agent.error('browser_snapshot')).toMatch(/^NAVIGATION_FAILED: .*wants a name and a password.*browser_ask_human/);
      expect(await agent.error('browser_click', { target: 'h1' })).toMatch(/wants a name and a password/);
      address.username = 'ann';
      address.password = 'map';
      expect(await agent.text('browser_navigate', { url: address.href })).toContain('HTTP 200');
      expect(await agent.text('browser_snapshot')).toContain('Signed in');
    });
  },
);
