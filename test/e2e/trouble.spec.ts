/** Where something is missing, the panel says what in one sentence and offers one thing to do. */
import { describe, expect } from 'vitest';
import { isWhole } from '#test/fixtures/whole.ts';
import type { OpenGallery } from '#test/gallery/gallery.ts';
import { test } from '#test/gallery/gallery-test.ts';

/** The one thing to do in each state; where the person decides, both answers are in sight. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'host-missing': ['Copy the command'],
  'host-missing-talk': ['Copy the command'],
  'host-forbidden': ['Copy the command'],
  'host-crashed': ['Copy the command'],
  refused: ['Copy the command'],
  'daemon-lost': ['Try again'],
  'link-lost': ['Try again'],
  newcomer: ['Allow', 'Not me'],
  'newcomer-unchecked': ['Copy the command'],
  'newcomer-denied': ['Copy the command'],
  'no-agent': ['Log in'],
  'no-agent-found': ['Copy the command'],
  'no-agent-none': ['Set up agents'],
  homeless: ['Choose the project'],
};

/** Runs in the page: the buttons that are in sight where the trouble is told; what is folded away has no size. */
const findActions = (): { text: string; isMain: boolean }[] =>
  Array.from(document.querySelectorAll<HTMLElement>('main.page, .banner, .homeless'))
    .flatMap((place) => Array.from(place.querySelectorAll<HTMLElement>('button, a')))
    .filter((button) => button.checkVisibility())
    .map((button) => ({ text: button.innerText.trim(), isMain: button.matches('.primary, .option-allow_once') }));

/** Has the browser tell what was copied. */
const watchCopies = ({ page }: OpenGallery): Promise<void> =>
  page.evaluate(() => {
    const copied: string[] = [];
    Object.assign(globalThis, { copied });
    navigator.clipboard.writeText = async (text) => void copied.push(text);
  });
const copies = ({ page }: OpenGallery): Promise<string[]> => page.evaluate(() => Reflect.get(globalThis, 'copied'));

describe('where something is missing', () => {
  test('one thing to do is offered, and the rest is folded away', async ({ gallery }) => {
    const { page, show } = gallery;
    for (const width of isWhole ? [320, 400] : [320]) {
      await page.setViewportSize({ width, height: 640 });
      for (const [name, wanted] of Object.entries(ACTIONS)) {
        await show(name);
        const actions = await page.evaluate(findActions);

        expect([name, actions.map(({ text }) => text)]).toEqual([name, wanted]);
        expect([name, actions.filter(({ isMain }) => isMain)]).toEqual([name, [{ text: wanted[0], isMain: true }]]);
      }
    }
  });

  test('what is copied is the command that the sentence names', async ({ gallery }) => {
    const { page, show } = gallery;
    await watchCopies(gallery);
    for (const name of ['host-missing', 'host-forbidden', 'host-crashed', 'refused', 'newcomer-unchecked', 'no-agent-found']) {
      await show(name);
      await page.getByRole('button', { name: 'Copy the command' }).click();
    }

    expect(await copies(gallery)).toEqual([
      'pilotfish install',
      'pilotfish install',
      'pilotfish doctor',
      'pilotfish install',
      'pilotfish browsers allow a',
      'npm install -g @anthropic-ai/claude-code',
    ]);
  });

  test('an agent is looked for again by the same button once its command was copied', async ({ gallery }) => {
    const { page, show } = gallery;
    await watchCopies(gallery);
    await show('no-agent-found');

    await page.getByRole('button', { name: 'Copy the command' }).click();

    await page.getByRole('button', { name: 'Check again' }).waitFor();
    expect((await page.evaluate(findActions)).map(({ text }) => text)).toEqual(['Check again']);
  });

  test('the ways beside it are below “More”', async ({ gallery: { page, show } }) => {
    await show('host-missing');
    await page.getByText('More').click();

    await page.getByText('npm start').waitFor();
    for (const name of ['Try again', 'Find out what is broken']) await page.getByRole('button', { name }).waitFor();
  });
});
