import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { panelTest } from './panel-stage.ts';

const source = `
import { h, render } from 'preact';
import { RequestCard } from '#extension/sidepanel/views/request-card.tsx';
import { KeptContext, newKept } from '#extension/sidepanel/views/kept.ts';
import { ChangesSheet } from '#extension/sidepanel/views/changes-sheet.tsx';
import { RequestDock } from '#extension/sidepanel/views/request-dock.tsx';
import { QuestionCard } from '#extension/sidepanel/views/question-card.tsx';
import { FileCard } from '#extension/sidepanel/views/file-card.tsx';
import { ToolCard } from '#extension/sidepanel/views/tool-card.tsx';
import { Queued } from '#extension/sidepanel/views/user-prompt.tsx';
import { PromptActions } from '#extension/sidepanel/views/message-actions.tsx';
import { SceneContext } from '#extension/sidepanel/views/scene.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';

window.answers = [];
document.documentElement.lang = 'en';
const scene = {
  t: createTranslate('en'),
  focusComposer: () => void window.answers.push('composer'),
  shown: { selected: { view: null, engine: { capabilities: { canSteer: true } } } },
  actions: {
    answer: async (requestId, answer) => void window.answers.push({ requestId, ...answer }),
    readAttachment: async ({ attachmentId }) => (attachmentId === 'a1' ? 'R0lGODlhAQABAAAAACwAAAAAAQABAAA=' : ''),
    revertFile: async (path) => {
      window.answers.push(path);
      if (path === 'same.txt') return null;
      const since = path === 'committed.txt' ? 'commit' : 'session';
      return path === 'folder.txt' ? { undo: 'u1', files: [], skipped: [path], since } : { undo: 'u1', files: [path], skipped: [], since };
    },
    addComment: (comment) => void window.answers.push(comment),
    steerQueued: async ({ turnId }) => void window.answers.push('steer ' + turnId),
    sendAgain: ({ text }) => {
      window.answers.push(text);
      return new Promise((resolve) => (window.sent = resolve));
    },
    revertUndo: async ({ undo }) => void window.answers.push(undo),
    work: {
      revert: async (sessionId, path, hunk) => {
        window.answers.push({ path, hunk });
        return { undo: 'u3', files: [path], skipped: [] };
      },
      changes: async () => ({ folder: '/p', top: '/p', base: 'a', since: 'session', now: 'b', additions: 1, deletions: 1, worktree: null, files: [
        { path: 'tides.txt', status: 'modified', additions: 1, deletions: 1, isBinary: false, sizeBytes: 9 }] }),
      patch: async () => ({ path: 'tides.txt', patch: '@@ -1,1 +1,1 @@\\n-low water\\n+high water\\n@@ -9,1 +9,1 @@\\n-ebb\\n+flood\\n', nextOffset: null, totalChars: 1 }),
      checkpoints: async () => [{ id: 'c1', kind: 'undo', turnId: null, at: '2026-01-31T12:00:00Z' }],
      goBack: async (sessionId, id) => {
        window.answers.push('back to ' + id);
        return { undo: 'u2', files: ['tides.txt'], skipped: [] };
      },
    },
  },
};
const options = [
  { optionId: 'always', label: 'Always here', kind: 'allow_always' },
  { optionId: 'once', label: 'Allow once', kind: 'allow_once' },
  { optionId: 'no', label: 'Reject', kind: 'reject' },
];
const questions = [
  { question: 'Which?', options: [{ label: 'One' }, { label: 'Two' }], isMultiple: false, isOpen: true },
  { question: 'What else?', options: [{ label: 'Red' }, { label: 'Blue' }], isMultiple: true, isOpen: false },
];
const make = (change) => ({ requestId: 'q', turnId: null, itemId: null, at: 0, request: { kind: 'permission', title: 'Run it', options, ...change } });
window.queue = (...ids) => {
  const requests = ids.map((requestId) => ({ ...make({ kind: 'permission', detail: requestId }), requestId }));
  const value = { ...scene, state: { answering: null }, shown: { selected: { requests, view: null, isStopping: false } } };
  render(h(SceneContext.Provider, { value }, h(RequestDock, { dock: window.dock })), document.body);
};
/** The card of a session that the person leaves, and comes back to. */
const kept = newKept();
window.again = (kind) => {
  render(null, document.body);
  const request = kind === 'question' ? make({ kind, questions, options: [options[1], options[2]] }) : make({ kind });
  const value = { ...scene, state: { answering: null }, shown: { selected: { requests: [{ ...request, requestId: kind }], view: null, isStopping: false } } };
  render(h(SceneContext.Provider, { value }, h(KeptContext.Provider, { value: kept }, h(RequestDock, { dock: window.dock }))), document.body);
};
window.dock = { current: null };
window.changes = () => render(h(SceneContext.Provider, { value: scene }, h(ChangesSheet, { sessionId: 's1', onClose: () => {} })), document.body);
const inScene = (view) => render(h(SceneContext.Provider, { value: scene }, view), document.body);
window.tool = (text) => {
  const body = { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'ls', input: { command: 'ls' }, text };
  inScene(h(ToolCard, { body, entry: { item: { itemId: 'i1', body, status: 'completed', at: 0, endedAt: 1 }, children: [], isWaiting: false, answered: [] } }));
};
window.file = (path) => inScene(h(FileCard, { key: path, isDone: true, change: { path, change: 'add', unified: '@@ -0,0 +1 @@\\n+high water\\n' } }));
window.prompt = () => inScene(h(PromptActions, { turnId: 't1', prompt: { text: 'When?', attachments: [] } }));
window.queued = () => inScene(h(Queued, { turn: { turnId: 't1', status: 'queued', prompt: { text: 'Look', attachments: [
  { attachmentId: 'a1', kind: 'image', name: 'tide.gif', mimeType: 'image/gif', sizeBytes: 26 }] } } }));
window.show = (kind) => render(h(SceneContext.Provider, { value: scene }, kind === 'question'
  ? h(QuestionCard, { purpose: '', isBusy: false, waiting: 1, onDone: () => {}, request: make({ kind, questions, options: [{ optionId: 'answer', label: 'Answer', kind: 'choice' }, options[2]] }) })
  : h(RequestCard, { purpose: '', isBusy: false, waiting: 1, onDone: () => {}, request: make({ kind, detail: 'rm \\u202Egnp.txt' }) })), document.body);
`;

interface Card {
  readonly page: Page;
  show(kind: 'permission' | 'plan' | 'question'): Promise<void>;
  /** Waits until the card can be answered: not before the user had time to see it. */
  ready(): Promise<void>;
  answers(): Promise<unknown>;
}

const test = panelTest(source).extend<{ card: Card }>({
  card: async ({ page }, use) => {
    await use({
      page,
      show: (kind) => page.evaluate((name) => (globalThis as unknown as { show: (kind: string) => void }).show(name), kind),
      ready: () => page.locator('.option-reject:not(:disabled)').waitFor(),
      answers: () => page.evaluate(() => (globalThis as unknown as { answers: unknown }).answers),
    });
  },
});

describe('an approval card', () => {
  test('cannot be pressed by a script, in more than twenty ways', async ({ card: { page, show, ready, answers } }) => {
    await show('permission');
    await ready();

    const ways = await page.evaluate(() => {
      const card = document.querySelector('.request') ?? document.body;
      const bubbles = { bubbles: true, cancelable: true, composed: true, button: 0, buttons: 1, detail: 1 };
      const mouse = ['mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'].map((type) => new MouseEvent(type, bubbles));
      const pointer = ['pointerdown', 'pointerup', 'click', 'pointercancel'].map((type) => new PointerEvent(type, bubbles));
      const other = ['submit', 'input', 'change', 'toggle', 'command', 'focus', 'select', 'activate'].map(
        (type) => new Event(type, bubbles),
      );
      const touch = ['touchstart', 'touchend'].map((type) => new Event(type, bubbles));
      const keys = ['a', 's', 'A', 'd', 'D', 'Enter', ' ', '1', '2', 'y', 'Escape'].flatMap((key) =>
        ['keydown', 'keypress', 'keyup'].map((type) => new KeyboardEvent(type, { ...bubbles, key, code: key })),
      );
      const events = [...mouse, ...pointer, ...other, ...touch, ...keys];
      const again = (event: Event): Event => Reflect.construct(event.constructor, [event.type, event]);
      for (const target of [...document.querySelectorAll<HTMLElement>('.request button'), card, document, window]) {
        if (target instanceof HTMLElement) {
          target.click();
          target.focus();
        }
        for (const event of events) target.dispatchEvent(again(event));
      }
      for (const form of document.querySelectorAll('form')) form.requestSubmit();
      // `click` and `focus` of an element, and `requestSubmit` of a form.
      return new Set(events.map((event) => `${event.constructor.name} ${event.type}`)).size + 3;
    });

    expect(ways).toBeGreaterThanOrEqual(20);
    expect(await answers()).toEqual([]);
  });

  test('takes nothing before the user could see it, and focuses nothing by itself', async ({ card: { page, answers } }) => {
    const found = await page.evaluate(() => {
      (globalThis as unknown as { show: (kind: string) => void }).show('permission');
      const buttons = [...document.querySelectorAll('.option')];
      return { count: buttons.length, disabled: buttons.filter((button) => button.matches(':disabled')).length };
    });

    expect(found).toEqual({ count: 2, disabled: 2 });
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    expect(await answers()).toEqual([]);
  });

  test('takes no key either before the user could see it', async ({ card: { page, show, answers } }) => {
    // No time passes for the panel.
    await page.evaluate(() => void Object.assign(globalThis, { setTimeout: () => 0 }));
    for (const kind of ['permission', 'question'] as const) {
      await show(kind);
      for (const key of ['a', 'd', 'A', 'Enter']) await page.locator('.request').press(key);
    }

    expect(await answers()).toEqual([]);
  });

  test('is answered by a click and by the keys of the terminal', async ({ card: { page, show, ready, answers } }) => {
    await show('permission');
    await ready();

    await page.getByRole('button', { name: 'More answers' }).click();
    await page.getByText('Always here').click();
    await page.locator('.request').press('a');
    await page.locator('.request').press('d');

    await expect.poll(answers).toEqual(['always', 'once', 'no'].map((optionId) => ({ requestId: 'q', optionId })));
  });

  test('takes a reason, in which the keys are letters', async ({ card: { page, show, ready, answers } }) => {
    await show('permission');
    await ready();

    await page.locator('.request').press('D');
    await page.locator('.field').pressSequentially('not a day, sad');
    await page.locator('.field').press('Enter');

    await expect.poll(answers).toEqual([{ requestId: 'q', optionId: 'no', text: 'not a day, sad' }]);
  });

  test('leaves the focus to the person who has gone on to write elsewhere, whatever is drawn meanwhile', async ({
    card: { page, ready },
  }) => {
    const draw = (): Promise<void> =>
      page.evaluate(() => (globalThis as unknown as { queue: (...ids: string[]) => void }).queue('first', 'second'));
    await draw();
    await ready();
    await page.evaluate(() => document.body.append(Object.assign(document.createElement('textarea'), { ariaLabel: 'Message' })));
    await page.locator('.request').press('D');
    await page.getByRole('textbox', { name: 'Reason' }).fill('not');
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await draw();
    await page.keyboard.type('on');

    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('on');
    expect(await page.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('not');
  });

  test('has what was chosen and written when the person comes back from another session', async ({ card: { page, ready } }) => {
    const again = (kind: string): Promise<void> =>
      page.evaluate((wanted) => (globalThis as unknown as { again: (kind: string) => void }).again(wanted), kind);
    await again('question');
    await ready();
    await page.getByLabel('Blue').check();
    await page.locator('.question input[type=text], .question input:not([type])').first().fill('Three');
    await again('plan');
    await ready();
    await page.getByRole('textbox').fill('Only the first half');
    await again('question');

    expect(await page.getByLabel('Blue').isChecked()).toBe(true);
    expect(await page.locator('.question .field').inputValue()).toBe('Three');
    await again('plan');
    expect(await page.getByRole('textbox').inputValue()).toBe('Only the first half');
  });

  test('takes a reason by mouse, too', { tags: 'whole' }, async ({ card: { page, show, ready, answers } }) => {
    await show('permission');
    await ready();

    await page.getByRole('button', { name: 'More answers' }).click();
    await page.getByRole('button', { name: 'Deny and say why' }).click();
    await page.getByRole('textbox', { name: 'Reason for the agent' }).fill('Not on a Sunday.');
    await page.getByRole('button', { name: 'Reject' }).click();

    await expect.poll(answers).toEqual([{ requestId: 'q', optionId: 'no', text: 'Not on a Sunday.' }]);
  });

  test(
    'of a plan takes a comment with either answer, by mouse and by keys',
    { tags: 'whole' },
    async ({ card: { page, show, ready, answers } }) => {
      await show('plan');
      await ready();
      const comment = page.getByRole('textbox', { name: 'Comment (optional)' });

      await comment.fill('The tests first.');
      await page.getByRole('button', { name: 'Allow once' }).click();
      await comment.fill('');
      await comment.pressSequentially('dad');
      await page.locator('.request').press('d');

      await expect.poll(answers).toEqual([
        { requestId: 'q', optionId: 'once', text: 'The tests first.' },
        { requestId: 'q', optionId: 'no', text: 'dad' },
      ]);
    },
  );

  test('is one of a queue: the next takes its place, and the keys go on with it', async ({ card: { page, ready, answers } }) => {
    const queue = (...ids: string[]) =>
      page.evaluate((given) => (globalThis as unknown as { queue: (...ids: string[]) => void }).queue(...given), ids);
    await queue('first', 'second');
    await ready();
    await page.locator('.request-kind').getByText('1 of 2').waitFor();
    await page.locator('.request').press('a');
    await queue('second');
    await page.locator('.output').getByText('second').waitFor();
    await ready();
    await page.keyboard.press('d');

    await expect.poll(answers).toEqual([{ requestId: 'first', optionId: 'once' }, { requestId: 'second', optionId: 'no' }, 'composer']);
  });

  test(
    'is followed by what is asked a moment later, unless the person has begun something else or long ago',
    { tags: 'whole' },
    async ({ card: { page, ready, answers } }) => {
      const queue = (...ids: string[]) =>
        page.evaluate((given) => (globalThis as unknown as { queue: (...ids: string[]) => void }).queue(...given), ids);
      const hasFocus = () => page.locator('.request').evaluate((card) => card === document.activeElement);
      await page.clock.install();
      /** A request that waits, with the time to read it. */
      const asks = async (id: string): Promise<void> => {
        await queue(id);
        await page.clock.runFor(1000);
        await ready();
      };
      await asks('first');
      await page.locator('.request').press('a');
      await queue();

      await asks('at once');
      expect(await hasFocus()).toBe(true);
      await page.keyboard.press('a');
      await queue();
      await page.keyboard.press('x');
      await asks('while they write');
      expect(await hasFocus()).toBe(false);
      await page.locator('.request').press('d');
      await queue();
      await page.clock.runFor(60_000);
      await asks('much later');
      expect(await hasFocus()).toBe(false);

      const given = (await answers()) as { requestId?: string }[];
      expect(given.map((answer) => answer.requestId ?? answer)).toEqual([
        'first',
        'composer',
        'at once',
        'composer',
        'while they write',
        'composer',
      ]);
    },
  );

  test(
    'answered by keys, leads back to where the person was; answered by mouse, to the composer',
    { tags: 'whole' },
    async ({ card: { page, ready, answers } }) => {
      const queue = (...ids: string[]) =>
        page.evaluate((given) => (globalThis as unknown as { queue: (...ids: string[]) => void }).queue(...given), ids);
      await page.evaluate(() => document.documentElement.append(Object.assign(document.createElement('button'), { id: 'diff' })));
      await queue('first');
      await ready();
      await page.locator('#diff').focus();
      await page.locator('.request').press('a');
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('diff');
      await queue();
      await queue('second');
      await ready();
      await page.getByRole('button', { name: 'Allow once' }).click();

      await expect.poll(answers).toEqual([{ requestId: 'first', optionId: 'once' }, { requestId: 'second', optionId: 'once' }, 'composer']);
    },
  );

  test('shows what would hide in the text', async ({ card: { page, show } }) => {
    await show('permission');

    await expect.poll(() => page.locator('.output').textContent()).toBe('rm ⟨U+202E⟩gnp.txt');
  });
});

describe('a question card', () => {
  test('is sent when each question has its answer', async ({ card: { page, show, ready, answers } }) => {
    await show('question');
    await ready();
    const send = page.getByRole('button', { name: 'Answer', exact: true });

    await page.getByText('Two').click();
    expect(await send.isDisabled()).toBe(true);
    await page.getByText('Red').click();
    await page.getByText('Blue').click();
    await page.locator('.field').fill('Neither');
    await send.click();

    await expect
      .poll(answers)
      .toEqual([{ requestId: 'q', optionId: 'answer', answers: { 'Which?': ['Neither'], 'What else?': ['Red', 'Blue'] } }]);
  });

  /** The keys of a person, one after the other, from the card on. */
  const press = async (page: Page, ...keys: string[]): Promise<void> => {
    await page.locator('.request').focus();
    for (const key of keys) await page.keyboard.press(key);
  };

  test('is answered by the keys of the terminal alone: one of several, and some of several', async ({
    card: { page, show, ready, answers },
  }) => {
    await show('question');
    await ready();

    await press(page, 'Enter', 'ArrowDown', 'Enter', 'Space', 'ArrowDown', 'Space', 'ArrowUp', 'Space', 'Enter');

    await expect.poll(answers).toEqual([{ requestId: 'q', optionId: 'answer', answers: { 'Which?': ['Two'], 'What else?': ['Blue'] } }]);
  });

  test(
    'takes own words by keys, in which they are letters, and the row under the focus where nothing is ticked',
    { tags: 'whole' },
    async ({ card: { page, show, ready, answers } }) => {
      await show('question');
      await ready();

      await press(page, 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
      expect(await answers()).toEqual([]);
      await page.keyboard.type('a day, Dad');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.evaluate(() => document.activeElement?.closest('label')?.innerText)).toBe('Red');
      for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);

      await expect
        .poll(answers)
        .toEqual([{ requestId: 'q', optionId: 'answer', answers: { 'Which?': ['a day, Dad'], 'What else?': ['Blue'] } }]);
    },
  );

  test(
    'is declined by its key, from the card and from a row, and with a reason',
    { tags: 'whole' },
    async ({ card: { page, show, ready, answers } }) => {
      await show('question');
      await ready();

      await press(page, 'd');
      await press(page, 'ArrowDown', 'ArrowDown', 'ArrowDown');
      await page.keyboard.type('d');
      for (const key of ['Escape', 'ArrowDown', 'd', 'D']) await page.keyboard.press(key);
      await page.keyboard.type('a bad day');
      await page.keyboard.press('Enter');

      const no = { requestId: 'q', optionId: 'no' };
      await expect.poll(answers).toEqual([no, no, { ...no, text: 'a bad day' }]);
    },
  );

  test(
    'says its keys where they are pressed, and a key that is held down answers nothing',
    { tags: 'whole' },
    async ({ card: { page, show, ready, answers } }) => {
      await show('question');
      await ready();

      expect(await page.locator('.request kbd').allInnerTexts()).toEqual(['Esc', '↵', 'd']);
      await page.getByText('↑ ↓ up and down · Space tick').waitFor();
      await page.locator('.request').focus();
      for (let press = 0; press < 9; press += 1) await page.keyboard.down('Enter');

      expect(await page.locator('.choice :checked').count()).toBe(0);
      expect(await answers()).toEqual([]);
    },
  );

  test('cannot be sent by a script', async ({ card: { page, show, ready, answers } }) => {
    await show('question');
    await ready();
    await page.getByText('Two').click();
    await page.getByText('Red').click();

    await page.evaluate(() => {
      for (const button of document.querySelectorAll<HTMLButtonElement>('.request button')) button.click();
      for (const form of document.forms) form.requestSubmit();
      for (const target of document.querySelectorAll('.request, .request input'))
        for (const key of ['Enter', 'd', 'D', 'a', '1', 'ArrowDown'])
          target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    });

    expect(await answers()).toEqual([]);
  });
});

describe('the changes of a session', () => {
  test('are shown line by line, and only a person takes them back, with a second press', async ({ card: { page, answers } }) => {
    await page.evaluate(() => (globalThis as unknown as { changes: () => void }).changes());
    await page.getByText('tides.txt').click();
    await page.locator('.diff-add').getByText('high water').waitFor();
    const revert = page.getByRole('button', { name: 'Revert', exact: true });

    await page.evaluate(() => {
      for (let round = 0; round < 3; round += 1)
        for (const button of document.querySelectorAll<HTMLButtonElement>('dialog .buttons button'))
          if (/Revert|back/i.test(button.innerText)) button.click();
    });
    expect(await answers()).toEqual([]);
    await revert.click();
    await page.getByRole('button', { name: 'Revert the whole file?' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(answers).toEqual(['/p/tides.txt', 'back to u1']);
    await page.getByRole('button', { name: 'Go back' }).click();
    await page.getByRole('button', { name: 'Change the files back?' }).click();

    await expect.poll(answers).toEqual(['/p/tides.txt', 'back to u1', 'back to c1']);
  });

  test('of one file are taken back in its card, and there again; what cannot be is said as it is', async ({ card: { page, answers } }) => {
    const told = page.locator('.setup-part').getByRole('status');
    const revert = async (path: string): Promise<string> => {
      await page.evaluate((name) => (globalThis as unknown as { file: (path: string) => void }).file(name), path);
      await page.getByRole('button', { name: 'Revert', exact: true }).click();
      await page.getByRole('button', { name: 'Revert the whole file?' }).click();
      return told.innerText();
    };

    expect(await revert('tides.txt')).toBe('Reverted to where the session began.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Revert', exact: true }).waitFor();
    expect(await told.count()).toBe(0);
    expect(await revert('same.txt')).toContain('There is nothing to revert');
    expect(await revert('folder.txt')).toContain('Left as it is');
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(await revert('committed.txt')).toBe('Reverted to the last commit.');
    expect(await answers()).toEqual(['tides.txt', 'u1', 'same.txt', 'folder.txt', 'committed.txt']);
  });

  test('are taken back part by part, by a person alone', { tags: 'whole' }, async ({ card: { page, answers } }) => {
    await page.evaluate(() => (globalThis as unknown as { changes: () => void }).changes());
    await page.getByText('tides.txt').click();
    const second = page.locator('.diff-hunk').nth(1).getByRole('button');
    await second.waitFor();

    await page.evaluate(() => {
      for (let round = 0; round < 3; round += 1)
        for (const button of document.querySelectorAll<HTMLElement>('.diff-hunk button')) button.click();
    });
    expect(await answers()).toEqual([]);
    await second.click();
    await page.getByRole('button', { name: 'Revert them?' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();

    await expect.poll(answers).toEqual([{ path: 'tides.txt', hunk: { now: 'b', index: 1 } }, 'back to u3']);
  });

  test('are commented on line by line, by mouse and by keys', { tags: 'whole' }, async ({ card: { page, answers } }) => {
    await page.evaluate(() => (globalThis as unknown as { changes: () => void }).changes());
    await page.getByText('tides.txt').click();
    const field = page.getByRole('textbox', { name: 'Comment for the agent' });
    const added = page.locator('.diff-add').first().getByRole('button');
    await added.click();
    await field.fill('Why so high?');
    await page.getByRole('button', { name: 'Add to the message' }).click();
    await page.getByText('It is in your next message.').waitFor();
    await expect.poll(() => added.evaluate((button) => button === document.activeElement)).toBe(true);

    // One stop for the Tab key: the arrows go from line to line, over the heads of the parts.
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await field.fill('never mind');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    for (const key of ['ArrowUp', 'Enter']) await page.keyboard.press(key);
    await field.fill('Keep the ebb.');
    await page.keyboard.press('Enter');

    await expect.poll(answers).toEqual(['tides.txt:1\n> +high water\nWhy so high?\n', 'tides.txt:9\n> -ebb\nKeep the ebb.\n']);
    expect(await page.locator('button.diff-number[tabindex="0"]').count()).toBe(1);
    await page.getByRole('dialog').waitFor();
  });
});

describe('what a command has printed', () => {
  test('is copied as text, beside the command itself', { tags: 'whole' }, async ({ card: { page } }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(() => (globalThis as unknown as { tool: (text: string) => void }).tool('\u001b[31mhigh\u001b[0m water\n'));
    await page.locator('.tool-head').click();
    const copy = (label: string): Promise<void> =>
      page
        .locator('.output-frame', { has: page.getByLabel(label) })
        .getByRole('button', { name: 'Copy' })
        .click();
    const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

    await copy('Output');
    await expect.poll(copied).toBe('high water\n');
    await copy('Input');
    await expect.poll(copied).toBe('ls');
  });
});

describe('a prompt that waits', () => {
  test(
    'shows the pictures that go with it, and is said to the running turn by a press',
    { tags: 'whole' },
    async ({ card: { page, answers } }) => {
      await page.evaluate(() => (globalThis as unknown as { queued: () => void }).queued());

      await page.getByRole('img', { name: 'tide.gif' }).waitFor();
      await page.getByRole('button', { name: 'Steer now' }).click();
      await expect.poll(answers).toEqual(['steer t1']);
    },
  );
});

describe('a prompt', () => {
  test('is sent once more once, however often that is pressed until it is, and again after that', async ({ card: { page, answers } }) => {
    await page.evaluate(() => (globalThis as unknown as { prompt: () => void }).prompt());
    const retry = page.getByRole('button', { name: 'Retry' });

    await retry.dblclick();
    await retry.click();
    await retry.press('Enter');

    expect(await answers()).toEqual(['When?']);
    await expect.poll(() => retry.getAttribute('aria-busy')).toBe('true');
    await page.evaluate(() => (globalThis as unknown as { sent: () => void }).sent());
    await expect.poll(() => retry.getAttribute('aria-busy')).toBe('false');
    await retry.press('Enter');
    expect(await answers()).toEqual(['When?', 'When?']);
  });
});
