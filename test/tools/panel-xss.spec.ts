import { expect, describe } from 'vitest';
import { isWhole } from '#test/fixtures/whole.ts';
import { panelTest } from './panel-stage.ts';
import { vectors } from './xss-vectors.ts';

/** The panel's markdown view on a page without a content security policy: what gets through here has nothing else to stop it. */
const source = `
import { h, render } from 'preact';
import { Markdown } from '#extension/sidepanel/views/markdown.tsx';
import { SceneContext } from '#extension/sidepanel/views/scene.ts';
import { drawMaths } from '#extension/sidepanel/maths.ts';
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

/** A text on a place of its own, with its formulas. */
window.drawn = async (text) => {
  const place = addPlace();
  draw(place, text, true);
  await drawMaths(place);
  const { innerHTML } = place;
  place.remove();
  return innerHTML;
};

/** The diagrams of a text once the last of them is drawn, as documents; and what stayed code. */
window.diagrams = async (text) => {
  const place = addPlace();
  draw(place, text, true);
  const frames = [...place.querySelectorAll('.code')];
  while (!frames.at(-1).matches('.drawn')) await new Promise((resolve) => setTimeout(resolve, 20));
  const images = [...place.querySelectorAll('.diagram img')];
  await Promise.all(images.map((image) => image.decode()));
  const documents = images.map(({ src }) => new DOMParser().parseFromString(decodeURIComponent(src.slice(src.indexOf(',') + 1)), 'image/svg+xml'));
  const all = documents.flatMap((document) => [...document.querySelectorAll('*')]);
  const { hits } = await window.provoke();
  place.remove();
  return {
    hits,
    drawn: documents.length,
    frames: frames.length,
    tags: [...new Set(all.map((element) => element.localName))].sort(),
    attributes: [...new Set(all.flatMap((element) => element.getAttributeNames()))].sort(),
    addresses: [...new Set(images.map(({ src }) => src.slice(0, src.indexOf(','))))],
    loads: documents.filter((document) => /@import|="url\\((?!#)/.test(document.documentElement.outerHTML)).length,
  };
};

/** Every event a handler may wait for, on everything that is drawn; then what stands there. */
window.provoke = async () => {
  const names = ['click', 'dblclick', 'mouseover', 'mouseenter', 'focus', 'focusin', 'blur', 'keydown', 'input', 'change', 'submit',
    'toggle', 'beforetoggle', 'animationstart', 'animationend', 'transitionend', 'scroll', 'error', 'load', 'pointerenter', 'wheel', 'copy', 'drop'];
  // The page that draws diagrams is the panel's own and has no rights, and what it has drawn is a picture of its own.
  const own = 'iframe[src="diagram.html"][sandbox="allow-scripts"], .diagram > img[src^="data:image/svg+xml,"]';
  const all = [...document.body.querySelectorAll('*:not(' + own + ')')];
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

interface Diagrams extends Omit<Findings, 'openers'> {
  readonly drawn: number;
  readonly frames: number;
  readonly loads: number;
}

interface Scene {
  /** Everything the page asked the network for after it was loaded. */
  readonly requests: string[];
  /** Draws a text whole, formulas too; what stands there then. */
  draw(text: string): Promise<{ html: string }>;
  drawDiagrams(text: string): Promise<Diagrams>;
  show(how: 'whole' | 'streamed' | 'sanitized' | 'unsafe', texts: readonly string[]): Promise<Findings>;
}

const test = panelTest(source).extend<{ scene: Scene }>({
  scene: async ({ page }, use) => {
    const requests: string[] = [];
    // The panel's own script that draws diagrams, and pictures that hold themselves, ask nobody.
    page.on('request', (request) => (/^data:|\/diagram\.(?:html|js)$/.test(request.url()) ? 0 : requests.push(request.url())));
    await use({
      requests,
      draw: (text) =>
        page.evaluate(async (given) => {
          const { drawn } = globalThis as unknown as { drawn: (text: string) => Promise<string> };
          return { html: await drawn(given) };
        }, text),
      drawDiagrams: (text) =>
        page.evaluate((given) => (globalThis as unknown as { diagrams: (text: string) => Promise<Diagrams> }).diagrams(given), text),
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

const dangerousLabels = [
  '</text><script>alert(1)</script>',
  '<image href=/asked>',
  '"/><a xlink:href="javascript:alert(1)">x</a>',
  '<foreignObject><img src=/asked onerror=alert(1)></foreignObject>',
  ']]><script>alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  'url(/asked)',
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

/** What is drawn in more ways than whole: their kinds stand side by side in the list. */
const some = vectors.filter((_, index) => isWhole || index % 5 === 0);

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

  test('no vector runs or asks for anything while it streams in, every fifth or, in the whole form, each', async ({ scene }) => {
    check(await scene.show('streamed', some), scene.requests);
  });

  test(
    'no vector runs or asks for anything inside other markdown, each in one of ten or, in the whole form, in all',
    { tags: 'whole' },
    async ({ scene }) => {
      for (const [row, fence] of fences.entries()) {
        const some = vectors.filter((_, column) => isWhole || (row + column) % 10 === 0);
        check(
          await scene.show(
            'whole',
            some.map((vector) => fence.replaceAll('{}', () => vector)),
          ),
          scene.requests,
        );
      }
    },
  );

  test('a list keeps its first number, a table its sides, a formula its meaning', async ({ scene }) => {
    const { html } = await scene.draw('3. third\n4. fourth\n\n| a | b |\n|--:|:-:|\n| 1 | 2 |\n\nso $\\frac{a\\,b}{2}$ and $\\nonsense{$');

    expect(html).toContain('<ol start="3">');
    expect(html).toContain('<td align="right">1</td>');
    expect(html).toMatch(/<math[^>]*><mfrac>/);
    expect(html).toContain('<code class="language-maths">\\nonsense{</code>');
  });

  test(
    'no formula runs, loads or links anything, with every fifth vector or, in the whole form, with each',
    { tags: 'whole' },
    async ({ scene }) => {
      const formulas = [
        '\\href{javascript:alert(1)}{x}',
        '\\url{https://evil.example}',
        '\\includegraphics{https://evil.example/x.png}',
        '\\class{x}{y}',
        '\\style{color:red}{y}',
        '\\id{x}{y}',
        '\\text{<img src=x onerror=alert(1)>}',
        '\\def\\a{\\a\\a}\\a',
      ];
      const { requests } = scene;
      let drawnCount = 0;
      for (const formula of [...formulas, ...some]) {
        const { html } = await scene.draw(`$${formula}$`);
        for (const [drawn] of html.matchAll(/<math[^]*<\/math>/g)) expect(drawn).not.toMatch(/<[^>]+\s(?:href|style|src|id|on\w+)=/i);
        drawnCount += html.includes('<math') ? 1 : 0;
      }

      expect(drawnCount).toBeGreaterThan(some.length / 4);

      expect(requests).toEqual([]);
    },
  );

  test('no diagram runs, loads or links anything, whatever its labels, colours and links are', async ({ scene }) => {
    const ways = [
      'A["{}"] --> B',
      'A --> B[{}]',
      'A -- {} --> B',
      'A --> B\nstyle A fill:{}',
      'A --> B\nclick A "{}"',
      'subgraph {}\nA\nend',
    ];
    const flows = [...some, ...dangerousLabels].map(
      (vector, index) => `graph TD\n${ways[index % ways.length]?.replace('{}', () => vector)}`,
    );
    const others = dangerousLabels.flatMap((label, row) => {
      const kinds = [
        `sequenceDiagram\nparticipant A as ${label}\nA->>B: ${label}\nNote over A: ${label}\nloop ${label}\nend`,
        `stateDiagram-v2\nstate "${label}" as A\nA --> B : ${label}`,
        `classDiagram\nA <|-- B : ${label}\nclass A {\n+int ${label}\n}`,
        `erDiagram\nA ||--o{ B : ${label}\nA {\nint id PK "${label}"\n}`,
        `pie title ${label}\n"${label}" : 2`,
        `gantt\ntitle ${label}\ndateFormat YYYY-MM-DD\nsection ${label}\n${label} :a1, 2026-01-01, 1d\nclick a1 href "javascript:hit()"`,
        `mindmap\n  root((${label}))\n    ["${label}"]`,
        `timeline\n  title ${label}\n  1830 : ${label}`,
        `journey\n  title ${label}\n  section ${label}\n    ${label}: 5: ${label}`,
        `gitGraph\n  commit id: "${label}"\n  branch "${label}"`,
        `quadrantChart\n  title ${label}\n  "${label}": [0.3, 0.6]`,
        `---\nconfig:\n  securityLevel: loose\n  htmlLabels: true\n  themeCSS: '@import url(https://elsewhere.example/x.css);'\n---\nflowchart TD\n  A["${label}"]`,
      ];
      return kinds.filter((_, column) => isWhole || (row + column) % 6 === 0);
    });
    const text = [...flows, ...others, 'graph TD\nlast --> one'].map((source) => `\`\`\`mermaid\n${source}\n\`\`\``).join('\n\n');

    const found = await scene.drawDiagrams(text);

    expect(found.hits).toBe(0);
    expect(scene.requests).toEqual([]);
    expect(found.addresses).toEqual(['data:image/svg+xml']);
    expect(found.loads).toBe(0);
    expect(
      found.tags.filter(
        (tag) =>
          !/^(?:svg|style|defs|marker|symbol|clippath|filter|fedropshadow|lineargradient|stop|title|desc|g|polygon|polyline|line|path|rect|circle|ellipse|text|tspan)$/i.test(
            tag,
          ),
      ),
    ).toEqual([]);
    expect(found.attributes.filter((name) => name.startsWith('on') || name.endsWith('href') || name === 'src')).toEqual([]);
    // In both themes; what is no diagram at all stays code.
    expect(found.drawn).toBeGreaterThan(found.frames / 2);
  });

  test('a diagram that is never done is given up, and neither the panel nor the next diagram waits for it', async ({ scene, page }) => {
    let isHanging = true;
    await page.route('**/diagram.js', (route) => {
      const body = "addEventListener('message', () => { parent.postMessage('hangs', '*'); setTimeout(() => { for (;;); }); });";
      return isHanging ? route.fulfill({ contentType: 'text/javascript', body }) : route.continue();
    });
    // The patience with the first one ends when the test says so; a clock of the test's own would ask the page that hangs, too.
    await page.evaluate(() => {
      const { setTimeout: usual } = globalThis;
      const shortened = (run: () => void, ms?: number): unknown => {
        if (ms !== 10_000) return usual(run, ms);
        Object.assign(globalThis, { setTimeout: usual, giveUp: run });
        return 0;
      };
      Object.assign(globalThis, { setTimeout: shortened });
      addEventListener('message', ({ data }) => Object.assign(globalThis, { isHanging: data === 'hangs' }));
    });
    const sources = ['graph TD\nendless --> one', 'graph TD\nnext --> one'];
    const asked = scene.drawDiagrams(sources.map((one) => `\`\`\`mermaid\n${one}\n\`\`\``).join('\n\n'));
    // The panel answers while the page of the diagram does not.
    await page.waitForFunction(() => Reflect.get(globalThis, 'isHanging') === true);

    isHanging = false;
    await page.evaluate(() => (Reflect.get(globalThis, 'giveUp') as () => void)());

    expect(await asked).toMatchObject({ hits: 0, drawn: 2, frames: 2 });
    await expect.poll(() => page.locator('iframe').count()).toBe(0);
  });

  test('the sanitiser alone stops all of it, should the markdown ever let something pass', async ({ scene }) => {
    check(await scene.show('sanitized', vectors), scene.requests);
  });
});
