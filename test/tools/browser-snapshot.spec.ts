import { expect } from 'vitest';
import { type Agent, type ToolStage, refsInFrames, untilInTime } from './tool-stage.ts';
import { describeTabs, test } from './tool-test.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** What differs from run to run, by name. */
const steady = (text: string, stage: ToolStage): string =>
  text
    .replaceAll(stage.url, '<site>')
    .replaceAll(stage.otherUrl, '<other site>')
    .replaceAll(/(?<=^<\/?)\w{7}(?= untrusted|>$)/gm, '<random>')
    .replaceAll(/tab \d+/gi, 'tab <id>')
    .replaceAll(/(?<=\[)(f\d+)e(\d+)/g, renumbered())
    .replaceAll(/\bf\d+(?=e\d)/g, 'f<frame>');

/** Refs of a frame count from one: where they begin depends on what the tab gave out before the frame was asked for the first time. */
const renumbered = (): ((ref: string, frame: string, number: string) => string) => {
  const first = new Map<string, number>();
  return (_, frame, number) => {
    if (!first.has(frame)) first.set(frame, Number(number));
    return `f<frame>e${Number(number) - (first.get(frame) ?? 0) + 1}`;
  };
};

const evaluate = async (stage: ToolStage, page: string, code: string): Promise<void> => {
  await stage.pageAt(page).evaluate(code);
};

describeTabs(
  (how) => `browser_snapshot in a ${how} tab`,
  ({ open }) => {
    for (const page of ['form', 'frames', 'shadow', 'injection', 'seen']) {
      test(`shows ${page}.html as a person would describe it`, async ({ stage }) => {
        const agent = await open(stage, `${page}.html`);
        if (page === 'frames') await refsInFrames(agent, 'button "(?:Press me|Inline button)"', 3);

        const text = steady(await agent.text('browser_snapshot'), stage);

        await expect(text).toMatchFileSnapshot(`snapshots/${page}.txt`);
      });
    }

    test(
      'names buttons and components by their labels, and presses a component by the one button in it',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<label for="day">Day</label><button id="day">5 November <i class="icon"></i></button> <label for="kind">Kind</label><button id="kind" role="combobox">Tea</button>
        <label for="dog">Dog</label><x-choice id="dog" tabindex="0"><i style="display:inline-block;width:9px;height:9px"></i></x-choice>
        <label>Cat <x-choice tabindex="0"><i style="display:inline-block;width:9px;height:9px"></i></x-choice></label>
        <label>Phone <button>Choose a country</button> <input></label>
        <x-button tabindex="0"><button>Go</button></x-button> <div tabindex="0" aria-label="Stars"><button>1</button><button>2</button></div>
        <script>customElements.define('x-choice', class extends HTMLElement { static formAssociated = true; });</script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(`<!doctype html>${page}`).replaceAll("'", '%27')}`);

        const text = await agent.text('browser_snapshot');
        for (const told of [
          'button "Day" shows "5 November"]',
          'combobox "Kind"]: Tea',
          'clickable "Dog"',
          'clickable "Cat"',
          'button "Choose a country"]',
        ])
          expect(text).toContain(told);
        expect(text).toMatch(/clickable "Stars"\]: /);
        expect(text).toMatch(/(?<!: )\[e\d+ button "Go"\]/);
      },
    );

    test('tells how far something has come, and what opens around bare words', { tags: 'whole' }, async ({ stage }) => {
      const page = `<label>Upload <progress value="30" max="40">75 of a hundred</progress></label> <progress></progress>
        <meter aria-label="Disk" value="6" max="10"></meter> <div role="progressbar" aria-label="Build" aria-valuenow="12" style="height:9px;background:teal"></div>
        <div role="progressbar" aria-valuetext="Step 2 of 5" aria-valuenow="2"></div> <div role="progressbar" aria-valuenow="80">80 percent</div>
        <button>Go</button><details><summary>More</summary>Inner words</details>
        <script>document.querySelector('button').onclick = () => { document.querySelector('progress').value = 10; document.querySelector('details').open = true; };</script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(`<!doctype html>${page}`).replaceAll("'", '%27')}`);

      const text = await agent.text('browser_snapshot');
      const receipt = await agent.text('browser_click', { target: 'text=Go' });

      expect(text).toContain('progressbar "Upload" = "75 %" progressbar meter "Disk" = "6 of 10"\nprogressbar "Build" = "12 %"\n');
      expect(text).toContain('progressbar = "Step 2 of 5"\n');
      expect(text).toContain('80 percent');
      for (const unseen of ['75 of a hundred', 'Inner words']) expect(text).not.toContain(unseen);
      expect(receipt).toContain('progressbar "Upload" = "25 %"');
      expect(receipt).toMatch(/button "More" expanded\]\s+Inner words/);
    });

    test('tells in which column of a table something stands, where cells before it are empty', async ({ stage }) => {
      const page = `<table><tr><th>Name<th>Town<th>Age<tr><td>Ann<td><td>31<tr><td colspan=2>Bob of Bern<td>32<tr><td>Cem<td><td><tr><td><td><td>
          <tr><td rowspan=2>Dee<td rowspan=3>Ulm<td>33<tr><td>34<tr><td>Eve<td>35</table>
        <table><tr><td><td>Layout<td></table>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_snapshot')).toContain(
        '\nName | Town | Age\nAnn |  | 31\nBob of Bern |  | 32\n| Cem |\nDee | Ulm | 33\n |  | 34\nEve |  | 35\n| Layout |\n',
      );
      expect(await agent.text('browser_read')).toContain('| Ann |  | 31 |\n| Bob of Bern |  | 32 |\n| Cem |\n');
    });

    test('shows pages in an object and an embed, also of another site, and says which frame it has not read', async ({ stage }) => {
      const inner = (name: string): string =>
        `/says?text=${encodeURIComponent(`<button name=" pressed" onclick="this.append(this.name)">${name}</button>`)}`;
      const page = `<object type="text/html" data="${inner('In object')}"></object><iframe src="${inner('In frame')}"></iframe>
        <embed type="text/html" src="${stage.otherUrl}${inner('In embed')}"><iframe src="http://127.0.0.1:1/"></iframe>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      const refs = await refsInFrames(agent, 'button "In (?:object|embed)"', 2);

      for (const target of refs) await agent.text('browser_click', { target });

      const text = await agent.text('browser_snapshot');
      for (const name of ['object', 'embed']) expect(text).toContain(`button "In ${name} pressed"`);
      expect(text).toMatch(/\[e\d+ iframe\] \(not read: still loading, or closed to tools\)/);
      expect(await agent.text('browser_find', { text: 'Other' })).toContain('Nothing on the page matches. 1 frame of it was not read');
    });

    test('gives a cell that can be pressed its ref, and frames in a shadow tree each its own content', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const frame = (name: string): string => `<iframe srcdoc="<button>${name}</button>"></iframe>`;
      const html = `<table><tr><td style="cursor: pointer">1</td><td>2</td></tr></table><div id="host"></div>`;
      const inside = frame('First') + frame('Second') + `<iframe src="${stage.otherUrl}/says?text=<button>Third</button>"></iframe>`;
      await agent.text('browser_evaluate', {
        function: `() => { document.body.innerHTML = \`${html}\`; host.attachShadow({ mode: 'closed' }).innerHTML = \`${inside}\` }`,
      });
      await refsInFrames(agent, 'button "(?:First|Second|Third)"', 3);

      const text = await agent.text('browser_snapshot');

      expect(text).toMatch(/\n\[e\d+ cell "1"\] \| 2\n/);
      const shown = [...text.matchAll(/iframe\] (\S+):\n \[f\d+e\d+ button "(\w+)"\]/g)].map(([, address = '', name]) => [address, name]);
      expect(shown).toEqual([
        ['about:srcdoc', 'First'],
        ['about:srcdoc', 'Second'],
        [expect.stringContaining(stage.otherUrl), 'Third'],
      ]);
    });

    test('tells each thing of a grid, a date and a label once, and what is chosen in them', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const row = (name: string, more: string): string =>
        `<div role="row" ${more}><div role="gridcell" tabindex="-1"><input type="checkbox" aria-label="Choose ${name}"></div><div role="gridcell" aria-checked="${more !== ''}">${name}</div></div>`;
      const html = `<div role="grid">${row('Ann', 'aria-selected="true"')}${row('Bob', '')}
        <div role="row"><div role="gridcell" aria-label="Sunday, 29 November">29</div><div role="gridcell" aria-label="Free">30</div></div></div>
        <span role="spinbutton" tabindex="0" aria-label="Month" aria-valuetext="May">May</span>
        <label for="day" id="own">Birthday</label><div role="group" aria-labelledby="own">-</div><input id="day" aria-hidden="true">
        <label for="held" id="food">Food</label><button role="combobox" aria-labelledby="food" aria-expanded="false">Rice</button><select id="held" aria-hidden="true" style="position: absolute; clip: rect(0 0 0 0)"></select>
        <div role="listbox" id="pets" aria-label="Pets"><div role="option" aria-selected="true">Cat</div><div role="option">Dog</div></div>`;
      await agent.text('browser_evaluate', { function: `() => { document.body.innerHTML = \`${html}\` }` });

      const text = await agent.text('browser_snapshot');

      expect(text).toMatch(/\n\[e\d+ row selected\] \[e\d+ checkbox "Choose Ann"\] \| \[e\d+ cell checked\] Ann\n/);
      expect(text).toMatch(/\n\[e\d+ checkbox "Choose Bob"\] \| \[e\d+ cell unchecked\] Bob\n/);
      expect(text).toMatch(/spinbutton "Month" = "?May"?\](?!: May)/);
      expect(text).toMatch(/\[e\d+ cell "Sunday, 29 November"\] \| \[e\d+ cell "Free"\] 30\n/);
      expect(text).toContain('Birthday');
      expect(text).toMatch(/combobox "Food" collapsed\]: Rice/);
      expect(text.match(/Food/g)).toHaveLength(1);
      const pressed = await agent.text('browser_press_key', { key: 'Home', target: '[role=combobox]' });
      expect(pressed).toContain('combobox "Food" collapsed = "Rice"]');
      expect(await agent.text('browser_click', { target: '#pets' })).toContain('listbox "Pets" = "Cat"]');
    });

    test('tells once what a page says twice, and loses nothing that can be pressed', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const html = `<section aria-labelledby="top"><h2 id="top">Top stories</h2><p>Words</p></section>
        <section aria-label="Later"><p>More words</p></section>
        <div><a href="/p/1"><img alt="Blue shoe"></a><h3><a href="/p/1">Blue shoe</a></h3></div>
        <div><a href="/p/2"><img alt="Seen from above"></a><h3><a href="/p/2">Red shoe</a></h3></div>
        <div><a href="/p/3" onclick="zoom()"><img alt="Grey shoe"></a><h3><a href="/p/3">Grey shoe</a></h3></div>
        <a href="/p/4"><img alt="Green shoe"><h3>Green shoe</h3></a>
        <dl><dt>Joined</dt><dd>May 2012</dd><dt>Posts:</dt><dd>12</dd><dt>Places</dt><dd>Bern</dd><dd>Ulm</dd></dl>
        <div role="tree"><div role="treeitem" aria-selected="true"><a href="/a">Fish</a></div><div role="treeitem" aria-expanded="false"><a href="/b">Birds</a></div></div>
        <label><input type="radio" name="of"> Blue <i style="display: inline-block; width: 20px; height: 20px; background: blue"></i><i style="display: inline-block; width: 20px; height: 20px; background: red"></i></label>
        <label>E-mail <input placeholder="E-mail"></label> <label>Name <input placeholder="As in your passport"></label>
        <input aria-label="Amount" placeholder="0.00"><input aria-label="Search" placeholder="search…">
        <a href="/at" aria-label="Today at 10:15:00 AM">10:15 AM</a> <a href="/in" aria-label="3 hours ago">3h</a>
        <div role="grid"><div role="row" style="cursor: pointer" onclick="title = 1"><div role="gridcell">Ann</div><div role="gridcell" tabindex="-1">31</div></div>
          <div role="row"><div role="rowheader">2</div><div role="gridcell">Bob</div></div></div>`;
      await agent.text('browser_evaluate', { function: `() => { document.body.innerHTML = \`${html}\` }` });

      const text = await agent.text('browser_snapshot');

      const told = text.replaceAll(/(?<=\[)e\d+(?= |\])/g, 'e');
      expect(told).toContain('\n## Top stories\nWords\nregion "Later": More words\n');
      expect(told).toContain(
        '\n### [e link "Blue shoe"]\n[e link "Seen from above"]\n### [e link "Red shoe"]\n[e link "Grey shoe"]\n### [',
      );
      expect(told).toContain('[e link "Green shoe"]\nJoined: May 2012\nPosts: 12\nPlaces\nBern\nUlm\n');
      expect(told).toContain(' [e link "Fish" selected]\n [e treeitem collapsed]: [e link "Birds"]\n');
      expect(told).toContain('[e radio "Blue"] [e textbox "E-mail"] [e textbox "Name" hint "As in your passport"]');
      expect(told).toContain('[e textbox "Amount" hint "0.00"] [e textbox "Search"]');
      expect(told).toContain(' [e link "Today at 10:15:00 AM"] [e link "3 hours ago" shows "3h"]\n');
      expect(told).toContain('\n[e row] Ann | [e cell] 31\n2 | [e cell] Bob\n');
    });

    test('tells how many options a list has, however many there are', async ({ stage }) => {
      const fill = 'for (let at = 0; at < 6000; at += 1) zones.add(new Option(`Zone ${at}`))';
      const agent = await open(stage, `says?text=${encodeURIComponent(`<select id="zones"></select><script>${fill}</script>`)}`);

      expect(await agent.text('browser_snapshot')).toContain('"Zone 14" and 5985 more: browser_snapshot e1]');
      const whole = await agent.text('browser_snapshot', { target: '#zones', maxTokens: 100_000 });
      expect(whole).toContain('"Zone 4999" and 1000 more, which can be chosen by their words, too]');
      expect(await agent.text('browser_select_option', { target: '#zones', values: ['Zone 5990'] })).toContain('= "Zone 5990"');
    });

    test('shows a long text and a long list of options whole when asked for them', async ({ stage }) => {
      const agent = await open(stage, 'seen.html');

      const text = await agent.text('browser_snapshot', { target: await agent.ref(/textbox "Long"/) });
      const options = await agent.text('browser_snapshot', { target: await agent.ref(/combobox "Many"/) });

      expect(text).toContain('the last line');
      expect(options).toContain('"Option 39"');
    });

    test('lets no secret out', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      const text = JSON.stringify(await agent.call('browser_snapshot', { urls: true }));

      for (const secret of ['hunter2', '482913', '4111 1111']) expect(text).not.toContain(secret);
    });

    test('keeps the words of a page inside an envelope that the page cannot close', async ({ stage }) => {
      const agent = await open(stage, 'injection.html');

      const texts = [await agent.text('browser_snapshot'), await agent.text('browser_snapshot')];

      const delimiters = texts.map((text) => /<(\w{7}) untrusted (\S+)>/.exec(text));
      for (const [index, match] of delimiters.entries()) {
        const [, name = '', origin] = match ?? [];
        expect(origin).toBe(stage.url);
        expect(texts[index]?.trimEnd().endsWith(`</${name}>`)).toBe(true);
        expect(texts[index]?.split(`</${name}>`)).toHaveLength(2);
      }
      expect(delimiters[0]?.[1]).not.toBe(delimiters[1]?.[1]);
    });

    test('gives an element the same ref as long as it lives, and a new element never an old one', async ({ stage }) => {
      const agent = await open(stage, 'settle.html');
      const before = await agent.ref(/button "Nothing"/);
      await evaluate(
        stage,
        'settle.html',
        'document.body.prepend(document.createElement("button")); document.getElementById("nothing").remove()',
      );

      const error = await agent.error('browser_click', { target: before });
      const session = await stage.browser.context.newCDPSession(stage.pageAt('settle.html'));
      await session.send('HeapProfiler.collectGarbage');
      const collected = await agent.error('browser_click', { target: before });
      await session.detach();
      await evaluate(stage, 'settle.html', 'document.body.append(document.getElementById("next"))');
      const moved = await agent.ref(/button "The next"/);
      const again = await agent.ref(/button "The next"/);
      await agent.text('browser_navigate', { url: `${stage.url}/form.html` });

      expect(error).toContain('was removed');
      expect(collected).toBe(error);
      expect(moved).toBe(again);
      expect(await agent.error('browser_click', { target: moved })).toContain('earlier page');
      expect(Number((await agent.ref(/link "Home"/)).slice(1))).toBeGreaterThan(Number(moved.slice(1)));
    });

    test('shows a part when asked for one, and where links lead', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      const text = await agent.text('browser_snapshot', { target: 'nav', urls: true });

      expect(text).toContain(`link "Shop" current → ${stage.url}/shop.html`);
      expect(text).not.toContain('E-mail');
    });

    test('tells only what changed since the last one', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');
      expect(await agent.text('browser_snapshot', { diff: true })).toContain('There is no earlier snapshot of this page, so it is whole.');
      await agent.text('browser_click', { target: 'text=Tuesday' });

      const changes = await agent.text('browser_snapshot', { diff: true });

      expect(changes).toMatch(
        /since your last snapshot: 1 line is new, 1 gone\.\n<\w{7} .*\nnew:\n\s*\[(e\d+) option "Tuesday" selected\]\ngone:\n\s*\[\1 option "Tuesday"\]\n/,
      );
      expect(await agent.text('browser_snapshot', { diff: true })).toMatch(/0 lines are new, 0 gone\.$/);
      await evaluate(stage, 'hands.html', 'document.body.append(document.getElementById("help"))');
      expect(await agent.text('browser_snapshot', { diff: true })).toMatch(
        /gone, 1 moved\.\n<\w{7} [^]*\nmoved:\n\[e\d+ button "Help"\]\n/,
      );
    });

    test('reads an element whose name is that of something which every object has', { tags: 'whole' }, async ({ stage }) => {
      const html = '<h1>Odd</h1><constructor>First</constructor><constructor tabindex="0" onclick="title = 1">Second</constructor>';
      const agent = await open(stage, `says?text=${encodeURIComponent(html)}`);

      const text = await agent.text('browser_snapshot');

      expect(text).toMatch(/# Odd\nFirst \[e1 clickable "Second"\]/);
      expect(text).not.toContain('function');
      expect(await agent.text('browser_read')).toContain('First');
    });

    test('stays within its budget: folds long lists, then cuts, and says how to see the rest', async ({ stage }) => {
      const agent = await open(stage, 'dense.html');

      const whole = await agent.text('browser_snapshot', { maxTokens: 50_000 });
      const folded = await agent.text('browser_snapshot');
      const cut = await agent.text('browser_snapshot', { maxTokens: 300 });

      expect(whole).toContain('Customer 299');
      // The best of the peers needs 46,828 tokens for this page: three to four characters each.
      expect(whole.length).toBeLessThan(30_000);
      expect(folded).toContain('End of the list.');
      expect(folded).toMatch(/Long lists are folded: a target or a larger maxTokens shows more/);
      expect(folded).toMatch(/… \d+ more like these: browser_snapshot with target "e\d+" shows them/);
      // The best of the peers needs 57,333 characters: 0.15 of them are 8,600.
      expect(folded.length).toBeLessThan(8_600);
      expect(cut).toMatch(/Part 1 of \d+: pass page 2/);
      expect(cut.length).toBeLessThan(1_500);
    });

    test('opens a folded list by its ref, page by page, without losing a row', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'dense.html');
      const folded = await agent.text('browser_snapshot');
      const target = /2\d\d more like these: browser_snapshot with target "(e\d+)"/.exec(folded)?.[1];

      const rows = await agent.text('browser_snapshot', { target });

      for (let row = 0; row < 300; row += 1) expect(rows).toContain(`| Customer ${row} |`);
    });

    test('marks what no person sees, in whatever way a style hides it, and nothing that is seen', async ({ stage }) => {
      const agent = await open(stage, 'unseen.html');
      // Those that follow each other are told as one.
      const between = 'for (const element of document.body.children) element.before("between")';
      await agent.text('browser_evaluate', { function: `() => { ${between} }` });

      const text = await agent.text('browser_snapshot');

      const marked = [...text.matchAll(/\(invisible: "((?:un)?seen): |\[e\d+ iframe invisible\].*\n +(unseen): /g)].map(
        ([, one, other]) => one ?? other,
      );
      expect(new Set(marked)).toEqual(new Set(['unseen']));
      expect(marked).toHaveLength(text.match(/\bunseen: /g)?.length ?? 0);
      expect(marked).toHaveLength(32);
      expect(text.match(/^seen: /gm)).toHaveLength(13);
      const read = await agent.text('browser_read');
      expect(read).not.toContain('unseen: ');
      expect(read.match(/\bseen: /g)).toHaveLength(13);
    });

    test('tells a hint that only the pointer brings of a picture alone', { tags: 'whole' }, async ({ stage }) => {
      const page = `<style>[data-tip]::after { content: attr(data-tip); position: absolute } .pale::after { opacity: 0 } .unseen::after { visibility: hidden }
          .pale:focus::after { opacity: 1 }</style><p class="pale" data-tip="Tip one">Words one</p><p class="unseen" data-tip="Tip two">Words two</p>
        <button class="pale" data-tip="Tip three"><i></i></button><button class="pale" data-tip="Tip four" autofocus>Words four</button>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      const text = await agent.text('browser_snapshot');

      expect(text).toMatch(/Words one\nWords two\n\[e\d+ button "Tip three"\] \[e\d+ button "Words four\s?Tip four"\]/);
    });

    test('shows what a list is scrolled past, but not what no scrolling leads to', async ({ stage }) => {
      const page = `<div id="list" style="height: 100px; overflow: auto; position: relative"><div style="height: 5000px">
          <p style="position: absolute; top: 1900px">Row before the view</p><p style="position: absolute; top: 2010px">Row in the view</p>
          <p style="position: absolute; top: -3000px">Words for machines</p>
        </div></div><script>list.scrollTop = 2000;</script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_snapshot')).toContain('\nRow before the view\nRow in the view\n(invisible: "Words for machines")\n');
    });

    test('waits for a page that is just changing', async ({ stage }) => {
      const agent = await open(stage, 'settle.html');

      await untilInTime(async () => {
        await agent.text('browser_reload');
        await agent.text('browser_snapshot');
        await evaluate(stage, 'settle.html', 'document.getElementById("timers").click()');
        return (await agent.text('browser_snapshot')).includes('Step 5');
      });
    });

    test('reads and works in a drawing that is the whole page, and says what a PDF is', { tags: 'whole' }, async ({ stage }) => {
      const typed = (type: string, text: string): string => `says?${new URLSearchParams({ type, text })}`;
      const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="90"><title>Chart</title>
      <text x="9" y="20" style="cursor: pointer" onclick="this.textContent = 'Pressed'">Press here</text></svg>`;
      const agent = await open(stage, typed('image/svg+xml', drawing));

      expect(await agent.text('browser_snapshot')).toContain('clickable "Press here"');
      await agent.text('browser_click', { target: 'text=Press here' });
      expect(await agent.text('browser_press_key', { key: 'PageDown' })).toContain('Pressed PageDown');
      expect(await agent.text('browser_read')).toContain('Pressed');

      await agent.text('browser_navigate', { url: `${stage.url}/${typed('application/pdf', '%PDF-1.4')}` });
      const shown = 'it is a PDF, which the browser draws. browser_take_screenshot shows one page';
      const told = await agent.text('browser_snapshot');
      expect(told).toContain(`(nothing to read: ${shown}`);
      expect(await agent.text('browser_read')).toContain(`(no text: ${shown}`);
      expect(await agent.text('browser_find', { text: 'word' })).toContain(`Nothing on the page matches: ${shown}`);
      expect(await agent.error('browser_scroll', { direction: 'down' })).toContain('the browser draws this PDF');
      const code = /browser_evaluate: (.*click\(\))/.exec(told)?.[1];
      expect(await agent.text('browser_evaluate', { function: code })).toMatch(/Downloaded\.[^]*\.pdf, 8 bytes/);

      const around = `<iframe src="/${typed('application/pdf', '%PDF-1.4').replaceAll('&', '&amp;')}"></iframe>`;
      await agent.text('browser_navigate', { url: `${stage.url}/${typed('text/html', around)}` });
      expect(await agent.text('browser_snapshot')).toContain('(a PDF, which only browser_take_screenshot shows)');
    });

    test('reads a chart beyond its name, without the marks of its axes, and what only its look, its cursor or the focus tells of', async ({
      stage,
    }) => {
      const page = `<svg role="img" aria-label="Fruit" width="300" height="150"><path d="M0 0h9" /><text y="20">Apples</text>
          <g style="cursor: pointer"><text y="60">Bob</text></g></svg>
        <svg role="img" aria-label="build: passing" width="90" height="20"><text y="15">build</text></svg>
        <svg width="300" height="150"><line x2="0" y2="6" stroke="black" /><line x2="5" stroke="black" /><rect width="0" height="9" />
          <rect x="20" width="30" height="40" fill="red" /><text y="60">Mon</text></svg>
        <div tabindex="0"><svg width="200" height="100"><path d="M20 20h50v50z" fill="green" style="cursor: pointer" /><path d="M90 20h50v50z" /></svg></div>
        <div role="group" tabindex="0" onkeydown="0">First step</div>
 <div style="position: relative; height: 100px"><div style="position: absolute; left: -20px"><svg width="200" height="100"
          style="position: absolute; overflow: visible"><g role="group" tabindex="0" aria-label="First to second"><path d="M50 0V90" stroke="black" /></g></svg></div></div>
        <section><i style="position: absolute; left: 300px; width: 30px; height: 30px; cursor: ew-resize"></i></section>
        <section><div id="ball" style="position: absolute; left: 350px; width: 30px; height: 30px; background: orange"></div></section>
        <div style="position: relative"><canvas width="300" height="80"></canvas>
          <div style="position: absolute; inset: 0; color: transparent"><span>Invoice 42</span></div></div><p style="color: transparent">Not seen</p>
        <svg width="150" height="60"><circle cx="30" cy="30" r="12" fill="red" style="cursor: move" /><rect x="60" y="10" width="40" height="40" fill="blue" />
          <text x="75" y="35" style="pointer-events: none">Two</text></svg>
        <input type="image" alt="Go on" width="30" height="30" /><p><button title="Bold">B</button> <button title="Delete">🗑</button> <button title="The first">1</button></p><ul><li style="cursor: pointer"><span class="ui-icon ui-icon-play"></span></li></ul>
        <div style="position: relative; height: 60px">${['Library', 'Museum'].map((name, at) => `<img class="mark" role="button" tabindex="0" alt="Marker" title="${name}" width="20" height="20" style="position: absolute; left: ${at * 50}px" />`).join('')}</div>
        <table><tr><th>Line</th></tr><tr><td><button aria-label="Add a comment" style="visibility: hidden">+</button> const x</td></tr></table>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      const text = await agent.text('browser_snapshot');

      expect(text).toMatch(/!\[Fruit\]\nApples\n\[e\d+ clickable "Bob"\]\n!\[build: passing\]\n/);
      expect(text).toMatch(/\n\[e\d+ rect red 30×40@\d+,\d+\]\nMon\n/);
      expect(text).toMatch(/\[e\d+ clickable green 50×50@\d+,\d+\]/);
      expect(text).toMatch(/\n\[e\d+ group\]: First step\n/);
      expect(text).toMatch(/\n\[e\d+ group "First to second"\]/);
      expect(text).toMatch(/\[e\d+ handle ew-resize 30×30@\d+,\d+\]/);
      expect(text).toMatch(/\[e\d+ handle move circle red 24×24@\d+,\d+\]/);
      expect(text).toMatch(/\[e\d+ button "Go on"\]/);
      expect(text).toMatch(/\[e\d+ button "Bold B"\] \[e\d+ button "Delete 🗑"\] \[e\d+ button "1"\]/);
      expect(text).toMatch(/\[e\d+ button "Marker" titled "Library"\]\n\[e\d+ button "Marker" titled "Museum"\]/);
      expect(text).toContain('\n| Line |\n| const x |\n');
      expect(text).toMatch(/\[e\d+ listitem icon play\]/);
      expect(text).toMatch(/\[e\d+ box #ball orange 30×30@\d+,\d+\]/);
      expect(text).toContain('\nInvoice 42\n');
      expect(text).toContain('(invisible: "Not seen")');
      expect(text).not.toMatch(/\[e\d+ line/);
      expect(await agent.text('browser_click', { target: await agent.ref(/group "First to second"/) })).toContain('Clicked.');
      // They leave the pointer to the shape under them.
      expect(await agent.text('browser_click', { target: 'text=Two' })).toContain('Clicked.');
    });

    test('gives refs to what only a script listens to, by what a page says of it otherwise', { tags: 'whole' }, async ({ stage }) => {
      const page = `<style>.card { cursor: grab; width: 150px } .sorts:hover { cursor: pointer } @media (hover: hover) { .more:hover { cursor: pointer } }
          .map { cursor: grab; width: 400px; height: 200px }</style>
        <table><tr><th aria-sort="none">Title<th aria-sort="descending"><button>Year</button><th>Pages<tr><td>Dune<td>1965<td>412</table>
        <div class="card">Write to Ann</div><div class="card"><h3>Call Ben</h3><button>Edit</button></div><div class="map"><p>© Maps</p></div>
        <p class="sorts">Sort by price</p><p><span class="more">All of them</span></p>
        <div tabindex="0" style="height: 60px; overflow: auto"><div role="grid" aria-label="Days"><div role="row">
          <div role="gridcell">1</div><div role="gridcell">2</div></div></div><p style="height: 200px">Below</p></div>
        <div style="position: relative; width: 3px; height: 0; overflow: hidden"><textarea tabindex="0" style="position: absolute; width: 900px"></textarea></div>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      const text = await agent.text('browser_snapshot');

      expect(text).toMatch(/\n\[e\d+ columnheader\] Title \| \[e\d+ button "Year"\] \(sorted descending\) \| Pages\n/);
      expect(text).toMatch(
        /\n\[e\d+ clickable "Write to Ann" grab\]\n\[e\d+ clickable grab\]:\n ### Call Ben\n \[e\d+ button "Edit"\]\n© Maps\n/,
      );
      expect(text).toMatch(/\n\[e\d+ clickable "Sort by price"\]\n\[e\d+ clickable "All of them"\]\n/);
      expect(text).toMatch(/\n grid "Days":\n \[e\d+ cell\] 1 \| \[e\d+ cell\] 2\n Below\n\[e\d+ textbox\]\n/);
    });

    test('tells the fields and buttons that stand in the text of an editor', { tags: 'whole' }, async ({ stage }) => {
      const task = (name: string, how: string): string =>
        `<li><label contenteditable="false"><input type="checkbox" ${how}></label><div><p>${name}</p></div></li>`;
      const page = `<div contenteditable aria-label="Notes"><p>See <a href="#x">more</a></p><ul>${task('Buy milk', '')}${task('Call Ann', 'checked')}</ul>
        <div contenteditable="false"><button>Copy</button></div><p>The end</p></div>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_snapshot')).toMatch(
        /\n\[e\d+ textbox "Notes" = "See more[^\n]*The end"\]:\n - \[e\d+ checkbox\]\n  Buy milk\n - \[e\d+ checkbox checked\]\n  Call Ann\n \[e\d+ button "Copy"\]\n/,
      );
      await agent.text('browser_click', { target: 'input >> nth=0' });
      expect((await agent.text('browser_snapshot')).match(/checkbox checked\]/g)).toHaveLength(2);
    });

    test('gives no refs in what is closed, and those of what is only not seen', { tags: 'whole' }, async ({ stage }) => {
      const days = Array.from({ length: 7 }, (_, at) => `<td role="gridcell" tabindex="-1"><button>WAY${at + 1}</button></td>`).join('');
      const ways = {
        cut: 'height: 0; overflow: hidden',
        clip: 'position: absolute; clip: rect(0 0 0 0)',
        shape: 'position: absolute; clip-path: inset(50%)',
        away: 'position: absolute; left: -9999px',
        faint: 'position: absolute; opacity: 0; pointer-events: none',
        clear: 'position: absolute; opacity: 0',
      };
      const calendars = Object.entries(ways).map(
        ([way, style]) =>
          `<div id="${way}" style="${style}"><input aria-label="Field ${way}" tabindex="0" /><table role="grid"><tr>${days.replaceAll('WAY', way)}</tr></table></div>`,
      );
      const agent = await open(stage, `says?text=${encodeURIComponent(calendars.join(''))}`);
      const text = await agent.text('browser_snapshot');

      expect([...text.matchAll(/button "(\w+)1"/g)].map(([, way]) => way)).toEqual(['clear']);
      expect([...text.matchAll(/textbox "Field (\w+)"/g)].map(([, way]) => way)).toEqual(Object.keys(ways));
      expect(text).toMatch(/\(invisible: "cut1"\) \(invisible: "cut2"\) \(invisible: "cut3"\)\n\(invisible: "cut4 cut5 cut6 cut7"\)\n/);
      await agent.text('browser_evaluate', { function: "() => void (document.querySelector('#cut').style.height = '')" });
      expect(await agent.text('browser_snapshot')).toMatch(/button "cut1"/);
    });

    test('reads the active tab when the session has none yet', async ({ stage }) => {
      const page = await stage.browser.context.newPage();
      await page.goto(`${stage.url}/shadow.html`);
      await page.bringToFront();

      const text = await stage.agent().text('browser_snapshot');

      expect(text).toContain('Shadow roots');
      await page.close();
    });

    test('does not hang where tens of thousands of fields stand beside each other', { tags: 'whole' }, async ({ stage }) => {
      const page =
        '<body><script>document.body.innerHTML = `<label>Name <input></label><input aria-label="Word 7">`.repeat(10_000)</script>';
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_snapshot')).toMatch(/textbox "Name"\].*textbox "Word 7"\]/s);
    });

    test('does not hang where tens of thousands of links stand beside each other', { tags: 'whole' }, async ({ stage }) => {
      const fill =
        'for (let at = 0; at < 40000; at += 1) document.body.append(Object.assign(document.createElement("a"), { href: at, text: at }), " ")';
      const agent = await open(stage, `says?text=${encodeURIComponent(`<body><script>${fill}</script>`)}`);

      // It takes a second; where each link counted those beside it, the page was taken for one that hangs.
      expect(await agent.text('browser_snapshot')).toContain('[e9 link "8"]');
    });

    test('takes a large page in far less time than an accessibility tree takes', async ({ stage, skip }) => {
      skip(!isWhole, 'it measures: npm run test:whole');
      const agent: Agent = await open(stage, 'dense.html');
      await agent.text('browser_snapshot');

      const startedAt = performance.now();
      await agent.text('browser_snapshot');

      expect(performance.now() - startedAt).toBeLessThan(1_000 + SLACK_MS);
    });
  },
);
