import { describe, expect } from 'vitest';
import { SETTLE_CASES } from '#test/fixtures/settle-cases.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import type { AgentStage } from './tool-stage.ts';
import { plainTest as test } from './tool-test.ts';

/** What the page says to a reader who comes right after the action. */
const readAfter = async (stage: AgentStage, action: string, name: string, isShown: boolean): Promise<string> => {
  const agent = await stage.open(`settle-cases.html?case=${name}`);
  const first = await agent.text('browser_snapshot');
  const tabId = Number(/tab (\d+)/i.exec(first)?.[1]);
  if (isShown) await agent.text('browser_tabs', { action: 'select', tabId });
  if (action === 'click') await agent.text('browser_click', { target: '#go' });
  if (action === 'type') await agent.text('browser_type', { target: '#field', text: 'pilot' });
  const text = action === 'navigate' ? first : await agent.text('browser_snapshot');
  await agent.text('browser_tabs', { action: 'close', tabId });
  return /Fresh|Stale/.exec(text)?.[0] ?? text;
};

/** A machine that is busy with others is late in one round or the next; what is not waited for is missing in each. */
const readInTime = async (...read: Parameters<typeof readAfter>): Promise<string> => {
  let text = '';
  for (let round = 0; round < 3 && text !== 'Fresh'; round += 1) text = await readAfter(...read);
  return text;
};

describe('a page that is read right after an action shows what the action led to', () => {
  for (const isShown of [false, true]) {
    for (const [action, names] of Object.entries(SETTLE_CASES)) {
      test(`in a tab that is ${isShown ? 'shown' : 'hidden'}: ${action}`, async ({ stage }) => {
        const read: [string, string][] = [];
        // In the short form a third of them in a shown tab: agents work in hidden ones.
        const some = names.filter((_, index) => isWhole || !isShown || index % 3 === 0);
        for (const name of some) read.push([name, await readInTime(stage, action, name, isShown)]);

        expect(read).toEqual(some.map((name) => [name, 'Fresh']));
      });
    }
  }
});
