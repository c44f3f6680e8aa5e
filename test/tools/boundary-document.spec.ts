import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { describe, expect } from 'vitest';
import type { ToolResult } from '#protocol/browser.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole, WHOLE } from '#test/fixtures/whole.ts';
import { type Agent, OWN_PORT, type ToolStage, textOf } from './tool-stage.ts';
import { test as base } from './tool-test.ts';

/** Each kind so often; the whole figure with `npm run test:whole`. */
const ROUNDS = isWhole ? 20 : 2;

/** The kinds of calls that only the whole form has. */
const FURTHER = new Set(['typing', 'a printout', 'its console']);

const SECRET = 'correct-horse-battery';

/** A place that is off limits for every tool: all red, with a secret on it. */
const test = base.extend<{ vault: string }>({
  vault: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
    async ({}, use) => {
      const html = `<title>${SECRET}</title><body style="margin:0;background:rgb(255 0 0)"><p id="secret">${SECRET}</p><script>console.log('${SECRET}')</script></body>`;
      const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
      await new Promise<void>((resolve) => server.listen(OWN_PORT, '127.0.0.1', resolve));
      await use(`http://127.0.0.1:${OWN_PORT}/vault`);
      await end(server);
    },
    { scope: 'file' },
  ],
});

const end = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** A shop that was agreed to goes elsewhere at some time during the call, a little later in each round. */
const callWhileLeaving = async (
  stage: ToolStage,
  given: { url: string; round: number; name: string; args: Record<string, unknown> },
): Promise<{ result: ToolResult }> => {
  const agent = await stage.open('shop.html');
  await agent.text('browser_snapshot');
  agent.answerWith(({ where }) => (where === stage.url ? 'once' : 'reject'));
  const leaveMs = (given.round * 160) / ROUNDS;
  await stage.pageAt('shop.html').evaluate(([url, ms]) => Reflect.get(globalThis, 'leaveFor')(url, ms), [given.url, leaveMs] as const);
  return { result: await agent.call(given.name, given.args) };
};

/**
 * What the call says: the page has changed, or nobody agreed to the new one. A busy one leaves after the press has waited for its button in
 * vain, and one that leaves while it is first asked for the press cannot say any more that its button was not ready.
 */
const NOT_DONE =
  /(?:DOCUMENT_CHANGED|CONSENT_DENIED|TARGET_NOT_READY): |Stopped after call 1 of 2|^The page was left in the same moment: it is not known/m;

const payments = async (stage: ToolStage): Promise<number> => {
  const page = await until(() => stage.browser.context.pages().findLast((candidate) => candidate.url().endsWith('bank.html')));
  await page.waitForLoadState();
  return Number(await page.locator('#payments').textContent());
};

/** Whether any of a picture is as red as the vault. */
const showsVault = async (stage: ToolStage, result: ToolResult): Promise<boolean> => {
  const picture = result.content.find(({ type }) => type === 'image');
  if (picture === undefined) return false;
  const page = await stage.browser.context.newPage();
  const isRed = await page.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.width;
      canvas.height = image.height;
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      const { data } = context?.getImageData(0, 0, image.width, image.height) ?? { data: [] };
      for (let at = 0; at < data.length; at += 4) if ((data[at] ?? 0) > 200 && (data[at + 1] ?? 0) < 60) return true;
      return false;
    },
    `data:${String(picture['mimeType'])};base64,${String(picture['data'])}`,
  );
  await page.close();
  return isRed;
};

/** The file that was saved as it is: the title of the page stands in it as text. */
const printed = (result: ToolResult): string => {
  const [, file] = / as (.*\.pdf)$/m.exec(textOf(result)) ?? [];
  return file === undefined ? '' : readFileSync(file, 'latin1');
};

describe('what was agreed to for one page is not done to the page that comes instead', () => {
  for (const [kind, name, args] of [
    ['a click', 'browser_click', { target: '#go' }],
    ['a trusted click', 'browser_click', { target: '#go', trusted: true }],
    ['typing', 'browser_type', { target: '#name', text: 'me' }],
    [
      'a click of a batch',
      'browser_batch',
      { calls: [{ name: 'browser_snapshot' }, { name: 'browser_click', arguments: { target: '#go' } }] },
    ],
  ] as const) {
    test(
      `${kind}: nothing is pressed or typed, and the call says so`,
      { tags: FURTHER.has(kind) ? [WHOLE.name] : [] },
      async ({ stage }) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const { result } = await callWhileLeaving(stage, { url: `${stage.otherUrl}/bank.html`, round, name, args });

          expect(await payments(stage)).toBe(0);
          expect(textOf(result)).toMatch(NOT_DONE);
        }
      },
    );
  }
});

describe('what was agreed to for one page is not done to that to which a popup of it leads its tab', () => {
  for (const [owner, press] of [
    ["the person's", (stage: ToolStage) => stage.pageAt('shop.html').click('#pop')],
    ["the session's", (_: ToolStage, agent: Agent) => agent.text('browser_click', { target: '#pop', trusted: true })],
  ] as const)
    test(`a popup in a tab of ${owner}`, { tags: owner === "the person's" ? [WHOLE.name] : [] }, async ({ stage }) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const agent = await stage.open('shop.html');
        const shop = stage.pageAt('shop.html');
        await shop.evaluate(() => {
          document.body.insertAdjacentHTML('beforeend', '<button id="pop">More</button>');
          document.querySelector('#pop')?.addEventListener('click', () => open('about:blank', 'pop'));
        });
        const opened = shop.waitForEvent('popup');
        await press(stage, agent);
        const popup = await opened;
        const asked = agent.asked.length;
        agent.answerWith(({ where }) => (where === stage.url ? 'once' : 'reject'));
        await popup.evaluate(([url, ms]) => void setTimeout(() => opener.location.assign(url), ms), [
          `${stage.otherUrl}/bank.html`,
          (round * 160) / ROUNDS,
        ] as const);

        const result = await agent.call('browser_click', { target: '#go' });

        expect(textOf(result)).toMatch(/DOCUMENT_CHANGED|CONSENT_DENIED/);
        expect(agent.asked.length).toBeGreaterThan(asked);
        expect(await payments(stage)).toBe(0);
        await popup.close();
      }
    });
});

describe('a page that is off limits is not seen by a call that began on another page', () => {
  for (const [kind, name, args] of [
    ['reading a part of it', 'browser_snapshot', { target: '#secret' }],
    ['reading all of it', 'browser_snapshot', {}],
    ['a picture', 'browser_take_screenshot', {}],
    ['a printout', 'browser_pdf_save', {}],
    ['its console', 'browser_console_messages', {}],
    [
      'a batch of looks',
      'browser_batch',
      { calls: ['browser_snapshot', 'browser_take_screenshot', 'browser_snapshot'].map((name) => ({ name })) },
    ],
  ] as const) {
    test(`${kind} shows nothing of it`, { tags: FURTHER.has(kind) ? [WHOLE.name] : [] }, async ({ stage, vault }) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { result } = await callWhileLeaving(stage, { url: vault, round, name, args });

        expect(JSON.stringify(result)).not.toContain(SECRET);
        expect(await showsVault(stage, result)).toBe(false);
        expect(printed(result)).not.toContain(SECRET);
      }
    });
  }
});
