/** What a page keeps out of sight: rows that are drawn when they are scrolled to, what comes late, menus under menus, hidden fields. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { openHidden, openShown } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `in a ${how} tab`,
  ({ open }) => {
    test('a row that is drawn only when it is scrolled to is found and clicked by its words', async ({ stage }) => {
      const agent = await open(stage, 'hard.html');

      const found = await agent.text('browser_find', { text: 'Row 121' });
      expect(found).toMatch(/scrolled to it.*\[e\d+ button "Row 121"\]/s);
      expect(await agent.text('browser_click', { target: 'text=Row 163' })).toContain('pressed Row 163');
      expect(await agent.text('browser_find', { text: 'Row 9876' })).toBe('Nothing on the page matches.');
    });

    test('what only shows under the pointer is reached through the menus that lead to it', async ({ stage }) => {
      const agent = await open(stage, 'hard.html');

      expect(await agent.text('browser_click', { target: '#as-pdf' })).toContain('exported');
    });

    test('file fields that nobody sees are named and take files', async ({ stage }) => {
      writeFileSync(path.join(stage.projectDir, 'plan.pdf'), 'plan');
      const agent = await open(stage, 'hard.html');
      agent.answerWith(() => 'session');

      for (const [name, id] of [
        [/^file "Contract"/, 'contract'],
        [/^file "Unseen photo"/, 'unseen'],
      ] as const) {
        const target = await agent.ref(name);
        expect(await agent.text('browser_file_upload', { target, paths: ['plan.pdf'] })).toContain(`${id} got plan.pdf`);
      }
    });
  },
);

/** A page of its own. */
const says = (html: string): string => `says?text=${encodeURIComponent(`<!doctype html><title>Hard</title>${html}`)}`;

describe('an address that is not encrypted', () => {
  test('is one of a page that is read and pressed as others, in its frames, too', async ({ stage }) => {
    const inside = `<body style="margin: 0"><button style="width: 200px; height: 100px" onclick="this.append(' pressed')">Inside</button>`;
    const frame = `<iframe style="position: fixed; left: 100px; top: 100px; width: 250px; height: 150px; border: 0" src="/${says(inside)}"></iframe>`;
    const agent = stage.agent('Plain');
    agent.answerWith(() => 'session');
    await agent.text('browser_navigate', { url: `${stage.url.replace('127.0.0.1', '0.0.0.0')}/${says(frame)}` });
    // This machine's own addresses count as encrypted, but for this one.
    expect(await agent.text('browser_evaluate', { function: '() => [isSecureContext, typeof crypto.randomUUID]' })).toContain(
      '[false,"undefined"]',
    );

    await agent.text('browser_take_screenshot');
    await agent.text('browser_click', { target: /f\d+e\d+/.exec(await agent.text('browser_snapshot'))?.[0], x: 200, y: 150 });

    expect(await agent.text('browser_snapshot')).toContain('button "Inside pressed"');
  });
});

describe('a call that cannot be done', () => {
  test('says which field it was, and that what is around an element cuts it off', { tags: 'whole' }, async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(`<style>.cut { position: absolute; width: 1px; height: 1px; overflow: clip } .cut button { margin: 30px }</style>
        <div class="cut"><button>Inside</button></div><input aria-label="Here"><input aria-label="Gone" hidden><textarea hidden></textarea>`),
    );

    const fields = ['Gone', 'Here'].map((name) => ({ target: `[aria-label=${name}]`, value: 'x' }));
    expect(await agent.error('browser_fill_form', { fields })).toMatch(/Field 1 of 2: .* No field is filled\./);
    expect(await agent.error('browser_type', { target: 'textarea', text: 'x' })).toContain('it is not visible');
    const error = await agent.error('browser_click', { target: 'button' });
    expect(error).toContain('nothing of it is shown at its place');
    expect(error).not.toContain('overflow');
  });

  test('is not that of a search field, which hears that it is sent', async ({ stage }) => {
    const agent = await openHidden(stage, says(`<input type="search" onsearch="document.title = value">`));

    expect(await agent.text('browser_type', { target: 'input', text: 'Cats', submit: true })).toContain('title: Cats');
  });
});

describe('the places of a picture that lead somewhere', () => {
  test('are shown beside it, and pressed where they lie', async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(`<div style="height: 2000px"></div><img usemap="#map" alt="Plan" width="200" height="60" style="background: silver" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
        <map name="map"><area shape="rect" coords="0,0,50,50" href="#one" alt="Kitchen"><area shape="circle" coords="75,25,20" href="#two" alt="Bath">
        <area shape="poly" coords="110,0,150,0,130,40" alt="Attic" onclick="document.title = 7"></map>`),
    );

    expect(await agent.text('browser_snapshot')).toContain('![Plan] [e1 link "Kitchen"] [e2 link "Bath"] [e3 clickable "Attic"]');
    expect(await agent.text('browser_click', { target: 'role=link[name="Bath"]' })).toMatch(/^url: .*#two$/m);
    expect(await agent.text('browser_click', { target: 'e3' })).toContain('title: 7');
  });
});

describe('what a browser does not draw yet', () => {
  test('is left out where it is folded until something in it is looked for, and shown where it is just fading in', async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(`<style>@keyframes in { from { opacity: 0 } } #card { animation: in 1s 90s both } @keyframes grow { from { scale: 0 } }
          #growing { animation: grow 1s 90s both } .small { transform: scale(0) }</style>
        <div hidden="until-found">Folded words <button>Folded</button></div><div id="card">Fading words <button>Fading</button></div>
        <div style="opacity: 0">Unseen words</div><div class="small">Small words <button>Small</button></div>
        <button style="scale: 0 1">Thin</button><div id="growing"><button>Growing</button></div>
        <div style="transform: rotateX(90deg)"><button>Edge</button></div>
        <div style="transform: rotateX(-90deg); transform-style: preserve-3d"><p style="transform: rotateX(90deg)"><button>Side</button></p></div>`),
    );

    const text = await agent.text('browser_snapshot');
    expect(text).toContain('\nFading words [e1 button "Fading"]');
    expect(text).toContain('(invisible: "Unseen words")');
    expect(text).not.toMatch(/"Folded"|^Folded/m);
    expect(text).toContain('[e2 button "Growing"]');
    expect(text).toContain('[e3 button "Side"]');
    expect(text).not.toMatch(/button "(?:Small|Thin|Edge)"/);
  });
});

describe('what a script fades in and out', () => {
  test('is told as it is at the end, when the page has heard of that', { tags: 'whole' }, async ({ stage }) => {
    for (const open of [openHidden, openShown]) {
      const agent = await open(
        stage,
        says(`<ul id="rows"></ul><button id="add">Add</button><script>
          const fade = (row, from, to, then) => {
            const delay = row.animate([{ opacity: from }, { opacity: from }], { duration: 0, fill: 'forwards' });
            delay.onfinish = () => {
              delay.cancel();
              row.animate([{ opacity: from }, { opacity: to }], { duration: 250, fill: 'forwards' }).onfinish = then;
            };
          };
          const remove = (row) => { row.inert = true; fade(row, 1, 0, () => row.remove()); };
          add.onclick = () => {
            rows.insertAdjacentHTML('beforeend', '<li>Milk <button onclick="remove(this.parentNode)">Remove</button></li>');
            fade(rows.lastChild, 0, 1, () => {});
          };
        </script>`),
      );

      for (let left = 3; left > 0; left -= 1) {
        const added = await agent.text('browser_click', { target: 'text=Add' });
        expect(added).toMatch(/^- Milk \[e\d+ button "Remove"\]$/m);
        const removed = await agent.text('browser_click', { target: 'text=Remove' });
        expect(removed).toMatch(/^target: \[e\d+ button "Remove" gone\]$/m);
        expect(await agent.text('browser_snapshot')).not.toMatch(/^- Milk/m);
      }
    }
  });
});

describe('an entry that a page loads when its end is reached', () => {
  test('is found by a part of its words, though another list has rows without end', { tags: 'whole' }, async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(`<div id="rows" style="height: 200px; overflow: auto"><div style="height: 900000px"><i></i></div></div><ul id="feed"></ul><p id="end">End</p>
        <script>
          rows.onscroll = () => { rows.querySelector('i').textContent = 'Row ' + Math.floor(rows.scrollTop / 20); };
          const add = () => {
            for (let left = 30; left > 0; left -= 1) feed.insertAdjacentHTML('beforeend', '<li>Entry ' + feed.children.length + ' <a href="#">more</a></li>');
          };
          add();
          new IntersectionObserver(([seen]) => { if (seen.isIntersecting) setTimeout(add, 300); }).observe(end);
        </script>`),
    );

    expect(await agent.text('browser_hover', { target: 'text=Entry 75' })).toMatch(/target: .*Entry 75/);
  });
});

describe('a form that is not sent', () => {
  test('is told with the fields that are not valid, and why, without what a secret one holds', async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(`<form onsubmit="out.textContent = 'sent'; return false"><label>Guests <input id="guests" type="number" max="10" value="42"></label>
        <label>Password <input type="password" pattern="a" value="hunter2"></label>
        <label>Code word <input id="own" value="x"></label><button>Book</button></form><p id="out"></p>
        <script>own.setCustomValidity('Ask at the desk: hunter2')</script>`),
    );

    const receipt = await agent.text('browser_click', { target: 'text=Book' });

    expect(receipt).toContain('Clicked. Nothing else changed on the page. 3 fields are not valid, and their form is not sent with them.');
    expect(receipt).toMatch(/\nrefused: \[e\d+ spinbutton "Guests" invalid = "42"\] Value must be less than or equal to 10\.\n/);
    expect(receipt).toContain('"Code word" invalid = "x"] Ask at the desk: ');
    expect(receipt).not.toContain('hunter2');
    expect(await agent.text('browser_type', { target: '#guests', text: '4' })).not.toContain('refused');
  });
  test(
    'is told with a component that is not valid, a text that is too short, and that there are more',
    { tags: 'whole' },
    async ({ stage }) => {
      const agent = await openHidden(
        stage,
        says(`<form><input aria-label="Nick" minlength="3"><x-stars aria-label="Stars" tabindex="0">☆</x-stars><button>Send</button></form>
        <form>${'<input required>'.repeat(7)}<button>Book</button></form>
        <script>
          customElements.define('x-stars', class extends HTMLElement {
            static formAssociated = true;
            connectedCallback() { this.attachInternals().setValidity({ valueMissing: true }, 'No star', this); }
          });
        </script>`),
      );

      await agent.text('browser_type', { target: '[aria-label=Nick]', text: 'Al' });
      const receipt = await agent.text('browser_click', { target: 'text=Send' });
      expect(receipt).toContain('2 fields are not valid, and their form is not sent with them.');
      expect(receipt).toMatch(/refused: \[e\d+ textbox "Nick" invalid = "Al"\] [^]*refused: \[e\d+ clickable "Stars"\]/);
      const more = await agent.text('browser_click', { target: 'text=Book' });
      expect(more).toContain('More than 5 fields are not valid');
      expect(more.match(/^refused: /gm)).toHaveLength(5);
    },
  );
});

describe('what a press leads to', () => {
  test('is told with what came later: a message after a timer or a request, a popover, the end of a dialog', async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(`<button id="timer" onclick="setTimeout(() => { out.textContent = 'later'; }, 80)">Timer</button>
        <button id="request" onclick="fetch('/form.html').then(() => { out.textContent = 'fetched'; })">Request</button>
        <button popovertarget="menu">Menu</button><div id="menu" popover><button>Item 1</button></div>
        <button id="open" onclick="sure.showModal()">Open</button>
        <dialog id="sure" onclose="out.textContent = 'closed ' + returnValue"><form method="dialog"><button value="yes">Yes</button></form></dialog>
        <p id="out" role="status"></p>`),
    );

    expect(await agent.text('browser_click', { target: '#timer' })).toContain('status = "later"');
    expect(await agent.text('browser_click', { target: '#request' })).toContain('status = "fetched"');
    expect(await agent.text('browser_click', { target: 'text=Menu' })).toMatch(/^Clicked\.\n[^]*now:\n.*"Item 1"/);
    await agent.text('browser_click', { target: '#open' });
    expect(await agent.text('browser_click', { target: 'text=Yes' })).toContain('status = "closed yes"');
  });
});

describe('what is folded away', () => {
  test('is not found by its words, and is told to be hidden', { tags: 'whole' }, async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(
        `<details><summary>More</summary><button id="inner">Inner</button></details><div hidden><button id="panel">Panel</button></div>`,
      ),
    );

    expect(await agent.error('browser_click', { target: 'text=Inner' })).toMatch(
      /^TARGET_NOT_FOUND: .*It is in the page, but hidden.*Open/s,
    );
    expect(await agent.error('browser_click', { target: 'text=Panel' })).toContain('but hidden');
    expect(await agent.error('browser_click', { target: '#inner' })).toMatch(/not visible\. Open what/);
    await agent.text('browser_click', { target: 'text=More' });
    expect(await agent.text('browser_click', { target: 'text=Inner' })).toContain('button "Inner"');
  });
});

describe('a drawing with a name', () => {
  test('is shown with what can be pressed in it', async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(`<svg role="img" aria-label="Sales" width="100" height="60"><text y="50">Axis</text>
        <g role="button" tabindex="0" aria-label="May"><rect width="20" height="40"/></g></svg>`),
    );

    const text = await agent.text('browser_snapshot');
    expect(text).toMatch(/!\[Sales\].*\[e\d+ button "May"\]/s);
    expect(text).not.toContain('\nAxis');
  });
});

describe('a line that is drawn', () => {
  test('is pressed on itself, not in the middle of its box', async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(`<svg width="100" height="100"><path id="ring" d="M10 50 A40 40 0 1 1 90 50" fill="none" stroke="red" stroke-width="4"/></svg>
        <p id="out" role="status"></p><script>ring.onclick = () => { out.textContent = 'pressed'; }</script>`),
    );

    expect(await agent.text('browser_click', { target: '#ring' })).toContain('pressed');
  });
});

describe('a step that a page draws as a transition of views', () => {
  test('is told as what the press led to', async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(`<a href="/a" id="a">A</a><main id="main">Home</main><script>
        a.onclick = (event) => {
          event.preventDefault();
          document.startViewTransition(async () => {
            await new Promise((resolve) => setTimeout(resolve, 150));
            history.pushState({}, '', '/route-a');
            main.textContent = 'Page A';
          });
        };
      </script>`),
    );

    expect(await agent.text('browser_click', { target: '#a' })).toMatch(/The address changed\..*Page A/s);
  });
});

describe('words that a page writes in another way', () => {
  test('are the same: accents in two characters, typographic quotes, dashes and dots', async ({ stage }) => {
    const agent = await openHidden(stage, says(`<button>Cafe\u0301 A – B…</button><button>Don’t “ask”</button><p>Über uns</p>`));

    expect(await agent.text('browser_click', { target: 'text=Caf\u00e9 A - B...' })).toContain('Clicked.');
    expect(await agent.text('browser_hover', { target: `text=Don't "ask"` })).toContain('button');
    expect(await agent.text('browser_hover', { target: 'role=button[name="Don\'t \\"ask\\""]' })).toContain('button');
    expect(await agent.text('browser_find', { text: 'caf\u00e9 a - b' })).toContain('1 line matches');
    expect(await agent.text('browser_wait_for', { text: `Don't "ask"`, time: 1 })).toContain('true');
  });
});

describe('a field', () => {
  test('that makes something of each key is typed into once', async ({ stage }) => {
    const page = `<p id="chips"></p><input id="tags"><script>
      tags.onkeydown = (event) => {
        if (event.key !== ',') return;
        event.preventDefault();
        chips.textContent += '<' + tags.value + '>';
        tags.value = '';
      };
    </script>`;
    const agent = await openHidden(stage, says(page));

    const receipt = await agent.text('browser_type', { target: '#tags', text: 'a,b,', slowly: true });
    expect(receipt).toMatch(/^Typed, but the field holds something else.*value: ""/s);
    expect(await agent.text('browser_snapshot')).toMatch(/\n<a><b>\n/);
  });

  test('behind a dialog that holds the page is not typed into', async ({ stage }) => {
    const page = `<input id="under"><dialog id="sure"><input id="own"></dialog><script>sure.showModal()</script>`;
    const agent = await openHidden(stage, says(page));

    expect(await agent.error('browser_type', { target: '#under', text: 'x' })).toMatch(/^TARGET_NOT_READY: .*a dialog of the page.*Close/s);
    expect(await agent.text('browser_type', { target: '#own', text: 'x' })).toContain('Typed.');
  });

  test('is found by words and role in any shadow tree, also through its host', async ({ stage }) => {
    const agent = await openHidden(
      stage,
      says(`<x-nick></x-nick><script>customElements.define('x-nick', class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: 'closed', delegatesFocus: true }).innerHTML = '<label>Nick <input></label><button>Deep</button>'; }
      });</script>`),
    );

    expect(await agent.text('browser_type', { target: 'role=textbox', text: 'bob' })).toContain('textbox "Nick" = "bob"');
    expect(await agent.text('browser_type', { target: 'x-nick', text: 'eve' })).toContain('textbox "Nick" = "eve"');
    expect(await agent.text('browser_click', { target: 'text=Deep' })).toContain('button "Deep"');
  });

  test(
    'that takes the place of what its form is in the page is read and filled like any other, and leads nobody round in circles',
    { tags: 'whole' },
    async ({ stage }) => {
      const names =
        'getAttribute children value click tagName localName matches closest id elements ' +
        'hidden querySelectorAll dispatchEvent getBoundingClientRect checkVisibility getRootNode textContent focus submit';
      const agent = await openHidden(
        stage,
        says(`<form id="trip" aria-label="Trip"><input name="parentElement" aria-label="Adults"><input name="childNodes" aria-label="Children">
        <input name="assignedSlot" type="password" value="hunter2-secret">${names
          .split(' ')
          .map((name) => `<input name="${name}">`)
          .join('')}
        <button onclick="out.textContent = 'Found'; event.preventDefault()">Search</button></form><p id="out" role="status"></p>`),
      );

      const text = await agent.text('browser_snapshot');
      for (const shown of ['form "Trip"', 'textbox "Adults"', 'textbox "Children"', 'button "Search"']) expect(text).toContain(shown);
      const fields = [...names.split(' '), 'childNodes'].map((name) => ({ target: `[name=${name}]`, value: `my ${name}` }));
      expect(await agent.text('browser_fill_form', { fields })).toContain(`Filled ${fields.length} fields.`);
      expect(await agent.text('browser_type', { target: 'role=textbox[name="Adults"]', text: 'two', submit: true })).toContain('Found');
      expect(await agent.text('browser_read')).toContain('Adults');
      for (const target of ['text=Search', '#trip >> text=Search'])
        expect(await agent.text('browser_click', { target })).toContain('Clicked');
      for (const name of ['browser_hover', 'browser_scroll']) expect(await agent.text(name, { target: '#trip' })).toContain('form "Trip"');
      expect(await agent.text('browser_take_screenshot', { target: '#trip' })).toContain('Picture');
      expect(await agent.text('browser_snapshot')).toContain('"my getAttribute"');
    },
  );

  test(
    'with suggestions of the browser is chosen in, a slider keeps to its steps, and an option is no button',
    { tags: 'whole' },
    async ({ stage }) => {
      const agent = await openHidden(
        stage,
        says(`<input id="city" list="cities" aria-label="City"><datalist id="cities"><option value="Paris"><option value="Prague"></datalist>
        <input id="volume" type="range" min="0" max="100" step="5" aria-label="Volume">
        <select id="several" multiple size="3"><option>One</option><option selected>Two</option></select>`),
      );

      expect(await agent.text('browser_select_option', { target: '#city', values: ['Prague'] })).toContain('combobox "City" = "Prague"');
      expect(await agent.error('browser_select_option', { target: '#city', values: ['Oslo'] })).toContain('no option "Oslo"');
      expect(await agent.text('browser_fill_form', { fields: [{ target: '#volume', value: 72 }] })).toMatch(
        /^Filled 1 field\. The page did not take the value of field 1 as it was\./,
      );
      expect(await agent.error('browser_click', { target: 'text=One' })).toContain('use browser_select_option with this target');
      expect(await agent.text('browser_select_option', { target: 'text=One', values: ['One'] })).toContain('listbox = "One"');
    },
  );
});

describe('an element that no box or too many boxes are around', () => {
  test('is read, and pressed by its words', { tags: 'whole' }, async ({ stage }) => {
    const agent = await openHidden(stage, 'deep.html');

    expect(await agent.text('browser_snapshot')).toMatch(/button "Without a box".*button "Deepest"\] and its words/s);
    for (const words of ['Without a box', 'Deepest']) {
      await agent.text('browser_click', { target: `text=${words}` });
      expect(await agent.text('browser_find', { text: `${words} pressed` })).toContain('1 line matches');
    }
  });
});

describe('an element that comes late', () => {
  test('is waited for, and one that never comes is told', { tags: 'whole' }, async ({ stage }) => {
    const agent = await openHidden(stage, 'hard.html');
    await agent.text('browser_click', { target: '#load' });

    expect(await agent.text('browser_click', { target: '#late' })).toContain('pressed late');
    const error = await agent.error('browser_click', { target: '#load-never' });
    expect(error).toMatch(/^TARGET_NOT_FOUND: .*"#load-never"\. What is nearest to it follows\./);
    expect(error).toMatch(/<\w{7} untrusted .*>\ne\d+ button "Load/);
  });
});

describe('an element that is replaced when the pointer comes to it', () => {
  const page = `<p id="out">nothing</p><div id="box"></div><script>
    const make = (isNew) => {
      const button = Object.assign(document.createElement('button'), { textContent: 'Buy', onclick: () => { out.textContent = 'bought once'; } });
      if (!isNew) button.onpointerenter = button.onmouseenter = button.onmouseover = () => button.isConnected && button.replaceWith(make(true));
      return button;
    };
    box.append(make(false));
  </script>`;

  for (const how of [{}, { trusted: true }]) {
    test(`is pressed in its new form${'trusted' in how ? ', also by real input' : ''}`, async ({ stage }) => {
      const agent = await openHidden(stage, `says?text=${encodeURIComponent(page)}`);
      const target = await agent.ref(/button "Buy"/);

      expect(await agent.text('browser_click', { target, ...how })).toMatch(/^Clicked\..*target: \[e\d+ button "Buy"\]/s);
      expect(await agent.text('browser_snapshot')).toContain('bought once');
    });
  }
});

describe('a frame that is led to another page', () => {
  const AROUND = `<iframe name="inside" src="/says?text=First"></iframe><a href="/says?text=Second" target="inside">Lead it on</a>
    <button onclick="inside.location.replace('/says?text=Third')">Replace it</button>
    <button onclick="inside.location = '/held?frame'">Let it wait</button>`;
  const inside = '<form action="/says"><input name="text" value="Sent"><button>Send</button></form>';

  test('is told by a click beside it, which is not made again', async ({ stage }) => {
    const agent = await stage.open(`says?text=${encodeURIComponent(AROUND)}`);

    const load = new MachineLoad();
    const told = await agent.text('browser_click', { target: 'text=Lead it on' });

    // A server that gets no time answers later than a click waits for it, which the next test has.
    expect(told).toMatch(
      load.isQuiet ? /A frame of the page loaded another page/ : /A frame of the page (?:loaded|will show) another page/,
    );
    expect(told).toContain(`frame: ${stage.url}/says?text=Second`);
    expect(told).not.toContain('Nothing else changed');
    expect(await agent.text('browser_snapshot')).toContain('Second');
    expect(await agent.text('browser_click', { target: 'text=Replace it' })).toContain(`frame: ${stage.url}/says?text=Third`);
  });

  test('is told though its server does not answer in time', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open(`says?text=${encodeURIComponent(AROUND)}`);

    const told = await agent.text('browser_click', { target: 'text=Let it wait' });
    await fetch(`${stage.url}/let-go?frame`);

    expect(told).toContain('A frame of the page will show another page, whose server has not answered yet');
  });

  test('is not told where it loads by itself again and again, and stops no batch', async ({ stage }) => {
    const ticker = '<script>parent.document.title += "."; setTimeout(() => location.reload(), 40)</script>Ticking';
    const page = `<title>Ticks</title><iframe src="/says?text=${encodeURIComponent(ticker)}"></iframe><button onclick="this.append('!')">Count</button>`;
    const agent = await stage.open(`says?text=${encodeURIComponent(page)}`);
    await expect.poll(() => agent.text('browser_tabs', { action: 'list' })).toMatch(/Ticks\.{5}/);

    const told = await agent.text('browser_batch', {
      calls: Array.from({ length: 4 }, () => ({ name: 'browser_click', arguments: { target: 'button' } })),
    });

    expect(told).toContain('[e1 button "Count!!!!"]');
    expect(told).not.toContain('A frame of the page');
  });

  test('is told by a form sent in it, and stops a batch', async ({ stage }) => {
    const page = `<iframe src="/says?text=${encodeURIComponent(inside)}"></iframe>`;
    const agent = await stage.open(`says?text=${encodeURIComponent(page)}`);
    const target = await agent.ref(/Send/);

    const told = await agent.text('browser_batch', {
      calls: [
        { name: 'browser_click', arguments: { target } },
        { name: 'browser_click', arguments: { target } },
      ],
    });

    expect(told).toContain(`frame: ${stage.url}/says?text=Sent`);
    expect(told).toContain('Stopped after call 1 of 2: a frame loaded another page');
  });
});
