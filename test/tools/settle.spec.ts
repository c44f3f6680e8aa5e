import { describe, expect } from 'vitest';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { SETTLE_CASES } from '#test/fixtures/settle-cases.ts';
import { isWhole, WHOLE } from '#test/fixtures/whole.ts';
import { type Agent, type AgentStage, currentTab, textOf } from './tool-stage.ts';
import { plainTest as test } from './tool-test.ts';

/** A page that does nothing for this long is taken to be at rest. A machine that holds it up for longer makes it late for good. */
const LATE_MS = 25;
/** What an action sets off is known when it is due soon after the tool began to watch the page, which is this long before it acts. */
const BEFORE_MS = 200;
/** On a machine that is that busy all the time, nothing can be said of a case. */
const ROUNDS = 20;

/** The same comes sooner in another case, and later in a third one. */
const BETWEEN = new Set(['request-300', 'timer-300']);

interface Case {
  readonly action: string;
  readonly name: string;
  readonly nominalMs: number;
  readonly isShown: boolean;
}

/** What the page says to a reader who comes right after the action; null when it was held up meanwhile, which says nothing. */
const readAfter = async (stage: AgentStage, { action, name, nominalMs, isShown }: Case): Promise<string | null> => {
  const agent = await stage.open(`settle-cases.html?case=${name}`);
  const first = await agent.text('browser_snapshot');
  const tabId = await currentTab(agent);
  if (isShown) await agent.text('browser_tabs', { action: 'select', tabId });
  const startedAt = Date.now();
  if (action === 'click') await agent.text('browser_click', { target: '#go' });
  if (action === 'type') await agent.text('browser_type', { target: '#field', text: 'pilot' });
  const text = action === 'navigate' ? first : await agent.text('browser_snapshot');
  const said = /Fresh|Stale/.exec(text)?.[0] ?? text;
  const isHeldUp = said === 'Stale' && (await wasHeldUp(agent, startedAt, nominalMs));
  await agent.text('browser_tabs', { action: 'close', tabId });
  return isHeldUp ? null : said;
};

/** By the page's own clock: whether it began late, or took longer than it would have by itself. One that never gets there was not held up. */
const wasHeldUp = async (agent: Agent, startedAt: number, nominalMs: number): Promise<boolean> => {
  const times = textOf(
    await agent.call('browser_evaluate', {
      function: `async () => {
        for (let left = 100; left > 0 && !document.body.dataset.times; left -= 1) await new Promise((go) => setTimeout(go, 100));
        return document.body.dataset.times ?? '';
      }`,
    }),
  );
  const [, beganAt, doneAt] = /(\d+(?:\.\d+)?) (\d+)/.exec(times) ?? [];
  if (beganAt === undefined || doneAt === undefined) return false;
  return Number(beganAt) - startedAt > BEFORE_MS || Number(doneAt) - Number(beganAt) > nominalMs + LATE_MS;
};

/** A round in which the machine held the page up is made again; any other counts. */
const readInTime = async (stage: AgentStage, asked: Case): Promise<string> => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const said = await readAfter(stage, asked);
    if (said !== null) return said;
  }
  return 'held up each time';
};

describe('a page that is read right after an action shows what the action led to', () => {
  for (const isShown of [false, true]) {
    for (const [action, cases] of Object.entries(SETTLE_CASES)) {
      test(`in a tab that is ${isShown ? 'shown' : 'hidden'}: ${action}`, { tags: isShown ? [WHOLE.name] : [] }, async ({ stage }) => {
        const read: [string, string][] = [];
        // In the short form in hidden tabs, where agents work, and a sixth of many.
        const some = Object.entries(cases).filter(
          ([name], index, all) => isWhole || (!BETWEEN.has(name) && (all.length <= 2 || index % 6 === 0)),
        );
        for (const [name, nominalMs] of some) read.push([name, await readInTime(stage, { action, name, nominalMs, isShown })]);

        expect(read).toEqual(some.map(([name]) => [name, 'Fresh']));
      });
    }
  }
});

describe('a page that keeps a stream of events open', () => {
  test('is at rest without it', async ({ stage }) => {
    const load = new MachineLoad();
    const startedAt = performance.now();
    const agent = await stage.open(`says?text=${encodeURIComponent('<p>Live</p><script>new EventSource("/held?events")</script>')}`);
    const text = await agent.text('browser_snapshot');
    const tookMs = performance.now() - startedAt;

    expect(text).toContain('Live');
    // It is open for longer than any other request is waited for.
    if (load.isQuiet) expect(tookMs).toBeLessThan(4_000);
    await fetch(`${stage.url}/let-go?events`);
  });
});

test('a page that asks its server for one thing after the other is not waited for each time', { tags: 'whole' }, async ({ stage }) => {
  const page =
    "<button onclick=\"this.textContent = 'Pressed'\">Go</button><script>(async () => { for (;;) await fetch('/late-data?ms=300'); })()</script>";
  const agent = await stage.open(`says?text=${encodeURIComponent(page)}`);
  const load = new MachineLoad();
  const timed = async (call: () => Promise<string>): Promise<number> => {
    const startedAt = performance.now();
    await call();
    return performance.now() - startedAt;
  };
  // So long it may be work of the page that has an end.
  const firstMs = await timed(() => agent.text('browser_wait_for', { time: 9 }));
  expect(firstMs).toBeGreaterThan(8_000);

  const read = await timed(() => agent.text('browser_snapshot'));
  expect(await agent.text('browser_click', { target: 'button' })).toContain('button "Pressed"');
  const again = await timed(() => agent.text('browser_snapshot'));

  if (load.isQuiet) expect(Math.max(read, again)).toBeLessThan(1_500);
});
