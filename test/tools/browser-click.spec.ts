import { expect, onTestFinished } from 'vitest';
import { HANG_MS, SLACK_MS } from '#test/fixtures/limits.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { bundleFramework, type Framework } from '#test/fixtures/frameworks.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { until } from '#test/fixtures/until.ts';
import { clicksWithin, refsInFrames, startPlainStage, untilInTime } from './tool-stage.ts';
import { describeTabs, test } from './tool-test.ts';

describeTabs(
  (how) => `browser_click in a ${how} tab`,
  ({ open }) => {
    test('tells what a component shows beside the button in it that was pressed', { tags: 'whole' }, async ({ stage }) => {
      const menu = `<x-menu><button>More</button><div role="menu"><p><b role="menuitem" tabindex="-1">Cut</b> <b role="menuitemcheckbox" aria-checked="false" tabindex="-1">Wrap</b></p></div></x-menu>
        <style>x-menu:not([open]) [role=menu] { display: none }</style>
        <script>document.querySelector('button').onclick = ({ target }) => target.parentElement.toggleAttribute('open');</script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(`<!doctype html>${menu}`).replaceAll("'", '%27')}`);
      await agent.text('browser_snapshot');

      expect(await agent.text('browser_click', { target: 'button' })).toMatch(
        /menu:[^]*menuitem "Cut"\][^]*menuitemcheckbox "Wrap" unchecked\]/,
      );
    });

    test('holds what it presses until a page that keeps the press to itself can hear its end', { tags: 'whole' }, async ({ stage }) => {
      const page = `<!doctype html><button id="drawn">Drawn</button> <button id="next">Soon</button><p id="out"></p><script>
        const hear = (said) => document.addEventListener("mouseup", () => { out.textContent = said; }, { once: true });
        drawn.onmousedown = (event) => { event.preventDefault(); requestAnimationFrame(() => setTimeout(() => hear("Let go."))); };
        next.onmousedown = () => queueMicrotask(() => hear("Let go soon."));
      </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page).replaceAll("'", '%27')}`);

      expect(await agent.text('browser_click', { target: '#next' })).toContain('Let go soon.');
      expect(await agent.text('browser_click', { target: '#drawn' })).toContain('Let go.');
    });

    test(
      'tells of the head of a column by which one it is sorted since, when the words in it were pressed',
      {
        tags: 'whole',
      },
      async ({ stage }) => {
        const page = `<!doctype html><table><thead><tr><th aria-sort="none"><span>Age</span></th></tr></thead><tr><td>7</td></tr></table><script>
        document.querySelector("th").onclick = ({ currentTarget }) => currentTarget.setAttribute("aria-sort", "ascending");
      </script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(page).replaceAll("'", '%27')}`);
        await agent.text('browser_snapshot');

        expect(await agent.text('browser_click', { target: 'text=Age' })).toMatch(/now:\n.*columnheader sorted ascending\] Age/);
      },
    );

    test('presses twice what is drawn anew when it is pressed once', { tags: 'whole' }, async ({ stage }) => {
      const page = `<!doctype html><ul><li>report.txt</li></ul><p id="out"></p><script>
        const draw = () => {
          document.querySelector("ul").innerHTML = "<li>report.txt</li>";
          const row = document.querySelector("li");
          row.onclick = draw;
          row.ondblclick = () => (out.textContent = "Opened.");
        };
        draw();
      </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page).replaceAll("'", '%27')}`);

      expect(await agent.text('browser_click', { target: 'li', doubleClick: true })).toContain('Opened.');
    });

    test('finds words in a large page, also where a style draws one of them', { tags: 'whole' }, async ({ stage }) => {
      const page = `<!doctype html><style>#sum::after { content: " EUR" }</style><p id="rows"></p><a id="sum" href="#sum">Total sum</a><script>
        rows.innerHTML = Array.from({ length: 6000 }, (_, at) => "<a href=#n" + at + ">Row number " + at + "</a> ").join("");
      </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page).replaceAll("'", '%27')}`);

      expect(await agent.text('browser_click', { target: 'text=Row number 5999' })).toContain('#n5999');
      expect(await agent.text('browser_click', { target: 'text=Total sum EUR' })).toContain('#sum');
    });

    test('clicks by ref and by selector, and says what changed instead of sending the page', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      const receipt = await agent.text('browser_click', { target: '#card' });

      expect(receipt).toContain('The page changed in 1 place.');
      expect(receipt).toContain('status = "Premium chosen (trusted false)"');
      expect(receipt.length).toBeLessThan(500);
      expect(await agent.text('browser_click', { target: await agent.ref(/checkbox "Tips/) })).toContain('checked]');
    });

    test('reaches into frames of any origin and into shadow roots, open and closed', async ({ stage }) => {
      const frames = await open(stage, 'frames.html');
      for (const target of await refsInFrames(frames, 'button "(?:Press me|Inline button)"', 3))
        await frames.text('browser_click', { target });
      const after = await frames.text('browser_snapshot');
      for (const pressed of ['Pressed in ?same', 'Pressed in ?other', 'Inline pressed']) expect(after).toContain(pressed);

      const shadow = await open(stage, 'shadow.html');
      expect(await shadow.text('browser_click', { target: await shadow.ref(/Open button/) })).toContain('Open pressed');
      await shadow.text('browser_click', { target: await shadow.ref(/Closed button/) });
      expect(await shadow.text('browser_snapshot')).toContain('Closed pressed');
      const html = '<button>All of it</button>';
      await shadow.text('browser_evaluate', {
        function: `document.querySelector('h1').attachShadow({ mode: 'closed' }).innerHTML = '${html}'`,
      });
      expect(await shadow.text('browser_click', { target: 'text=All of it' })).toContain('button "All of it"');
    });

    test('presses what says its words in a slot, by its ref and by its words', async ({ stage }) => {
      const page = `<made-button>Save</made-button> <made-row><made-label>Open the row</made-label></made-row><p id="said"></p>
        <script>
          const make = (name, inner) => customElements.define(name, class extends HTMLElement {
            connectedCallback() {
              this.attachShadow({ mode: "open" }).innerHTML = inner;
              if (name !== "made-label") this.onclick = () => { said.textContent += name + ". "; };
            }
          });
          make("made-button", "<button style=padding:0><slot style=display:inline-block></slot></button>");
          make("made-row", "<button style=padding:0><slot></slot></button>");
          make("made-label", "<slot></slot>");
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      await agent.text('browser_click', { target: await agent.ref(/button "Save"/) });
      await agent.text('browser_click', { target: 'text=Save' });
      await agent.text('browser_click', { target: 'text=Open the row' });
      expect(await agent.text('browser_snapshot')).toContain('made-button. made-button. made-row.');
    });

    test('runs the script that is the address of a link or a form, once, and leaves what the page has stopped', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const html = `<a id="post" href="javascript:add('posted')"><b>Post</b></a> <a id="stopped" href="javascript:add('not stopped')">Stopped</a>
      <form action="javascript:add('searched')"><input id="words"><button>Search</button></form>
      <div id="host"></div><a id="text" href="javascript:'<p>Another page</p>'">Text</a>
      <button id="own">By the page</button><svg><a href=" JavaScript:add('drawn')"><text y="20">Drawn</text></a></svg><p id="told"></p>`;
      const script = `globalThis.add = (word) => { told.textContent += word + '. ' };
      stopped.onclick = (event) => event.preventDefault();
      own.onclick = () => post.click();
      host.attachShadow({ mode: 'closed' }).innerHTML = '<form action="javascript:add(&quot;sent&quot;)"><input required><button>Send</button></form>'`;
      await agent.text('browser_evaluate', { function: `() => { document.body.innerHTML = \`${html}\`; ${script} }` });

      expect(await agent.text('browser_click', { target: 'text=Post' })).toContain('\nposted.\n');
      await agent.text('browser_click', { target: 'text=Stopped' });
      await agent.text('browser_click', { target: 'text=Drawn' });
      await agent.text('browser_click', { target: 'text=Search' });
      await agent.text('browser_type', { target: '#words', text: 'x', submit: true });
      await agent.text('browser_click', { target: 'text=By the page' });

      // In a shadow tree, whose events stay in it.
      expect(await agent.text('browser_click', { target: 'text=Send' })).toContain('1 field is not valid');
      await agent.text('browser_type', { target: await agent.ref(/textbox required/), text: 'x', submit: true });

      expect(await agent.text('browser_read', { target: '#told' })).toContain('posted. drawn. searched. searched. posted. sent.\n');
      expect(await agent.text('browser_click', { target: 'text=Text' })).toContain('other content in the place of all it had');
      expect(await agent.text('browser_snapshot')).toContain('\nAnother page\n');
    });

    test('is not held up by a page that is on its way and does not come', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      await stage.pageAt('form.html').evaluate(() => {
        document.body.innerHTML = `<button onclick="this.textContent = 'Pressed'">Press</button>`;
        location.href = '/held?next';
      });
      const startedAt = performance.now();

      expect(await agent.text('browser_click', { target: 'text=Press' })).toContain('button "Pressed"');
      expect(performance.now() - startedAt).toBeLessThan(3_000 + SLACK_MS);
    });

    test('tells what has come in the place of what was pressed', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const html = `<button onclick="fetch('/late-data?ms=150').then(() => { list.innerHTML = '<button>Next</button>' })">Load</button>`;
      await agent.text('browser_evaluate', { function: `() => { document.body.innerHTML = \`<div id="list">${html}</div>\` }` });

      expect(await agent.text('browser_click', { target: 'text=Load' })).toMatch(/now:\n\[e\d+ button "Next"\]\n/);
    });

    test('names what a target means in frames, where nothing of the page itself fits', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'frames.html');
      await refsInFrames(agent, 'button "Press me"', 2);

      const error = await agent.error('browser_click', { target: 'text=Inline button' });

      expect(error).toContain('matches only in frames of the page');
      const [, ref] = /\[(f\d+e\d+) button "Inline button"\]/.exec(error) ?? [];
      expect(await agent.text('browser_click', { target: ref })).toContain('Inline pressed');
      expect(await agent.error('browser_click', { target: 'text=Press me' })).toMatch(/(?:\[f\d+e\d+ button "Press me"\](?:, )?){2}/);
      expect(await agent.error('browser_click', { target: 'iframe >> text=Press me' })).toContain('button "Press me"]');
      expect(await agent.error('browser_click', { target: 'text=Nowhere' })).toContain('Nothing matches');
    });

    test('finds what is shown by its words and by its role', async ({ stage }) => {
      const agent = await open(stage, 'seen.html');

      await agent.text('browser_click', { target: 'text=Drawn words' });
      expect(await agent.text('browser_click', { target: 'role=button[name="Dark button"]' })).toContain('button "Dark button"');
      expect(await agent.text('browser_click', { target: await agent.ref(/circle green/) })).toContain('The page changed');
      expect(await agent.text('browser_snapshot')).toContain('Circle clicked');
      expect(await agent.error('browser_click', { target: 'text=Not there' })).toContain('Nothing matches');
      const secret = await open(stage, 'form.html');
      expect(await secret.error('browser_click', { target: 'text=hunter2' })).toContain('Nothing matches');
      expect(await secret.error('browser_click', { target: ':text-matches("hunt.r2")' })).toContain('Nothing matches');
      expect(await secret.error('browser_click', { target: 'form:has-text("hunter2")' })).toContain('Nothing matches');
    });

    test(
      'takes words for whole words or the beginning of one, and tells which of several is chosen and what is written on it',
      { tags: 'whole' },
      async ({ stage }) => {
        const size = (name: string, mark: string): string => `<button class="size ${mark}">${name}</button>`;
        const page = `<a href="#main">Main</a> <button>Sign in here</button> <a href="#settings">Settings</a> ${size('S', 'size--selected')}${size('L', '')}
        <button aria-label="Choose a month">Nov</button><button aria-label="Close">x</button><p id="said"></p><script>
          onclick = ({ target }) => {
            if (target.classList.contains("size")) for (const each of document.querySelectorAll(".size")) each.classList.toggle("size--selected", each === target);
            else said.textContent = target.textContent;
          };
        </script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

        expect(await agent.text('browser_snapshot')).toMatch(
          /button "S" \.selected\] \[e\d+ button "L"\] \[e\d+ button "Choose a month" shows "Nov"\] ?\[e\d+ button "Close"\]/,
        );
        expect(await agent.text('browser_click', { target: 'text=in' })).toContain('"Sign in here"');
        expect(await agent.text('browser_click', { target: 'text=set' })).toContain('"Settings"');
        expect(await agent.error('browser_click', { target: 'text=ain' })).toContain('Nothing matches');
        expect(await agent.text('browser_click', { target: 'text=L' })).toMatch(/button "L" \.selected\]/);
      },
    );

    test('takes targets as they are written for Playwright', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'seen.html');
      await stage.pageAt('seen.html').evaluate(() => {
        const row = (name: string) => `<tr><td>${name}</td><td><button onclick="out2.value = '${name}'">Edit</button></td></tr>`;
        document.body.innerHTML = `<output id="out2"></output><table>${['Ada', 'Bob', 'Cy'].map(row).join('')}</table>
        <label>Full name <input onfocus="out2.value = 'name'"></label><input placeholder="Search the shop" onfocus="out2.value = 'search'">
        <input type="submit" value="Send it" onclick="out2.value = 'sent'"><button hidden>Edit</button>
        <p>Admin</p><div style="cursor: pointer" onclick="out2.value = 'chosen'">Admin</div>
        <div tabindex="0"><p>To all</p><div contenteditable aria-label="Message body" onfocus="out2.value = 'written'">Hello</div></div>`;
      });

      for (const [target, pressed] of [
        ['tr:has-text("Bob") button', 'Bob'],
        ['tr:has-text("Cy") >> text=Edit', 'Cy'],
        ['role=button[name=/^ed.t$/i] >> nth=0', 'Ada'],
        ["page.getByRole('button', { name: 'Edit' }).last()", 'Cy'],
        ["page.locator('tr').filter({ hasText: 'Ada' }).getByText('Edit').click()", 'Ada'],
        ['td:text-is("Bob") + td > button:visible', 'Bob'],
        ['//tr[2]//button', 'Bob'],
        ['(//button[text()="Edit"])[3]', 'Cy'],
        [`//td[.='Bob']/ancestor::tr[1]//button`, 'Bob'],
        [`//td[text()='Cy']/following-sibling::td[1]/button`, 'Cy'],
        [`//td[text()='Bob']/../td/button[not(@disabled)]`, 'Bob'],
        ["page.getByRole('row', { name: 'Bob' }).getByRole('button')", 'Bob'],
        ["getByLabel('Full')", 'name'],
        ['get_by_placeholder("search")', 'search'],
        ['text=/send/i', 'sent'],
        ['text=Admin', 'chosen'],
        ['text=Message body', 'written'],
      ] as const) {
        await agent.text('browser_click', { target });

        expect(await stage.pageAt('seen.html').locator('#out2').textContent(), target).toBe(pressed);
      }
      expect(await agent.error('browser_click', { target: 'text=Edit' })).toContain('matches 3 elements');
      expect(await agent.error('browser_click', { target: 'button >> nth=9' })).toContain('Nothing matches');
      expect(await agent.error('browser_click', { target: 'text=/(a/' })).toContain('The pattern in "target" cannot be used');
      expect(await agent.error('browser_click', { target: "page.frameLocator('#f').getByText('Go')" })).toContain('Nothing matches');
      expect(await agent.error('browser_click', { target: '//tr[td="Bob"]//button' })).toContain('This XPath says more than is read here');
    });

    test('does not say that nothing has changed where a frame in the page has', { tags: 'whole' }, async ({ stage }) => {
      const page = `<button>Write</button> <button>Rest</button><iframe srcdoc="<p>Old words</p>"></iframe>
        <script>document.querySelector('button').onclick = () => { frames[0].document.querySelector('p').textContent = 'New words'; };</script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(`<!doctype html>${page}`).replaceAll("'", '%27')}`);
      await until(async () => (await agent.text('browser_snapshot')).includes('Old words'));

      const wrote = await agent.text('browser_click', { target: 'text=Write' });
      const rested = await agent.text('browser_click', { target: 'text=Rest' });

      expect(wrote).toContain('Clicked. The page itself did not change, but 1 frame in it did: browser_snapshot shows it.');
      expect(rested).toContain('Clicked. Nothing else changed on the page.');
    });

    test(
      'tells what fields hold that the page has filled, and does not say of a canvas that nothing has changed',
      { tags: 'whole' },
      async ({ stage }) => {
        const agent = await open(stage, 'seen.html');
        await stage.pageAt('seen.html').evaluate(() => {
          const fill = "one.stepUp(); two.value = 'made'; three.checked = true; secret.value = 'hunter2'; gone.value = 'unseen'";
          document.body.innerHTML = `<button onclick="${fill}">Fill</button><input id="one" type="number" value="2"><input id="two" aria-label="Two">
        <input id="three" type="checkbox"><input id="secret" type="password"><input id="gone" hidden><label><input type="radio" name="r"> Ay</label>
        <label><input type="radio" name="r" checked> Bee</label><canvas id="drawn"></canvas><div contenteditable><p>Written words</p></div>`;
        });

        const filled = await agent.text('browser_click', { target: 'text=Fill' });
        for (const told of ['spinbutton = "3"', 'textbox "Two" = "made"', 'checkbox checked', '•••']) expect(filled).toContain(told);
        for (const kept of ['Nothing else changed', 'hunter2', 'unseen']) expect(filled).not.toContain(kept);
        const chosen = await agent.text('browser_click', { target: 'text=Ay' });
        expect(chosen).toContain('radio "Ay" checked');
        expect(chosen).not.toContain('changed:');
        expect(await agent.text('browser_click', { target: '#drawn' })).toContain('only browser_take_screenshot tells');
        // A part of an editor has no value of its own.
        expect(await agent.text('browser_click', { target: 'text=Written words' })).not.toContain('value:');
      },
    );

    test('presses a place of the last picture, scrolled or not', async ({ stage }) => {
      const agent = await open(stage, 'seen.html');
      const page = stage.pageAt('seen.html');
      expect(await agent.error('browser_click', { x: 1, y: 1 })).toContain('use browser_take_screenshot first');
      await page.evaluate(() => {
        document.body.style.paddingTop = '500px';
        scrollTo(0, 300);
      });
      await agent.call('browser_take_screenshot');
      const [left, top, scale] = await page.evaluate(() => {
        const box = document.querySelector('canvas')?.getBoundingClientRect();
        const pixels = innerWidth * innerHeight * devicePixelRatio ** 2;
        return [
          box?.left ?? 0,
          box?.top ?? 0,
          devicePixelRatio * Math.min(1, Math.sqrt(1_150_000 / pixels), 1_568 / (innerWidth * devicePixelRatio)),
        ];
      });
      await page.evaluate(() => scrollTo(0, 0));

      await agent.text('browser_click', { x: (left + 20) * scale, y: (top + 10) * scale });

      const [x, y] = (await page.textContent('#out'))?.split(',').map(Number) ?? [];
      expect(Math.abs((x ?? 0) - 20)).toBeLessThan(2);
      expect(Math.abs((y ?? 0) - 10)).toBeLessThan(2);
      expect(await agent.error('browser_click', {})).toContain('needs "target", or "x" and "y"');
    });

    test('presses a place of the last picture on a screen of two pixels to one of the page', async ({ skip }) => {
      skip(!isWhole, 'it needs a browser of its own: npm run test:whole');
      const stage = await startPlainStage(1, ['--force-device-scale-factor=2']);
      onTestFinished(() => stage.close());
      const agent = await open(stage, 'seen.html');
      agent.answerWith(() => 'session');
      const told = async (code: string): Promise<number[]> =>
        JSON.parse(/>\n(\[.*\])\n</.exec(await agent.text('browser_evaluate', { function: code }))?.[1] ?? '[]');
      const [left = 0, top = 0, width = 0, ratio] = await told(
        "[...Object.values(document.querySelector('canvas').getBoundingClientRect().toJSON()).slice(0, 2), innerWidth, devicePixelRatio]",
      );
      expect(ratio).toBe(2);

      const { content } = await agent.call('browser_take_screenshot', { type: 'png' });
      // Where a PNG says how wide it is.
      const drawn = Buffer.from(String(content.find(({ type }) => type === 'image')?.['data']), 'base64').readUInt32BE(16);
      const scale = drawn / width;
      await agent.text('browser_click', { x: (left + 20) * scale, y: (top + 10) * scale });

      expect(scale).toBeGreaterThan(1);
      const [x = 0, y = 0] = await told("document.querySelector('#out').textContent.split(',').map(Number)");
      expect(Math.abs(x - 20)).toBeLessThan(2);
      expect(Math.abs(y - 10)).toBeLessThan(2);
    });

    test('presses what a page draws anew when the pointer comes over it', async ({ stage }) => {
      const agent = await open(stage, 'seen.html');

      await agent.text('browser_click', { target: await agent.ref(/button "Redrawn"/) });

      expect(await stage.pageAt('seen.html').textContent('#out')).toBe('1');
    });

    test('waits for what the click set off: a request, a chain of timers, a navigation', async ({ stage }) => {
      const agent = await open(stage, 'settle.html');

      await agent.text('browser_click', { target: '#fetch' });
      expect(await agent.text('browser_snapshot')).toContain('Late data');
      await untilInTime(async () => {
        await agent.text('browser_reload');
        expect(await agent.text('browser_press_key', { key: 'x' })).toContain('Pressed x.');
        await agent.text('browser_click', { target: '#timers' });
        return (await agent.text('browser_snapshot')).includes('Step 5');
      });
      const receipt = await agent.text('browser_click', { target: '[href="/slow.html"]' });

      expect(receipt).toContain('A page was loaded (HTTP 200).');
      expect(receipt).toContain('title: Slow');
    });

    test('is done, once, where the server answers without a page, which leaves the page as it is', async ({ stage }) => {
      const page = `<form action="/no-content" onsubmit="out.append(1)"><button>Save</button></form><p id="out">Sent: </p>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      const receipt = await agent.text('browser_click', { target: 'button' });
      expect(receipt).toMatch(/^Clicked\. .*gave no page, so this one stays.*led to: \S+no-content.*now:\nSent: 1$/ms);
      expect(await agent.text('browser_snapshot')).toMatch(/^Sent: 1$/m);
    });

    test('says so when what was clicked is gone', async ({ stage }) => {
      const agent = await open(stage, `says?text=${encodeURIComponent('<button onclick="this.remove()">Dismiss</button>')}`);

      expect(await agent.text('browser_click', { target: 'button' })).toMatch(/^target: \[e1 button "Dismiss" gone\]$/m);
    });

    test('does not wait when there is nothing to wait for', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      await agent.text('browser_snapshot');
      const target = await agent.ref(/button "Close"/);
      await agent.text('browser_click', { target });

      // A peer waits 500 ms after each click. One comes that nothing else holds up.
      expect(await clicksWithin(agent, target, 400)).toBe(true);
    });

    test('does not wait for a document that a script has opened again and left open', async ({ stage }) => {
      const html =
        '<script>draw = () => { document.open(); document.write("<button onclick=draw()>Draw</button>"); }; onload = draw</script>';
      const load = new MachineLoad();
      const startedAt = performance.now();
      const agent = await open(stage, `says?text=${encodeURIComponent(html)}`);
      const clicked = await agent.text('browser_click', { target: 'button' });
      const tookMs = performance.now() - startedAt;

      expect(clicked).toMatch(/^Clicked\. The page has put other content in the place of all it had/);
      expect(await agent.text('browser_evaluate', { function: '() => document.readyState' })).toContain('loading');
      // A document that is on its way is waited for as long as this.
      if (load.isQuiet) expect(tookMs).toBeLessThan(4_000);
    });

    test('tells of what was pressed for real, also where its words fit to something else by then', async ({ stage }) => {
      const html = '<button onclick="this.textContent = `Done`">Save</button><button>Save all</button>';
      const agent = await open(stage, `says?text=${encodeURIComponent(html)}`);

      expect(await agent.text('browser_click', { target: 'text=Save', trusted: true })).toMatch(/target: \[e\d+ button "Done"\]/);
    });

    test('puts the focus where a press puts it, also where no Tab leads to', async ({ stage }) => {
      const agent = await open(
        stage,
        `says?text=${encodeURIComponent(`<input id="field" autofocus><div role="dialog" tabindex="-1" onkeydown="out.value = event.key"><p>Words</p></div>
          <div contenteditable role="textbox"><p>Draft</p></div><x-field>Host</x-field><p>Plain</p><output id="out"></output><script>
            document.querySelector("x-field").attachShadow({ mode: "open", delegatesFocus: true }).innerHTML = "<b>Inner</b><button>Part</button>";
            const focused = () => document.activeElement.shadowRoot?.activeElement ?? document.activeElement;
            addEventListener("click", () => { out.value = focused().localName + " " + (focused().getAttribute("role") ?? ""); });
          </script>`)}`,
      );

      const focuses = async (words: string): Promise<string | undefined> =>
        /status = "(.*?) *"/.exec(await agent.text('browser_click', { target: `text=${words}` }))?.[1];
      expect(await focuses('Words')).toBe('div dialog');
      expect(await agent.text('browser_press_key', { key: 'Escape' })).toContain('status = "Escape"');
      expect(await focuses('Draft')).toBe('div textbox');
      expect(await focuses('Inner')).toBe('button');
      expect(await focuses('Plain')).toBe('body');
    });

    test('tells of a dialog, a message, a new title and a moved focus', async ({ stage }) => {
      const agent = await open(stage, 'settle.html');

      expect(await agent.text('browser_click', { target: '#dialog' })).toMatch(
        /appeared: \[e\d+ dialog\]\nfocus: \[e\d+ button "Yes"\]\nnow:\n[^]*Really\?/,
      );
      await agent.text('browser_click', { target: '#yes' });
      const moved = await agent.text('browser_click', { target: '#route' });

      expect(moved).toContain('The address changed.');
      expect(moved).toContain('/route/7');
      expect(moved).toContain('title: Route 7');
    });

    test(
      'shows what has gone, what looks or is another thing now, and what was said for a moment',
      { tags: 'whole' },
      async ({ stage }) => {
        const button = (id: string, code: string): string => `<button id=${id} onclick="${code}">${id}</button>`;
        const html = `<style>.weak::before { content: 'Weak' } #count::after { content: attr(data-count) } .panel { display: none }
        #mark[data-on] + .panel, #kept:checked ~ .panel { display: block } .box { width: 40px; height: 40px; background: red }</style>
      <ul id=list><li>Milk</li><li>Bread</li><li>Tea</li></ul> ${button('remove', 'list.children[0].remove()')}
      ${button('draw', "list.innerHTML = '<li>Tea</li>'")} ${button('write', "list.children[0].textContent = 'Coffee'")}
      <ul id=many>${Array.from({ length: 9 }, (_, index) => `<li>Item ${index}</li>`).join('')}</ul>
      ${button('filter', "for (const item of many.children) item.style.display = /[07]/.test(item.textContent) ? '' : 'none'")}
      ${button('move', 'many.append(many.children[0])')}
      <dialog open id=asks>Sure?<button>Yes</button></dialog> ${button('close', 'asks.close()')}
      <p role=status id=said></p> ${button('flash', "said.textContent = 'Saved'; setTimeout(() => (said.textContent = ''), 150)")}
      <input id=field aria-label=Name value=Ann> ${button('lock', 'field.readOnly = true')}
      <p id=word></p> ${button('check', "word.className = 'weak'")} <p id=count data-count=1></p> ${button('add', 'count.dataset.count = 2')}
      <table><tr><th id=column>Name</th><th>Age</th></tr><tr><td>Ann</td><td>3</td></tr></table>
      ${button('sort', "column.setAttribute('aria-sort', 'descending')")}
      <div class=box></div><div class=box id=box></div> ${button('paint', "box.style.background = 'blue'")}
      <i id=mark></i><p class=panel>Beside it</p> ${button('show', 'mark.dataset.on = 1')}
      <div><input type=checkbox id=kept aria-label=Kept><p class=panel>Below it</p></div> ${button('tick', 'kept.checked = true')}
      <p role=status id=undo></p> ${button('drop', "undo.innerHTML = 'Dropped. <button>Undo</button>'")}
      <nav id=ways><a href=#1 class=active>One</a> <a href=#2>Two</a></nav> ${button('turn', "for (const way of ways.children) way.classList.toggle('active')")}
      <p>Nothing</p> ${button('none', '0')}`;
        const agent = await open(stage, `says?text=${encodeURIComponent(html).replaceAll("'", '%27')}`);
        await agent.text('browser_snapshot');

        for (const [id, told] of Object.entries({
          remove: /\ngone: "Milk"\n<\//,
          draw: /\ngone: "Bread"\nnow:\n- Tea\n/,
          write: /now:\n- Coffee\n<\//,
          filter: /gone: "Item 1", "Item 2", "Item 3" and 4 more\n/,
          move: /now:\n- Item 7\n- Item 0\n/,
          close: /gone: "Sure\?"/,
          flash: /said: "Saved"/,
          lock: /now:\n\[e\d+ textbox "Name" readonly = "Ann"\]\n/,
          check: /now:\nWeak\n/,
          add: /now:\n2\n/,
          sort: /now:\n\[e\d+ columnheader sorted descending\] Name \| Age\n/,
          paint: /now:\n\[e\d+ box #box blue 40×40@\d+,\d+\]\n/,
          show: /now:\nBeside it\n/,
          drop: /\nappeared: \[e\d+ status\]\nnow:\nDropped\. \[e\d+ button "Undo"\]\n/,
          turn: /now:\n\[e\d+ link "Two" \.active\]\n<\//,
          tick: /changed: \[e\d+ checkbox "Kept" checked\]\nnow:\nBelow it\n/,
          none: /^Clicked\. Nothing else changed on the page\.\n<.*\ntarget: .*\n<\//,
        }))
          expect(await agent.text('browser_click', { target: `#${id}` }), id).toMatch(told);
      },
    );

    test(
      'tells a dialog once, and nothing of what only leads the focus or shows that it was pressed',
      { tags: 'whole' },
      async ({ stage }) => {
        const html = `<button id=ask>Ask</button> <button id=other>Other<span></span></button>
        <script>
          const ripple = () => { other.lastChild.innerHTML = '<i></i>'; };
          ask.onclick = () => {
            ripple();
            document.body.insertAdjacentHTML('beforeend', '<div id=layer><div tabindex=0></div><div tabindex=-1><div role=dialog aria-label=Sure>All is lost. <button onclick="layer.remove(); other.focus(); ripple()">Yes</button></div></div><div tabindex=0></div></div>');
            document.querySelector('[tabindex="-1"]').focus();
          };
        </script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(html).replaceAll("'", '%27')}`);
        await agent.text('browser_snapshot');

        expect(await agent.text('browser_click', { target: 'Ask' })).toMatch(
          /appeared: \[(e\d+) dialog "Sure"\]\nnow:\n\[\1 dialog "Sure"\]: All is lost\. \[e\d+ button "Yes"\]\n<\//,
        );
        expect(await agent.text('browser_snapshot')).not.toContain('clickable');
        expect(await agent.text('browser_click', { target: 'Yes' })).toMatch(/focus: \[e\d+ button "Other"\]\ngone: "All is lost\."\n<\//);
      },
    );

    test('tells which of several rows or items its ground alone shows as chosen', { tags: 'whole' }, async ({ stage }) => {
      const row = (name: string): string => `<tr onclick="choose(this)"><td>${name}</td><td>3</td></tr>`;
      const html = `<style>.lines tr:nth-child(even) { background: #eee } .x1a td { background: gold }</style>
        <table><tr style="background: #ddd"><th>Name<th>Age</tr>${['Ann', 'Bob', 'Cyd'].map(row).join('')}</table>
        <table class=lines>${['Dan', 'Eve', 'Flo', 'Gus', 'Kay'].map(row).join('').replaceAll('choose(this)', "className = 'x1a'")}</table>
        <table class=lines>${['Hal', 'Ida', 'Jon'].map(row).join('')}</table>
        <ul>${['Red', 'Green', 'Blue'].map((name) => `<li onclick="choose(this)">${name}</li>`).join('')}</ul>
        <script>const choose = (one) => { for (const other of one.parentNode.children) other.style.background = other === one ? 'gold' : ''; };</script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(html).replaceAll("'", '%27')}`);
      expect(await agent.text('browser_snapshot')).not.toContain('highlighted');

      for (const [name, told] of Object.entries({
        Cyd: /now:\n\[e\d+ row highlighted\] Cyd \| 3\n/,
        Kay: /now:\n\[e\d+ row highlighted\] Kay \| 3\n/,
        Red: /target: \[e\d+ listitem "Red" highlighted\]\n/,
      }))
        expect(await agent.text('browser_click', { target: name }), name).toMatch(told);
      expect((await agent.text('browser_snapshot')).match(/highlighted\] \w+/g)).toEqual([
        'highlighted] Cyd',
        'highlighted] Kay',
        'highlighted] Red',
      ]);
    });

    test('tells what opens and closes each time, by whatever the page hides it', { tags: 'whole' }, async ({ stage }) => {
      const menu = (name: string, attributes = ''): string => `<div ${attributes}>Menu of ${name} <button>In ${name}</button></div>`;
      const html = `<style>.around:not(.open) > div, .own:not(.open), #box:not(:checked) ~ div, [aria-expanded=false] + div { display: none }
        .flat { max-height: 0; overflow: hidden } .flat.open { max-height: 200px }
        .beside { position: fixed; left: 0; bottom: 0; transform: translateX(-110%) } .beside.open { transform: none }</style>
        <div class=around><button onclick="parentNode.classList.toggle('open')">Around</button>${menu('Around')}</div>
        <button onclick="nextElementSibling.classList.toggle('open')">Own</button>${menu('Own', 'class=own')}
        <button onclick="nextElementSibling.classList.toggle('open')">Flat</button>${menu('Flat', 'class=flat')}
        <button onclick="nextElementSibling.classList.toggle('open')">Beside</button>${menu('Beside', 'class=beside')}
        <button popovertarget=over>Over</button>${menu('Over', 'popover id=over')}
        <p><input type=checkbox id=box><label for=box>Checked</label>${menu('Checked').replaceAll('div', 'span')}</p>
        <style>#box:not(:checked) ~ span { display: none }</style>
        <div><button aria-expanded=false onclick="ariaExpanded = ariaExpanded === 'false'">Said</button>${menu('Said')}</div>
        <details><summary>Details</summary>Menu of Details <button>In Details</button></details>
        <button onclick="added.firstChild === null ? added.append(menu.content.cloneNode(true)) : added.replaceChildren()">Added</button>
        <div id=added></div><template id=menu>${menu('Added')}</template>
        <div class=around><button onclick="parentNode.classList.toggle('open')">Bare</button><div><button>Copy Bare</button> <button>Cut Bare</button></div></div>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(html).replaceAll("'", '%27')}`);
      await agent.text('browser_snapshot');

      for (const name of ['Around', 'Own', 'Flat', 'Beside', 'Over', 'Checked', 'Said', 'Details', 'Added', 'Bare'])
        for (const time of ['first', 'second']) {
          const [opened, closed] = [
            await agent.text('browser_click', { target: name }),
            await agent.text('browser_click', { target: name }),
          ];
          const [words, gone] =
            name === 'Bare' ? [String.raw`\[e\d+ button "Copy Bare"\]`, 'Copy Bare Cut Bare'] : [`Menu of ${name} `, `Menu of ${name}`];
          expect(opened, `${name} ${time}`).toMatch(new RegExp(`\nnow:\n[^]*${words}[^]*\\[e\\d+ button "\\w+ ${name}"\\]\n</`));
          expect(closed, `${name} ${time}`).toMatch(new RegExp(`\ngone: "${gone}"\n</`));
          expect(opened + closed).not.toContain('Nothing else changed');
        }
    });

    test('tells what a row or an item says besides the button in it that was pressed', { tags: 'whole' }, async ({ stage }) => {
      const html = `<table>
        <tr><td>One <button id=do>Do</button></td><td id=state>pending</td><td><button id=start>Start</button></td></tr>
        <tr><td><i>Review</i></td><td><button id=move>Move</button></td><td></td></tr></table>
        <ul><li>First <button id=finish>Finish</button> <span>open</span></li></ul>
        <script>
          document.querySelector('#do').onclick = ({ target }) => { target.previousSibling.data = 'Done '; };
          document.querySelector('#finish').onclick = ({ target }) => { target.previousSibling.data = 'Finished '; };
          start.onclick = () => { state.textContent = 'busy'; };
          move.onclick = ({ target }) => { document.querySelector('i').remove(); target.closest('tr').lastChild.innerHTML = '<i>Review</i>'; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(html).replaceAll("'", '%27')}`);
      await agent.text('browser_snapshot');

      for (const [id, told] of Object.entries({
        do: /now:\nDone \[e\d+ button "Do"\]\n<\//,
        start: /now:\nbusy\n<\//,
        move: /target: .*\nnow:\nReview\n<\//,
        finish: /now:\n- Finished \[e\d+ button "Finish"\] open\n<\//,
      }))
        expect(await agent.text('browser_click', { target: `#${id}` }), id).toMatch(told);
    });

    test('tells of a list that is drawn anew what is other in it', { tags: 'whole' }, async ({ stage }) => {
      const html = `<p id=count>none</p><div id=list></div><button id=drop>Drop</button><button id=pick>Pick</button><button id=edit>Edit</button><button id=turn>Turn</button>
        <script>
          let files = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'], picked = '';
          const row = (name) => '<div' + (name === picked ? ' class=sel' : '') + '><b>' + name + '</b><i>1 KB</i></div>';
          const draw = () => { list.innerHTML = files.map(row).join(''); count.textContent = files.length + ' files ' + picked; };
          drop.onclick = () => { files = files.filter((name) => name !== 'd.txt'); draw(); };
          pick.onclick = () => { picked = 'b.txt'; draw(); };
          edit.onclick = () => { draw(); list.children[2].firstChild.innerHTML = '<input value=c.txt aria-label=Name>'; };
          turn.onclick = () => { files.reverse(); draw(); };
          draw();
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(html).replaceAll("'", '%27')}`);
      await agent.text('browser_snapshot');

      for (const [id, told] of Object.entries({
        drop: /target: .*\ngone: "d\.txt 1 KB"\nnow:\n4 files\n<\//,
        pick: /target: .*\nnow:\n4 files b\.txt\nb\.txt ?\n?1 KB \(\.sel\)\n<\//,
        edit: /target: .*\nnow:\n\[e\d+ textbox "Name" = "c\.txt"\]\s1 KB\n<\//,
        turn: /now:\ne\.txt\s?1 KB\nc\.txt\s?1 KB\nb\.txt\s?1 KB \(\.sel\)\na\.txt\s?1 KB\n<\//,
      }))
        expect(await agent.text('browser_click', { target: `#${id}` }), id).toMatch(told);
      // No element is called a with the class txt; nor is the other one CSS at all.
      expect(await agent.text('browser_click', { target: 'a.txt' })).toContain('target: [e');
      await agent.text('browser_evaluate', { function: "() => { list.children[0].firstChild.textContent = 'e (1).txt'; }" });
      expect(await agent.text('browser_click', { target: 'e (1).txt' })).toContain('"e (1).txt"');
    });

    test('finds what it has pressed in a list that is drawn anew with what is around it', { tags: 'whole' }, async ({ stage }) => {
      const html = `<div id=app></div><ol id=steps><li>Cart<li>Pay</ol><script>
          const mails = Array.from({ length: 9 }, (_, at) => ({ name: 'Mail ' + at, star: '☆', picked: false }));
          const row = ({ name, star, picked }, at) => '<tr class="' + (picked ? 'sel' : '') + '"><td><input type=checkbox aria-label=Pick ' + (picked ? 'checked' : '') + '><td><button data-at=' + at + '>' + star + '</button><td>' + (star === '★' ? 'liked' : 'new') + '<td class=name>' + name + '</tr>';
          const draw = () => { app.innerHTML = '<h2>Mails</h2><table>' + mails.map(row).join('') + '</table>'; };
          app.onclick = ({ target }) => {
            const at = target.closest('tr').rowIndex;
            if (target.matches('button')) mails[at].star = '★';
            else mails.forEach((mail, other) => { mail.picked = other === at; });
            if (target.matches('.name')) steps.children[1].setAttribute('aria-current', 'step');
            draw();
          };
          draw();
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(html).replaceAll("'", '%27')}`);
      await agent.text('browser_snapshot');

      expect(await agent.text('browser_click', { target: '[data-at="3"]' })).toMatch(
        /More has changed.*\n<.*\ntarget: \[e\d+ button "★"\]\nnow:\n.*\| Mail 3\n<\//,
      );
      expect(await agent.text('browser_click', { target: 'tr:nth-child(5) input' })).toMatch(
        /target: \[e\d+ checkbox "Pick" checked\]\nnow:\n\[e\d+ row \.sel\].*\| Mail 4\n<\//,
      );
      expect(await agent.text('browser_click', { target: 'Mail 7' })).toMatch(
        /target: \[e\d+ cell "Mail 7"\]\nnow:\n.*Mail 4\n.*\.sel.*Mail 7\n- Pay \(current\)\n<\//,
      );
      // What is put where the last one was is another one.
      await agent.text('browser_evaluate', {
        function:
          "() => { mails.forEach((mail) => { mail.star = 'Drop'; }); draw(); app.onclick = () => { mails[8] = { name: 'Mail 9', star: 'Drop' }; draw(); }; }",
      });
      expect(await agent.text('browser_click', { target: '[data-at="8"]' })).toMatch(/target: \[e\d+ button "Drop" gone\]/);
    });

    test('tells that what was pressed is gone though another one of its words is left', { tags: 'whole' }, async ({ stage }) => {
      const html = `<div id=cart></div><script>
          let all = ['Tea', 'Mug'];
          const draw = () => { cart.innerHTML = all.map((name) => '<p>' + name + ' <button>Remove</button></p>').join(''); };
          cart.onclick = ({ target }) => { all = all.filter((name) => !target.parentElement.textContent.startsWith(name)); draw(); };
          draw();
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(html).replaceAll("'", '%27')}`);
      await agent.text('browser_snapshot');

      expect(await agent.text('browser_click', { target: 'button >> nth=0' })).toMatch(/target: \[e\d+ button "Remove" gone\]\n/);
    });

    test('tells in few words what was pressed and what that has changed', { tags: 'whole' }, async ({ stage }) => {
      const html = `<style>.msg span { visibility: hidden } .msg:hover span { visibility: visible }</style>
        <div role=log id=log></div><p><b id=left>2</b> items left</p><button id=clear onclick="this.style.display = 'none'; left.textContent = 0">Clear done</button>
        <ul id=views><li><a href="#a" class=selected>All</a></li><li><a href="#b">Open</a></li></ul>
        <ul id=pages><li class=active><a href="#1" style="display: block">One</a></li><li><a href="#2" style="display: block">Two</a></li></ul><button title="Run this cell" onclick="left.textContent = 1">▶</button>
        <article>Some words <div id=menu><button onclick="menu.remove()">Mute</button></div></article><label>I agree <input type=checkbox></label>
        <output id=same>30</output> <i id=dark class=box style="cursor: pointer; display: inline-block; width: 30px; height: 20px; background: gray"></i><div id=bar style="position: fixed; top: -90px">0 changes</div>
        <script>
          dark.onclick = () => { dark.classList.toggle('on'); same.textContent = 30; bar.innerHTML = '1 change'; };
          log.innerHTML = Array.from({ length: 6 }, (_, at) => '<div class=msg>Message ' + at + ' of many words, so that this log is long <i></i> <span><button title="Add reaction" onclick="this.closest(\\'.msg\\').children[0].textContent = \\'👍 1\\'">👍</button></span></div>').join('');
          pages.onclick = ({ target }) => [...pages.children].forEach((page) => { page.className = page.contains(target) ? 'active' : ''; });
          views.onclick = ({ target }) => [...views.querySelectorAll('a')].forEach((link) => { link.className = link === target ? 'selected' : ''; });
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(html).replaceAll("'", '%27')}`);
      await agent.text('browser_snapshot');
      const click = (target: string): Promise<string> => agent.text('browser_click', { target });

      expect(await agent.text('browser_hover', { target: '.msg:nth-child(2)' })).toMatch(
        /target: .*\nappeared: \[e\d+ button "Add reaction 👍"\]\n<\//,
      );
      expect(await click('.msg:nth-child(2) button')).toMatch(/target: .*\nnow:\n👍 1\n<\//);
      expect(await click('#clear')).toMatch(/target: \[e\d+ button "Clear done"\]\nnow:\n0 items left\n<\//);
      expect(await click('Open')).toMatch(/target: \[e\d+ link "Open" \.selected\]/);
      expect(await click('Two')).toMatch(/target: \[e\d+ link "Two" \.active\]\nurl: .*\n(?:title: .*\n)?<\//);
      expect(await agent.text('browser_snapshot')).toMatch(/^(?![^]*\(\.active\))[^]*link "Two" \.active\]/);
      expect(await click('Run this cell')).toMatch(/target: \[e\d+ button "Run this cell ▶"\]\nnow:\n1 items left\n<\//);
      expect(await agent.text('browser_click', { target: 'Mute', trusted: true })).toMatch(/target: \[e\d+ button "Mute" gone\]/);
      expect(await click('I agree')).not.toContain('focus:');
      expect(await click('#dark')).toMatch(/target: \[e\d+ .*#dark.* \.on\]\n<\//);
      expect(await click('#dark')).toMatch(/target: \[e\d+ .*#dark.* not \.on\]\n<\//);
    });

    test('shows what has come and what says something else, with its refs and within a budget', async ({ stage }) => {
      const agent = await open(stage, 'changing.html');
      const click = (target: string): Promise<string> => agent.text('browser_click', { target });
      await agent.text('browser_snapshot');

      const listed = await click('#suggest');
      expect(listed).toMatch(/now:\n\[e\d+ listbox\]:\n \[e\d+ option "Brest"\]\n \[e\d+ option "Bremen"\]/);
      expect(await click(/\[(e\d+) option "Bremen"\]/.exec(listed)?.[1] ?? '')).toContain('Chosen Bremen');
      expect(await click('#route')).toMatch(/url: .*\/alpha\n.*\nnow:\nmain: # Alpha page/);
      expect(await click('#more')).toContain('now:\nHigh water 4.4 m');
      expect(await click('#menu')).toMatch(/now:\n.*\[e\d+ link "Export"\]/);
      expect(await click('#popover')).toMatch(/now:\n\[e\d+ button "Dark mode"\]/);
      expect(await click('#state')).toMatch(/title: Two\nnow:\n\[e\d+ tab "Two" selected\]/);
      const secret = await click('#copy');
      expect(secret).toContain('Your password is');
      expect(secret).not.toContain('correct-horse');
      const many = await click('#many');
      expect(many).toContain('More has changed than is told here: browser_snapshot shows it.');
      expect(many).toContain('Row 1');
      expect(many.length).toBeLessThan(1_500);
    });

    test('waits until the element is enabled, uncovered and at rest', async ({ stage }) => {
      const agent = await open(stage, 'settle.html');
      const page = stage.pageAt('settle.html');

      const late = agent.text('browser_click', { target: '#late' });
      await page.evaluate(() => setTimeout(() => (globalThis as unknown as { makeReady(): void }).makeReady(), 300));
      await late;
      expect(await agent.text('browser_snapshot')).toContain('Late clicked');

      await agent.text('browser_click', { target: '#cover-short' });
      await agent.text('browser_click', { target: '#move' });
      await agent.text('browser_click', { target: '#mover' });
      expect(await agent.text('browser_snapshot')).toContain('Mover clicked');
    });

    test('presses, drags and turns the wheel at a place of the picture in a frame of another site', async ({ stage }) => {
      const drawing = `<body style="margin: 0"><canvas width="200" height="100"></canvas><p id="said">none</p><script>
          const at = (event) => { said.append(event.type + " " + Math.round(event.offsetX) + "," + Math.round(event.offsetY) + ". "); };
          for (const type of ["click", "mousedown", "mouseup"]) document.querySelector("canvas").addEventListener(type, at);
          document.querySelector("canvas").addEventListener("wheel", (event) => { event.preventDefault(); at(event); });
        </script>`;
      const inner = `${stage.otherUrl}/says?text=${encodeURIComponent(drawing)}`;
      const page = `<body style="margin: 0"><iframe src="${inner}" style="margin: 20px 0 0 30px; width: 240px; height: 200px; border: 4px solid; padding: 1px; transform: scale(2); transform-origin: 0 0"></iframe>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      const target = await agent.ref(/^canvas/);
      await agent.text('browser_take_screenshot', { scale: 'css' });

      // The frame begins at 30,20 with an edge of 5, twice as large.
      expect(await agent.text('browser_click', { target, x: 140, y: 90 })).toContain('click 50,30.');
      const ends = { startTarget: target, startX: 60, startY: 50, endTarget: target, endX: 160, endY: 90 };
      expect(await agent.text('browser_drag', ends)).toContain('mousedown 10,10. mouseup 60,30.');
      expect(await agent.text('browser_scroll', { target, x: 100, y: 70, direction: 'up' })).toContain('wheel 30,20.');
      expect(await agent.error('browser_click', { target, x: 5, y: 5 })).toContain('is not in the frame of the target');
      expect(await agent.error('browser_click', { x: 140, y: 90 })).toContain('with "x" and "y" for a place in its frame');
    });

    test('presses a place of the picture in a frame that is turned in space', async ({ stage }) => {
      const inner = `<body style="margin: 0" onclick="said.textContent = [event.clientX, event.clientY]"><button>In it</button><p id="said">none</p><div style="height: 200px"></div>`;
      const style =
        'width: 200px; height: 160px; border: 4px solid; padding: 6px; margin: 60px 80px; transform: perspective(500px) rotateX(30deg) rotate(20deg)';
      const page = `<body style="margin: 0"><iframe src="${stage.otherUrl}/says?text=${encodeURIComponent(inner)}" style="${style}"></iframe>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      const target = await agent.ref(/^button "In it"/);
      await agent.text('browser_take_screenshot', { scale: 'css' });

      // The middle of the frame stays where it is.
      const said = await agent.text('browser_click', { target, x: 80 + 110, y: 60 + 90 });

      const [, x = 0, y = 0] = /\n(\d+),(\d+)\n/.exec(said)?.map(Number) ?? [];
      expect([Math.abs(x - 100) < 2, Math.abs(y - 80) < 2]).toEqual([true, true]);
    });

    test('presses what was pictured, where what sticks to the view lies over it since, or lay there then', async ({ stage }) => {
      const page = `<body style="margin: 0"><p style="margin: 0; height: 60px"></p>
        <div style="position: sticky; top: 0; height: 50px; background: silver"><button>Menu</button></div>
        <button style="position: absolute; left: 0; top: 210px">Send</button>
        <div style="height: 3000px"></div><p id="said" style="position: fixed; bottom: 0"></p><script>
          document.onclick = ({ target }) => { said.textContent = "Pressed " + target.textContent; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      await agent.text('browser_take_screenshot', { scale: 'css' });
      await agent.text('browser_scroll', { direction: 'down', amount: 190 });

      expect(await agent.text('browser_click', { x: 10, y: 220 })).toContain('Pressed Send');

      await agent.text('browser_scroll', { direction: 'down', amount: 200 });
      await agent.text('browser_take_screenshot', { scale: 'css' });
      await agent.text('browser_scroll', { direction: 'down', amount: 900 });
      expect(await agent.text('browser_click', { x: 10, y: 10 })).toContain('Pressed Menu');
    });

    test('presses what was pictured in a part that was scrolled since, and nothing where that does not come back', async ({ stage }) => {
      const page = `<!doctype html><body style="margin: 0"><div id="part" style="height: 250px; overflow: auto"><div id="rows"></div></div>
        <p id="said"></p><script>
          rows.style = "height: 30000px; position: relative";
          const draw = () => {
            const first = Math.floor(part.scrollTop / 30);
            const row = (at) => \`<div style="position: absolute; top: \${at * 30}px; width: 200px; height: 30px">Row \${at}</div>\`;
            rows.innerHTML = Array.from({ length: 10 }, (_, at) => row(first + at)).join("");
          };
          part.onscroll = () => requestAnimationFrame(draw);
          part.onclick = ({ target }) => { said.append(target.textContent + ", "); };
          draw();
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      const far = { target: '#part', direction: 'down', amount: 3000 };
      await agent.text('browser_take_screenshot', { scale: 'css' });
      await agent.text('browser_scroll', far);

      expect(await agent.text('browser_click', { x: 100, y: 100 })).toMatch(/\nRow 3, ?\n/);

      await agent.text('browser_scroll', far);
      await agent.text('browser_take_screenshot', { scale: 'css' });
      await agent.text('browser_evaluate', { function: '() => { part.scrollTop = 9000; }' });
      expect(await agent.text('browser_click', { x: 100, y: 100 })).toContain('Row 3, Row 103,');

      await agent.text('browser_evaluate', { function: '() => { rows.style.overflow = "hidden"; rows.style.height = "300px"; }' });
      expect(await agent.error('browser_click', { x: 100, y: 100 })).toContain('does not come back');
    });

    test('presses what is fixed in the view where it was pictured, also after the page was scrolled', async ({ stage }) => {
      const page = `<body style="margin: 0"><button style="position: fixed; left: 20px; top: 20px; width: 80px; height: 40px">Menu</button>
        <div style="height: 3000px"></div><p id="said" style="position: fixed; bottom: 0"></p><script>
          document.onclick = ({ target }) => { said.textContent = "Pressed " + target.localName; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      await agent.text('browser_take_screenshot', { scale: 'css' });
      await agent.text('browser_scroll', { direction: 'down', amount: 900 });

      expect(await agent.text('browser_click', { x: 60, y: 40 })).toContain('Pressed button');
    });

    test('presses the button by words in it that only readers hear, or that lie under its picture', async ({ stage }) => {
      const page = `<button id="play" style="position: relative; width: 60px; height: 40px"><i style="position: absolute; inset: 0; background: red"></i>
          <span style="position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0)">Play Video</span></button>
        <button id="mute" style="width: 60px; height: 40px"><svg width="20" height="20"><circle r="9"></circle></svg><span
          style="position: absolute; pointer-events: none; opacity: 0; transform: translate(0, -40px)">Mute</span></button><p id="said"></p><script>
          for (const each of document.querySelectorAll("button")) each.onclick = () => said.append("Pressed " + each.id + ". ");
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      await agent.text('browser_click', { target: 'text=Play Video' });
      expect(await agent.text('browser_click', { target: 'text=Mute' })).toContain('Pressed play. Pressed mute.');
    });

    test('presses a word of a drawing through the unpainted shape that takes the press for it, and through no other', async ({ stage }) => {
      const page = `<svg width="300" height="120"><text x="20" y="30">Milk</text><path d="M0 0h100v50h-100z" fill="transparent"></path>
          <text x="20" y="90">Tea</text><path d="M0 60h100v50h-100z" fill="teal"></path></svg><p id="said"></p><script>
          for (const each of document.querySelectorAll("path")) each.onclick = () => said.append("Pressed " + each.getAttribute("fill") + ". ");
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_click', { target: 'text=Milk' })).toContain('Pressed transparent.');
      expect(await agent.error('browser_click', { target: 'text=Tea' })).toContain('it is covered');
    });

    test('finds a button without text by its name, and presses nothing that is around it', async ({ stage }) => {
      const page = `<div id="map"><p>Map</p><a href="#" role="button" aria-label="Zoom in"><i>+</i></a>
        <button aria-label="Zoom out">-</button></div><p id="said"></p><script>
          map.onclick = ({ target }) => { said.textContent = target.closest("a") === null ? "Map pressed" : "Zoomed in"; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      const receipt = await agent.text('browser_click', { target: 'text=Zoom in' });

      expect(receipt).toContain('button "Zoom in"');
      expect(receipt).toContain('\nZoomed in\n');
    });

    test('plays and pauses what has buttons of the browser', async ({ stage }) => {
      const page = `<video controls muted width="300" height="100" aria-label="Tour"></video><audio controls></audio><video width="300" height="100"></video><p id="said"></p><script>
          const silence = new Uint8Array(44 + 40000).fill(128);
          const view = new DataView(silence.buffer);
          const write = (at, text) => [...text].forEach((sign, index) => view.setUint8(at + index, sign.charCodeAt(0)));
          write(0, "RIFF"); view.setUint32(4, 40036, true); write(8, "WAVEfmt "); view.setUint32(16, 16, true); view.setUint16(20, 1, true);
          view.setUint16(22, 1, true); view.setUint32(24, 8000, true); view.setUint32(28, 8000, true); view.setUint16(32, 1, true);
          view.setUint16(34, 8, true); write(36, "data"); view.setUint32(40, 40000, true);
          for (const player of document.querySelectorAll("[controls]")) {
            player.src = URL.createObjectURL(new Blob([silence], { type: "audio/wav" }));
            player.onloadedmetadata = () => said.append("loaded. ");
          }
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      await agent.text('browser_wait_for', { text: 'loaded. loaded.' });

      const video = await agent.ref(/^video "Tour" paused 0:00 of 0:05 muted$/);
      expect(await agent.text('browser_click', { target: video })).toContain('video "Tour" playing 0:00 of 0:05 muted]');
      expect(await agent.text('browser_click', { target: video })).toContain('video "Tour" paused ');
      expect(await agent.text('browser_click', { target: await agent.ref(/^audio paused 0:00 of 0:05$/) })).toContain('audio playing ');
      expect(await agent.text('browser_snapshot')).not.toMatch(/video\]/);
    });

    test('presses what never rests as it moves, by events and by real input', { tags: 'whole' }, async ({ stage }) => {
      const page = `<style>button { position: absolute; width: 40px } @keyframes way { to { left: 400px } }</style>
        <button style="top: 40px; animation: way 4s linear infinite alternate">Round</button>
        <button style="top: 80px; animation: way 60s linear">Far</button><button style="top: 120px" class="by">Script</button>
        <button style="top: 160px" class="by" id="trusted">Trusted</button><p id="said"></p><script>
          const move = (now) => {
            for (const each of document.querySelectorAll(".by")) each.style.left = 200 + 150 * Math.sin(now / 2000) + "px";
            requestAnimationFrame(move);
          };
          requestAnimationFrame(move);
          for (const each of document.querySelectorAll("button"))
            each.onclick = (event) => { if (event.isTrusted || each.id === "") said.textContent += each.textContent + ". "; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      for (const name of ['Round', 'Far', 'Script']) await agent.text('browser_click', { target: `text=${name}` });
      await agent.text('browser_click', { target: 'text=Trusted', trusted: true });

      expect(await agent.text('browser_snapshot')).toContain('Round. Far. Script. Trusted.');
    });

    test('tells what a class has opened also where the receipt is written anew, because a field holds something else by then', async ({
      stage,
    }) => {
      const page = `<style>ul { display: none } .open { display: block }</style><button>Menu</button><ul><li><a href="#one">Export</a></ul><input>
        <script>
          document.querySelector("button").onclick = () => {
            document.querySelector("ul").className = "open";
            setTimeout(() => { document.querySelector("input").value = "Later"; }, 50);
          };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_click', { target: 'button' })).toMatch(/= "Later"\]\nnow:\n.*\[e\d+ link "Export"\]/);
    });

    test('tells a text that a class has shown, in what was read before, and nothing that was shown all along', async ({ stage }) => {
      const page = `<style>.fold, .why { display: none } .open, .checked .why { display: block }</style>
        <div id="top"><button id="fold">Fold</button><p>Known words</p><div class="fold">Folded words</div></div>
        <form><p>More words</p><input aria-label="Name"><p class="why">A name is needed</p><button type="button" id="send">Send</button></form>
        <script>
          fold.onclick = () => { document.body.classList.toggle("busy"); document.querySelector(".fold").classList.toggle("open"); };
          send.onclick = () => { history.replaceState(1, ""); document.querySelector("form").className = "checked"; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      await agent.text('browser_snapshot');

      expect(await agent.text('browser_click', { target: '#fold' })).toMatch(/now:\nFolded words\n</);
      const sent = await agent.text('browser_click', { target: '#send' });
      expect(sent).toMatch(/now:\nA name is needed\n</);
      // What a page writes into its history is no other address.
      expect(sent).not.toContain('The address changed');
      expect(await agent.text('browser_click', { target: '#fold' })).not.toContain('now:');
    });

    test('tells what a dialog holds that is fixed in a box without a size, and not the page again that it has held', async ({ stage }) => {
      const page = `<main><h2>Letters</h2><p aria-hidden="true">Mark</p><button aria-label="Take Ann away">x</button><select aria-hidden="true"><option>Hidden<option>Other</select>
        <a href="#ask">Ask</a><p id="said">Nothing</p></main><div id="portal"></div><script>
          const page = document.querySelector("main"), root = document.documentElement;
          document.querySelector("a").onclick = () => {
            page.inert = true;
            page.ariaHidden = "true";
            root.style.overflow = "hidden";
            portal.innerHTML = "<div><div role=dialog aria-label=Sure><div style=position:fixed;inset:40px><b>Really?</b> <button>Yes</button></div></div></div>";
            portal.querySelector("button").onclick = () => {
              portal.textContent = "";
              page.inert = false;
              page.removeAttribute("aria-hidden");
              root.style.overflow = "";
              said.textContent = "Done";
              document.querySelector("select").value = "Other";
            };
          };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      await agent.text('browser_snapshot');

      const opened = await agent.text('browser_click', { target: 'text=Ask' });
      expect(opened).toMatch(/appeared: \[e\d+ dialog "Sure"\]\n[^]*Really\? \[e\d+ button "Yes"\]/);
      expect(opened).not.toContain('Ann');
      const closed = await agent.text('browser_click', { target: 'text=Yes' });
      expect(closed).toMatch(/button "Yes" gone\][^]*now:\nDone\n/);
      expect(closed).not.toContain('changed:');
    });

    test(
      'presses for words the field that lies over them alone, or the box to which they leave the pointer',
      { tags: 'whole' },
      async ({ stage }) => {
        const box = (words: string, more: string): string =>
          `<div style="position: relative; width: 200px"><span>${words}</span><input style="position: absolute; inset: 0">${more}</div>`;
        const script = `<script>document.querySelector("input").onclick = () => { document.querySelector("span").textContent = "Opened"; };</script>`;
        const page = `${box('Place', '')}${box('Node', '<input style="position: relative">')}${script}`;
        const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

        expect(await agent.text('browser_click', { target: 'text=Place' })).toMatch(/^Clicked\.[^]*Opened/);
        expect(await agent.error('browser_click', { target: 'text=Node' })).toContain('it is covered');
        const through = `<div tabindex="0" onclick="this.append('Opened')"><p style="pointer-events: none">Choose</p></div><button style="pointer-events: none">Off</button>`;
        const other = await open(stage, `says?text=${encodeURIComponent(through).replaceAll("'", '%27')}`);
        expect(await other.text('browser_click', { target: 'text=Choose' })).toMatch(/^Clicked\.[^]*Opened/);
        expect(await other.error('browser_click', { target: 'text=Off' })).toContain('does not take the pointer');
      },
    );

    test(
      'presses each item of a tree or a menu where it says what it is, and none of those that it holds',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<ul role="tree" aria-label="Files"><li role="treeitem" aria-expanded="true">Work<ul role="group"><li role="treeitem">plan.txt</li><li role="treeitem" aria-expanded="true"><span>Drafts</span><ul><li role="treeitem">one.txt</li></ul></li></ul></li><li role="treeitem">Home</li></ul>
        <div role="tree" aria-label="Rows"><div role="treeitem"><i>+</i> <span id="alpha">Alpha</span></div></div>
        <ul role="menu"><li role="menuitem">File<ul role="menu"><li role="menuitem">New</li><li role="menuitem">Close</li></ul></li></ul><output></output>
        <script>
          for (const item of document.querySelectorAll('li'))
            item.onclick = (event) => { event.stopPropagation(); document.querySelector('output').append(item.firstChild.textContent + ' '); };
          alpha.onclick = () => document.querySelector('output').append('Alpha ');
        </script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(page).replaceAll("'", '%27')}`);

        const told = await agent.text('browser_snapshot');
        expect(told.replaceAll(/e\d+ /g, '')).toContain(
          ' [treeitem expanded]:\n  Work\n  [treeitem "plan.txt"]\n  [treeitem expanded]:\n   Drafts\n   [treeitem "one.txt"]\n [treeitem "Home"]\n',
        );
        for (const [, ref = ''] of told.matchAll(/\[(e\d+) (?:tree|menu)item/g)) await agent.text('browser_click', { target: ref });
        expect(await agent.text('browser_click', { target: 'role=treeitem[name="Work"]' })).toContain('[e');
        expect(await agent.text('browser_snapshot')).toContain('Work plan.txt Drafts one.txt Home Alpha File New Close Work');
      },
    );

    test('scrolls on where something that stays in the view lies over the middle of it', { tags: 'whole' }, async ({ stage }) => {
      const bar = (edge: string): string =>
        `<nav style="position: fixed; ${edge}: 0; left: 0; width: 100%; height: 65%; background: silver">${edge}</nav>`;
      const page = (edge: string): string =>
        `<div style="height: 2000px"></div><button onclick="document.title = 'Pressed'">Low</button><div style="height: 2000px"></div>${bar(edge)}`;

      for (const edge of ['top', 'bottom']) {
        const agent = await open(stage, `says?text=${encodeURIComponent(page(edge)).replaceAll("'", '%27')}`);
        expect(await agent.text('browser_click', { target: 'button' }), edge).toMatch(/^Clicked\.[^]*title: Pressed/);
      }
    });

    test('names what covers the element when it stays covered, so that it can be closed', async ({ stage }) => {
      const agent = await open(stage, 'settle.html');
      await agent.text('browser_click', { target: '#cover' });

      const error = await agent.error('browser_click', { target: '#nothing' });
      const accept = await agent.ref(/Accept cookies/);

      expect(error).toMatch(/^TARGET_NOT_READY: .*it is covered/);
      expect(error).toMatch(/covered by dialog "Cookie consent" \[e\d+\]/);
      await agent.text('browser_click', { target: accept });
      await agent.text('browser_click', { target: '#nothing' });
    });

    test('leads to what lies over the element and takes the press for it', async ({ stage }) => {
      const page = `<div style="position: relative; width: 90px"><button>Rows</button>
        <div id="touch" style="position: absolute; inset: 0"></div></div><script>touch.onclick = () => { document.title = "Opened"; };</script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      const [, over = ''] = /covered by <div id="touch"> \[(e\d+)\]/.exec(await agent.error('browser_click', { target: 'button' })) ?? [];

      expect(await agent.text('browser_click', { target: over })).toContain('title: Opened');
    });

    test('does not say of a frame that its own button takes away that nothing was done', async ({ stage }) => {
      const page = `<iframe srcdoc="<button onclick=frameElement.remove()>Close</button>"></iframe><p>Below</p>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      const receipt = await agent.text('browser_click', { target: await agent.ref(/button "Close"/) });

      expect(receipt).toMatch(/^The frame went away in the same moment: it is not known whether it was clicked\. Its frame went away/);
    });

    test('leads to what the page has made itself, here and in a tab, where agents work on', { tags: 'whole' }, async ({ stage }) => {
      const page = `<a>Here</a> <a target="_blank">Beside</a><script>
        const made = ['<h1>Made</h1><button onclick="this.append(1)">Press</button>'];
        for (const link of document.querySelectorAll('a')) link.href = URL.createObjectURL(new Blob(made, { type: 'text/html' }));
      </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page).replaceAll("'", '%27')}`);

      const opened = await agent.text('browser_click', { target: 'text=Beside' });
      const tabId = Number(/It opened tab (\d+)/.exec(opened)?.[1]);
      const beside = await agent.text('browser_click', { target: 'text=Press', tabId });
      const led = await agent.text('browser_click', { target: 'text=Here' });
      await agent.text('browser_reload');
      expect(await agent.text('browser_press_key', { key: 'x' })).toContain('Pressed x.');
      const here = await agent.text('browser_click', { target: 'text=Press', trusted: true });
      await agent.text('browser_navigate_back');

      expect(opened).toContain('new tab');
      expect(led).toMatch(/A page was loaded \(HTTP 200\)\.[^]*url: blob:http/);
      for (const pressed of [beside, here]) expect(pressed).toMatch(/ untrusted http:[^]*button "Press1"/);
      expect(await agent.text('browser_find', { text: 'Beside' })).toContain('link "Beside"');
    });

    test('opens a link meant for a new tab in one of the session', async ({ stage }) => {
      const agent = await open(stage, 'settle.html');

      const receipt = await agent.text('browser_click', { target: await agent.ref(/Form in a new tab/) });
      const tabId = Number(/It opened tab (\d+)/.exec(receipt)?.[1]);

      expect(await agent.text('browser_snapshot', { tabId })).toContain('Create an account');
      expect(await agent.text('browser_snapshot')).toContain('Settling');
      await agent.text('browser_tabs', { action: 'close', tabId });
    });

    test('makes real input through the debugger when asked', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      const receipt = await agent.text('browser_click', { target: '#card', trusted: true });

      expect(receipt).toContain('trusted true');
      const frames = await open(stage, 'frames.html');
      expect(await frames.error('browser_click', { target: await frames.ref(/Press me/), trusted: true })).toContain('remove it and retry');
    });

    test('double-clicks, clicks right and holds modifiers', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const page = stage.pageAt('form.html');
      await page.evaluate(() => {
        for (const name of ['click', 'dblclick', 'contextmenu', 'auxclick']) {
          document.addEventListener(name, (event) => {
            document.body.dataset['seen'] =
              `${document.body.dataset['seen'] ?? ''} ${name}${event instanceof MouseEvent && event.shiftKey ? '+shift' : ''}${event instanceof MouseEvent ? event.detail : ''}`;
          });
        }
      });

      await agent.text('browser_click', { target: 'h1', doubleClick: true });
      await agent.text('browser_click', { target: 'h1', button: 'right' });
      await agent.text('browser_click', { target: 'h1', modifiers: ['Shift'] });

      expect(await page.evaluate(() => document.body.dataset['seen'])).toBe(' click1 click2 dblclick2 contextmenu1 click+shift1');
      await agent.text('browser_click', { target: 'h1', clickCount: 3 });
      expect(await page.evaluate(() => String(getSelection()).trim())).toBe(await page.textContent('h1'));
    });

    test('answers wrong targets and arguments with what to do', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      expect(await agent.error('browser_click', { target: 'e99999' })).toContain('TARGET_NOT_FOUND');
      expect(await agent.error('browser_click', { target: 'p:has-text(' })).toContain('neither a ref like e12 nor a valid CSS selector');
      expect(await agent.error('browser_click', { target: 'input' })).toMatch(/matches \d+ elements; use the ref of one/);
      expect(await agent.error('browser_click', { target: 'e1', modifier: 'Alt' })).toMatch(
        /unknown: modifier; remove and retry.*Expected arguments: target\?, x\?/s,
      );
      expect(await agent.text('browser_click', { ref: await agent.ref(/button "Close"/), doubleclick: 'false' })).toContain('Clicked.');
      expect(await agent.error('browser_click', { target: 'select' })).toContain('use browser_select_option');
      expect(await agent.error('browser_click', { target: 'input[type=file]' })).toContain('cannot choose files');
    });
  },
);

/** What is drawn over the page as long as the person is asked. */
const PICKING = '[popover]';

describeTabs(
  (how) => `chrome_request_element_selection in a ${how} tab`,
  ({ open }) => {
    test('lets the person point at elements, one after the other, and takes an Escape for none', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const page = stage.pageAt('form.html');
      let isOver = false;
      const answer = agent
        .text('chrome_request_element_selection', {
          requests: [
            { id: 'mail', name: 'the e-mail field' },
            { id: 'again', name: 'the same field' },
            { name: 'a button', description: 'It sends the form.' },
          ],
        })
        .finally(() => {
          isOver = true;
        });

      await page.waitForSelector(PICKING, { state: 'attached' });
      await page.click('#email');
      // A quick hand, which is there already, points again as soon as it may.
      await page.waitForSelector(PICKING, { state: 'attached' });
      await page.mouse.down();
      await page.mouse.up();
      // The last question may not be there yet when the key is pressed.
      await expect
        .poll(async () => {
          await page.keyboard.press('Escape');
          return isOver;
        })
        .toBe(true);

      const text = await answer;
      expect(text).toMatch(/^The user pointed at 2 of 3\.\n<\w{7} /);
      const [, ref = ''] = /- mail: \[(e\d+) textbox .*\] selector #email/.exec(text) ?? [];
      expect(text).toMatch(/- again: \[e\d+ textbox .*\] selector #email/);
      expect(text).toContain('- 3: not chosen');
      expect(await agent.text('browser_type', { target: ref, text: 'a@b.example' })).toMatch(/^Typed\./);
      expect(agent.asked[0]).toMatchObject({
        title: expect.stringMatching(/^Ask you to point at elements of the page on http/),
        detail: expect.stringContaining('In the words of the agent: a button: It sends the form.'),
      });
    });

    test('asks nothing in what a page has put in the place of the one that was agreed to', async ({ stage }) => {
      const agent = await open(stage, 'shop.html');
      const page = stage.pageAt('shop.html');
      const requests = [{ name: 'the price' }, { name: 'the same' }];
      const answer = agent.error('chrome_request_element_selection', { requests, timeoutMs: HANG_MS });

      await page.waitForSelector(PICKING, { state: 'attached' });
      await page.evaluate(() => {
        // Between the first and the second question.
        const onRemoved = (records: MutationRecord[]): void => {
          if (records.every(({ removedNodes }) => removedNodes.length === 0)) return;
          document.open();
          document.write('<title>Bank</title><button>Pay</button>');
          document.close();
        };
        new MutationObserver(onRemoved).observe(document.documentElement, { childList: true });
      });
      await page.click('#secret');

      expect(await answer).toMatch(/^DOCUMENT_CHANGED/);
      expect(await page.locator(PICKING).count()).toBe(0);
    });

    test('tells where the code of an element stands, as development builds of its framework do', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(
        stage,
        `says?text=${encodeURIComponent('<h1>Pay</h1><div id="react"></div><div id="vue"></div><div id="angular"></div><div id="svelte"></div>')}`,
      );
      const page = stage.pageAt(encodeURIComponent('<div id="svelte"></div>'));
      const sourceOf = async (selector: string): Promise<string | undefined> => {
        let isOver = false;
        const answer = agent.text('chrome_request_element_selection', { requests: [{ name: 'the button' }] }).finally(() => {
          isOver = true;
        });
        // What is seen of the choice may still be that of the one before, and then nobody hears the press.
        await expect
          .poll(
            async () => {
              if (!isOver && (await page.locator(PICKING).count()) > 0) await page.click(selector);
              return isOver;
            },
            { timeout: HANG_MS },
          )
          .toBe(true);
        return /, source (.*)/.exec(await answer)?.[1];
      };
      const build = async (framework: Framework): Promise<void> => {
        const file = `${framework}.js`;
        const body = await bundleFramework(framework);
        await page.route(`**/${file}`, (route) => route.fulfill({ contentType: 'text/javascript', body }));
        await page.addScriptTag({ url: `/${file}` });
        await page.waitForSelector(`#${framework.replace('-18', '')} button`);
      };

      for (const framework of ['react-18', 'vue', 'svelte', 'angular'] as const) await build(framework);
      expect(await sourceOf('#react button')).toMatch(/src[\\/]pay\.jsx:4:5 \(React, Pay\)$/);
      expect(await sourceOf('#vue button')).toBe('src/Pay.vue (Vue, Pay)');
      expect(await sourceOf('#svelte button')).toBe('src/Pay.svelte:2:3 (Svelte)');
      for (const inside of ['pay-angular > button', 'of-library button', 'pay-angular b'])
        expect(await sourceOf(`#angular ${inside}`)).toBe('src/pay.ts:10 (Angular, Pay)');
      expect(await sourceOf('h1')).toBeUndefined();

      // Since version 19 React knows the built place alone, and the source map tells the other.
      const clear = (): Promise<void> =>
        page.evaluate(() => document.querySelector('#react')?.replaceWith(Object.assign(document.createElement('div'), { id: 'react' })));
      await clear();
      await build('react');
      expect(await sourceOf('#react button')).toMatch(/^http:.*src\/pay\.jsx:4:5 \(React, Pay\)$/);
      await clear();
      await page.addScriptTag({ content: (await bundleFramework('react')).replace(/\/\/# sourceMappingURL=.*/, '') });
      await page.waitForSelector('#react button');
      expect(await sourceOf('#react button')).toMatch(/:\d+:\d+ \(React, Pay, as built\)$/);
    });
  },
);
