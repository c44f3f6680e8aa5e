/** What scripts make of plain elements, without a role and often without a word: rows with icons in them, cards, handles, terminals. */
import { expect } from 'vitest';
import { describeTabs, test } from './tool-test.ts';

/** As the browser writes the address. */
const saying = (markup: string): string => `says?text=${encodeURIComponent(`<!doctype html>${markup}`).replaceAll("'", '%27')}`;
const ICON = 'width:14px;height:14px;display:inline-block;background:url(/missing.png)';

describeTabs(
  (how) => `in a ${how} tab`,
  ({ open }) => {
    test('the icons of a row that can be pressed are buttons of their own, and the icon of a button is not', async ({ stage }) => {
      const row = (name: string): string =>
        `<div class="row" style="cursor:pointer"><b>${name}</b><p>Some words of the letter</p><span class="trash" style="${ICON}"></span><span class="star" style="${ICON}"></span></div>`;
      const button = `<div style="cursor:pointer" class="b"><span class="edit" style="${ICON}"></span>Edit</div>`;
      const script = `<p id="out"></p><script>document.querySelectorAll('.trash').forEach((icon, index) => icon.onclick = () => { out.textContent = 'Row ' + index + ' is gone'; });</script>`;
      const agent = await open(stage, saying(`${row('Nan')}${row('Oda')}${button}${script}`));

      const text = await agent.text('browser_snapshot');
      const [, second = ''] = [...text.matchAll(/\[(e\d+) box \.trash/g)].map(([, ref]) => ref);
      expect(text).toContain('clickable "Edit"]');
      expect(await agent.text('browser_click', { target: second })).toContain('Row 1 is gone');
    });

    test('a link without an address that says what it is for has a ref, also where its words are replaced by a picture', async ({
      stage,
    }) => {
      const agent = await open(
        stage,
        saying(
          `<p>May</p><a title="Next" data-handler="next" onfocus=""><span style="${ICON};text-indent:-9999px;overflow:hidden">Next</span></a> <a class="self">This page</a>
          <script>document.querySelector('[title]').addEventListener('click', () => { document.querySelector('p').textContent = 'June'; });</script>`,
        ),
      );

      const target = await agent.ref(/"Next"/);
      expect(await agent.text('browser_click', { target })).toContain('June');
      expect(await agent.text('browser_snapshot')).not.toContain('clickable "This page"');
    });

    test('cards that lie on their face are boxes with a place', async ({ stage }) => {
      const card = '<div style="width:30px;height:45px;border:1px solid"><b style="visibility:hidden">Ace</b></div>';
      const agent = await open(stage, saying(card.repeat(3)));

      expect((await agent.text('browser_snapshot')).match(/\[e\d+ box 32×47@\d+,\d+\]/g)).toHaveLength(3);
    });

    test('handles of scripts and marks of a map are told as such, and told apart', async ({ stage }) => {
      const size = 'style="display:inline-block;width:20px;height:20px;background:blue"';
      const pin = (left: number): string =>
        `<div class="pin" style="position: absolute; left: ${left}px; width: 20px; height: 20px; background: red; cursor: pointer"></div>`;
      const agent = await open(
        stage,
        saying(
          `<div class="ui-draggable ui-draggable-handle" ${size}></div><ul><li class="ui-sortable-handle">Ann</li></ul>
          <button class="w-spinner-button w-spinner-up"></button><button class="w-spinner-button w-spinner-down"></button><span tabindex="0" class="w-slider-handle" ${size}></span>
          <div style="cursor: grab; position: relative; height: 99px">${[20, 60].map(pin).join('')}</div>
          <div style="cursor: grab"><p role="slider" tabindex="0" aria-label="Loud" aria-valuenow="3" ${size}></p></div><label for="mail">E-mail</label><input id="mail" placeholder=" ">`,
        ),
      );

      const text = await agent.text('browser_snapshot');
      expect(text).toMatch(/clickable draggable \.ui-draggable blue 20×20@\d+,\d+\]/);
      expect(text).toContain('listitem draggable] Ann');
      for (const looks of ['.w-spinner-up', '.w-spinner-down', '.w-slider-handle']) expect(text).toContain(`${looks}]`);
      // The marks of a map that is dragged itself.
      const pins = text.match(/\[e\d+ clickable \.pin red 20×20@\d+,\d+\]/g) ?? [];
      expect(pins).toHaveLength(2);
      expect(await agent.text('browser_click', { target: /e\d+/.exec(pins[1] ?? '')?.[0] })).toContain(`target: ${pins[1]}`);
      expect(text).toContain('textbox "E-mail"]');
      expect(text).toContain('slider "Loud" = "3"]');
    });

    test('a page that hears keys by itself is typed to, and tells what it made of them', async ({ stage }) => {
      const script = `<script>
        let line = '';
        addEventListener('keypress', (event) => { if (event.which !== 13) line += String.fromCharCode(event.which); else line = ''; now.textContent = line; });
        addEventListener('keydown', (event) => { if (event.key === 'Enter') said.append(Object.assign(document.createElement('p'), { textContent: 'ran ' + line })); });
      </script>`;
      const agent = await open(stage, saying(`<div id="terminal"><div id="said"></div>$ <span id="now"></span></div>${script}`));

      expect(await agent.error('browser_type', { target: '#terminal', text: 'ls' })).toContain('"slowly" presses them');
      expect(await agent.text('browser_type', { target: '#terminal', text: 'ls -a', slowly: true, submit: true })).toMatch(
        /^Pressed each key and Enter: [^]*ran ls -a/,
      );
      expect(await agent.text('browser_press_key', { key: 'x' })).toMatch(/ untrusted \S+>\nnow:\nx\n/);
    });

    test('a code that spreads over fields of one character each is typed as a whole', async ({ stage }) => {
      const boxes = '<input maxlength="1" aria-label="Digit" oninput="this.nextElementSibling?.focus()">';
      const agent = await open(stage, saying(boxes.repeat(4)));

      expect(await agent.text('browser_type', { target: 'input:first-child', text: '4829' })).toMatch(/^Typed\.\s/);
      expect(await agent.text('browser_type', { target: 'input:last-child', text: '77' })).toContain('only the beginning');
    });

    test('what a page says again of what was typed is no news', async ({ stage }) => {
      const agent = await open(
        stage,
        saying(`<label>Name <input oninput="out.textContent = this.value"></label><output id="out"></output>`),
      );

      expect(await agent.text('browser_type', { target: 'input', text: 'Zanzibar' })).not.toContain('appeared');
    });

    test('a word is marked by a double click, as where an editor makes it bold', async ({ stage }) => {
      const agent = await open(
        stage,
        saying(`<p id="note" contenteditable>One <span id="word">simple</span> word</p>
          <button onmousedown="event.preventDefault()" onclick="document.execCommand('bold')">Bold</button>`),
      );

      await agent.text('browser_click', { target: '#word', doubleClick: true });
      await agent.text('browser_click', { target: 'text=Bold' });
      const bold = "() => document.querySelector('#note b').textContent.trim()";
      expect(await agent.text('browser_evaluate', { function: bold })).toContain('"simple"');
    });

    test('a field that is read-only is told of soon, also on a page that never rests', async ({ stage }) => {
      const agent = await open(
        stage,
        saying(
          `<input readonly><p></p><script>setInterval(() => { document.querySelector('p').textContent = Date.now(); }, 100);</script>`,
        ),
      );

      expect(await agent.error('browser_type', { target: 'input', text: 'x' })).toMatch(/Waited \d\.\d s, but it is read-only/);
    });

    test('a list that is too long to be gone through is looked at in part, which is said', { tags: 'whole' }, async ({ stage }) => {
      const script = `<script>
        const list = document.querySelector('#list');
        const draw = () => { const first = Math.floor(list.scrollTop / 20); rows.innerHTML = Array.from({ length: 12 }, (_, at) => '<p style="position:absolute;margin:0;top:' + (first + at) * 20 + 'px">Row ' + (first + at) + '</p>').join(''); };
        list.addEventListener('scroll', draw);
        draw();
      </script>`;
      const agent = await open(
        stage,
        saying(
          `<div id="list" style="height:200px;overflow-y:auto"><div id="rows" style="height:2000000px;position:relative"></div></div>${script}`,
        ),
      );

      expect(await agent.text('browser_find', { text: 'Nowhere' })).toMatch(
        /^Nothing on the page matches\. Only the first \d+ % of a long list/,
      );
      expect(await agent.error('browser_click', { target: 'text=Row 99999' })).toMatch(
        /Nothing matches .* Only the first \d+ % of a long list/,
      );
    });
  },
);
