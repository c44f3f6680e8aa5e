import { expect, test as base, describe } from 'vitest';
import { openPanelPage } from './panel-stage.ts';
import { vectors } from './xss-vectors.ts';

/** The panel's markdown view on a page without a content security policy: what gets through here has nothing else to stop it. */
const source = `
import { h, render } from 'preact';
import { Markdown } from '#extension/sidepanel/views/markdown.tsx';
import { SceneContext } from '#extension/sidepanel/views/scene.ts';
import { sanitize } from '#extension/sidepanel/sanitize.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';

const scene = { t: createTranslate('en') };
window.hits = 0;
for (const name of ['alert', 'confirm', 'prompt', 'msgbox']) window[name] = () => void (window.hits += 1);

const draw = (place, text, isComplete) =>
  render(h(SceneContext.Provider, { value: scene }, h(Markdown, { text, isComplete })), place);
const addPlace = () => document.body.appendChild(document.createElement('div'));

window.show = {
  whole: (text) => draw(addPlace(), text, true),
  streamed: (text) => {
    const place = addPlace();
    for (let end = 1; end < text.length; end += Math.ceil(text.length / 12)) draw(place, text.slice(0, end), false);
    draw(place, text, false);
    draw(place, text, true);
  },
  sanitized: (text) => addPlace().append(sanitize(text)),
  unsafe: (text) => { addPlace().innerHTML = text; },
};

/** Every event a handler may wait for, on everything that is drawn; then what stands there. */
window.provoke = async () => {
  const names = ['click', 'dblclick', 'mouseover', 'mouseenter', 'focus', 'focusin', 'blur', 'keydown', 'input', 'change', 'submit',
    'toggle', 'beforetoggle', 'animationstart', 'animationend', 'transitionend', 'scroll', 'error', 'load', 'pointerenter', 'wheel', 'copy', 'drop'];
  const all = [...document.body.querySelectorAll('*')];
  for (const element of all) for (const name of names) element.dispatchEvent(new Event(name, { bubbles: true, cancelable: true }));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return {
    hits: window.hits,
    tags: [...new Set(all.map((element) => element.localName))].sort(),
    attributes: [...new Set(all.flatMap((element) => element.getAttributeNames()))].sort(),
    addresses: [...new Set([...document.querySelectorAll('a[href]')].map((link) => link.protocol))].sort(),
    openers: [...document.querySelectorAll('a[href]')].filter((link) => link.rel !== 'noopener noreferrer' || link.target !== '_blank').length,
  };
};
`;

interface Findings {
  readonly hits: number;
  readonly tags: readonly string[];
  readonly attributes: readonly string[];
  readonly addresses: readonly string[];
  readonly openers: number;
}

interface Scene {
  /** Everything the page asked the network for after it was loaded. */
  readonly requests: string[];
  show(how: 'whole' | 'streamed' | 'sanitized' | 'unsafe', texts: readonly string[]): Promise<Findings>;
}

const test = base.extend<{ scene: Scene }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  scene: async ({}, use) => {
    const { page, close } = await openPanelPage(source);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await use({
      requests,
      show: (how, texts) =>
        page.evaluate(
          async ([name, list]) => {
            const { show, provoke } = globalThis as unknown as {
              show: Record<string, (text: string) => void>;
              provoke: () => Promise<Findings>;
            };
            for (const text of list) show[name]?.(text);
            return provoke();
          },
          [how, texts] as const,
        ),
    });
    await close();
  },
});

const fences = [
  '{}',
  '> {}',
  '- {}',
  '# {}',
  '**{}**',
  '| a |\n| - |\n| {} |',
  'text {} text',
  '<b>{}</b>',
  '[{}](https://example.org)',
  '{}\n\n{}',
];

const dangerous = /^(?:script|style|svg|math|img|iframe|object|embed|form|input|link|meta|base|video|audio|template|textarea|select)$/;

const check = ({ hits, tags, attributes, addresses, openers }: Findings, requests: readonly string[]): void => {
  expect(hits).toBe(0);
  expect(requests).toEqual([]);
  expect(tags.filter((tag) => dangerous.test(tag))).toEqual([]);
  expect(
    attributes.filter((name) => name.startsWith('on') || name === 'style' || name === 'src' || name === 'id' || name === 'name'),
  ).toEqual([]);
  expect(addresses.filter((protocol) => !['http:', 'https:', 'mailto:'].includes(protocol))).toEqual([]);
  expect(openers).toBe(0);
};

describe('markdown in the panel', () => {
  test('the trap works: unsafe markup runs and asks the network', async ({ scene }) => {
    const found = await scene.show('unsafe', ['<b onclick="alert(1)">x</b>', '<img src="/asked">']);

    expect(found.hits).toBeGreaterThan(0);
    expect(scene.requests.join()).toContain('/asked');
  });

  test('no vector runs or asks for anything, whole', async ({ scene }) => {
    expect(vectors.length).toBeGreaterThanOrEqual(200);

    check(await scene.show('whole', vectors), scene.requests);
  });

  test('no vector runs or asks for anything while it streams in', async ({ scene }) => {
    check(await scene.show('streamed', vectors), scene.requests);
  });

  test('no vector runs or asks for anything inside other markdown', async ({ scene }) => {
    for (const fence of fences)
      check(
        await scene.show(
          'whole',
          vectors.map((vector) => fence.replaceAll('{}', () => vector)),
        ),
        scene.requests,
      );
  });

  test('the sanitiser alone stops all of it, should the markdown ever let something pass', async ({ scene }) => {
    check(await scene.show('sanitized', vectors), scene.requests);
  });
});
