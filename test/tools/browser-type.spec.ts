import { expect } from 'vitest';
import { refsInFrames } from './tool-stage.ts';
import { describeTabs, test } from './tool-test.ts';

const saying = (markup: string): string => `says?text=${encodeURIComponent(`<!doctype html>${markup}`).replaceAll("'", '%27')}`;

describeTabs(
  (how) => `browser_type in a ${how} tab`,
  ({ open }) => {
    test('fills fields of every kind, and the form is sent as a person would send it', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const fill = (target: string, text: string): Promise<string> => agent.text('browser_type', { target, text });

      await fill('#email', 'ada@example.org');
      await fill('textarea', 'Line 1\nLine 2');
      await fill('select', '日本');
      await fill('[name=birthday]', '2001-02-03');
      await fill('[name=cc]', '5500 0000 0000 0004');
      await fill('#signature', 'Yours');
      await agent.text('browser_click', { target: await agent.ref(/Dark mode/) });
      const receipt = await agent.text('browser_click', { target: await agent.ref(/Create your new account/) });

      expect(receipt).toContain('Sent: email=ada@example.org');
      const text = await agent.text('browser_snapshot');
      for (const sent of ['country=jp', 'birthday=2001-02-03', 'news=weekly', 'dark=on', '"Signature" = "Yours"'])
        expect(text).toContain(sent);
      expect(await stage.pageAt('form.html').evaluate(() => document.querySelector('textarea')?.value)).toBe('Line 1\nLine 2');
    });

    test('tells what it looked for in a field that chooses from a list, though it calls itself one for a new password', async ({
      stage,
    }) => {
      const agent = await open(
        stage,
        saying(
          '<input role="combobox" aria-label="City" autocomplete="new-password"><input autocomplete="new-password" aria-label="Key"><p>Oslo',
        ),
      );

      expect(await agent.text('browser_type', { target: '[aria-label=City]', text: 'Oslo' })).toContain('value: "Oslo"');
      await agent.text('browser_type', { target: '[aria-label=Key]', text: 'Bergen' });

      const text = await agent.text('browser_snapshot');
      expect(text).toMatch(/^Oslo$/m);
      expect(text).not.toContain('Bergen');
    });

    test('lets an editor take a text by the older event that it hears, before the text is in the page', async ({ stage }) => {
      const agent = await open(
        stage,
        saying(`<div id="edge" contenteditable><p>old</p></div><output></output><script>
          let held = "old";
          const draw = () => { edge.innerHTML = "<p>" + held + "</p>"; };
          edge.addEventListener("textInput", (event) => {
            event.preventDefault();
            held = getSelection().isCollapsed ? held + event.data : event.data;
            document.querySelector("output").textContent = "Held: " + held;
            setTimeout(draw);
          });
          // What comes into the page by itself, it does not survive.
          edge.addEventListener("input", () => edge.remove());
        </script>`),
      );

      for (const text of ['First words', 'Second words']) {
        expect(await agent.text('browser_type', { target: '#edge', text })).toMatch(/^Typed\./);
        expect(await agent.text('browser_snapshot')).toMatch(new RegExp(`= "${text}"\\][^]*Held: ${text}`));
      }
    });

    test('takes what a style draws into an empty editor for its name, and not for what is written in it', async ({ stage }) => {
      const page = `<style>.editor:empty::before, p.empty::before { content: attr(data-hint) }</style>
        <div class="editor" role="textbox" contenteditable data-hint="Message"></div>
        <div contenteditable><p class="empty" data-hint="Story"><br></p></div>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      for (const name of ['Message', 'Story']) {
        const target = await agent.ref(new RegExp(`^textbox "${name}"$`));
        expect(await agent.text('browser_type', { target, text: 'Hello' })).toContain('value: "Hello"');
      }
    });

    test('means by words the field that is called so, by its label or by what stands in it while it is empty', async ({ stage }) => {
      const agent = await open(
        stage,
        saying(
          '<input placeholder="Filter labels"><textarea aria-label="Comment"></textarea><button>Comment</button><label>Town <input></label>',
        ),
      );

      const typed = [];
      for (const target of ['text=Filter labels', 'text=Comment', 'text=Town'])
        typed.push(await agent.text('browser_type', { target, text: 'Any' }));

      expect(typed.map((said) => /target: \[e\d+ (.*)\]/.exec(said)?.[1])).toEqual([
        'textbox "Filter labels" = "Any"',
        'textbox "Comment" = "Any"',
        'textbox "Town" = "Any"',
      ]);
      expect(await agent.text('browser_click', { target: 'text=Filter labels' })).toContain('textbox "Filter labels"');
      expect(await agent.text('browser_click', { target: 'text=Comment' })).toContain('button "Comment"');
    });

    test('replaces what was there, and an empty text clears the field', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      await agent.text('browser_type', { target: '#email', text: 'first@example.org' });
      expect(await agent.text('browser_type', { target: '#email', text: 'second@example.org' })).toContain('value: "second@example.org"');
      expect(await agent.text('browser_type', { target: '#email', text: '' })).toContain('value: ""');
    });

    test('never repeats what was typed into a secret field', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      for (const target of ['[name=password]', '#otp']) {
        expect(await agent.text('browser_type', { target, text: '778899-new' })).not.toContain('778899');
      }
      expect(await agent.text('browser_snapshot')).not.toContain('778899');
      // What it has typed elsewhere may be a guess.
      const guessing = await open(stage, 'form.html');
      await guessing.text('browser_type', { target: 'textarea', text: 'meadow-77' });
      await stage.pageAt('form.html').evaluate(() => {
        document.querySelector('[name=password]')?.setAttribute('value', 'meadow-77');
        document.body.append('You wrote meadow-77');
      });
      expect(await guessing.text('browser_snapshot')).not.toContain('meadow-77');
      // The agent knows it, and where it is a word the page may use it elsewhere.
      await guessing.text('browser_type', { target: '[name=password]', text: 'forest' });
      await stage.pageAt('form.html').evaluate(() => document.body.append('A walk in the forest'));
      expect(await guessing.text('browser_snapshot')).toMatch(/textbox "Password \*" •••[\s\S]*A walk in the forest/);
    });

    test('reaches the state of a controlled input, an editor and a chat', async ({ stage }) => {
      const agent = await open(stage, 'controlled.html');
      const page = stage.pageAt('controlled.html');

      await agent.text('browser_type', { target: '#controlled', text: 'new value' });
      expect(await page.textContent('#out')).toBe('State: new value');
      await agent.text('browser_type', { target: '#editor', text: 'Rewritten' });
      expect((await page.textContent('#editor'))?.trim()).toBe('Rewritten');
      await agent.text('browser_type', { target: '#chat', text: 'Hello there', submit: true });
      expect(await page.textContent('#sent')).toBe('Hello there');
      await agent.text('browser_type', { target: '#search', text: 'fish', submit: true });
      expect(await page.textContent('#out')).toBe('Searched: fish');
    });

    test('replaces what can be edited around a part that cannot, once', { tags: 'whole' }, async ({ stage }) => {
      const island = '<div contenteditable="false">Toolbar</div>';
      const agent = await open(stage, saying(`<div id="edge" contenteditable>${island}<div>old</div></div>`));

      expect(await agent.text('browser_type', { target: '#edge', text: 'new\nlines' })).toMatch(/^Typed\. [^]*value: "Toolbar new lines"/);
      expect(await agent.text('browser_type', { target: '#edge', text: 'once' })).toMatch(/^Typed\. [^]*value: "Toolbar once"/);
      // It takes real keys only.
      const refusing = 'onbeforeinput="if (!event.isTrusted) event.preventDefault()"';
      const keyed = await open(stage, saying(`<div id="edge" contenteditable ${refusing}>${island}<div>old</div></div>`));
      expect(await keyed.text('browser_type', { target: '#edge', text: 'once' })).toMatch(/^Typed\. [^]*value: "Toolbar once"/);
    });

    test(
      'says that a field takes less than the text, and fills fields of one character each by keys',
      { tags: 'whole' },
      async ({ stage }) => {
        const boxes = '<input class="box" maxlength="1" oninput="this.nextElementSibling?.focus()">'.repeat(4);
        const agent = await open(stage, saying(`<form><input id="short" maxlength="5"></form><p>${boxes}</p>`));
        const cut =
          /^Typed, but the field holds only the beginning of the text: it takes no more\. Enter was not pressed\.[^]*value: "abcde"/;

        // The second time the field holds it already.
        for (const slowly of [false, false, true])
          expect(await agent.text('browser_type', { target: '#short', text: 'abcdefg', submit: true, slowly })).toMatch(cut);
        const held = "() => [...document.querySelectorAll('.box')].map(({ value }) => value).join('')";
        // Another code takes the place of the one that was not right.
        for (const [text, slowly] of [
          ['4829', false],
          ['1357', false],
          ['2468', true],
        ] as const) {
          expect(await agent.text('browser_type', { target: '.box:first-child', text, slowly })).toMatch(/^Typed\.\s/);
          expect(await agent.text('browser_evaluate', { function: held })).toContain(`"${text}"`);
        }
      },
    );

    test('knows a text in what a mask makes of it, and waits for what hears late that it has the focus', async ({ stage }) => {
      const agent = await open(
        stage,
        saying(`<input id="phone" oninput="this.value = '+7 (' + this.value.replace(/^.7|[^0-9]/g, '') + ')'">
          <input id="money" onblur="this.value = '$' + Number(this.value).toFixed(2)" oninput="this.value = Number(this.value).toFixed(2)">
          <input id="lost" oninput="this.value = this.value.replace('.', '').replace(/(?=[0-9]{3}$)/, ',')">
          <input id="sign" oninput="this.value = this.value.normalize('NFC')"><input id="none" type="number" oninput="this.value = ''">
          <p><input class="digit" id="one"><input class="digit"><input class="digit"></p><input id="tag"><p id="tags"></p>
          <iframe srcdoc="<body contenteditable aria-label=Note>Old"></iframe><script>
            const digits = [...document.querySelectorAll(".digit")];
            one.oninput = () => { const typed = one.value; digits.forEach((digit, at) => { digit.value = typed[at] || ""; }); };
            let isReady = false, typed = "";
            tag.onfocus = () => setTimeout(() => { isReady = true; });
            tag.oninput = () => { if (isReady) typed = tag.value; };
            tag.onkeydown = ({ key }) => { if (key === "Enter" && typed !== "") tags.append(typed); };
          </script>`),
      );
      const type = (target: string, text: string, submit = false): Promise<string> => agent.text('browser_type', { target, text, submit });

      for (const time of ['once', 'again']) expect(await type('#phone', '916123'), time).toMatch(/^Typed\.\s[^]*"\+7 \(916123\)"/);
      expect(await type('#money', '12.5')).toMatch(/^Typed\.\s/);
      expect(await type('#lost', '1234.5')).toContain('the field holds something else than the text');
      expect(await type('#sign', 'Ame\u0301lie')).toMatch(/^Typed\.\s/);
      expect(await type('#none', '0')).toMatch(/^Nothing was typed/);
      expect(await type('#one', '482')).toMatch(/^Typed\.\s/);
      expect(await type('#tag', 'Maps', true)).toMatch(/now:\nMaps\n/);
      expect(await type(await agent.ref(/"Note"/), 'New words')).toMatch(/^Typed\.\s[^]*"Note" = "New words"/);
    });

    test('tells what a field holds once the page is at rest, not what it held when it was typed', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      const page = stage.pageAt('form.html');
      const type = (): Promise<string> => agent.text('browser_type', { target: 'textarea', text: 'Ada Lovelace' });
      const later = (text: string, other: string): Promise<void> =>
        page.evaluate(
          (values) => {
            const [field, email] = ['textarea', '#email'].map((selector) => document.querySelector<HTMLInputElement>(selector));
            field?.addEventListener(
              'change',
              () => setTimeout(() => [field, email].map((one, index) => one && (one.value = values[index] ?? '')), 300),
              { once: true },
            );
          },
          [text, other],
        );

      await later('', '');
      expect(await type()).toMatch(/Typed, but the field holds something else than the text\.[\s\S]*value: ""/);
      await later('ADA LOVELACE', 'ada@example.org');
      expect(await type()).toMatch(/Typed\.\s[\s\S]*value: "ADA LOVELACE"[\s\S]*changed: .*ada@example\.org/);
      await later('ADA LOVELACE', 'ada@example.org');
      const fields = [
        { target: '#email', value: 'eve@example.org' },
        { target: 'textarea', value: 'Ada' },
      ];
      expect(await agent.text('browser_fill_form', { fields })).toMatch(
        /Filled 2 fields\. The page has changed field 1 since\. The page has changed field 2 since\.[\s\S]*= "ada@example\.org"[\s\S]*= "ADA LOVELACE"/,
      );
    });

    test('writes lines into an editor as it keeps them, and says them apart', { tags: 'whole' }, async ({ stage }) => {
      const editors = '<div id="plain" contenteditable="plaintext-only">old</div><div id="rich" contenteditable>old</div>';
      const agent = await open(stage, saying(editors));

      expect(await agent.text('browser_type', { target: '#plain', text: 'p\nq' })).toContain('value: "p q"');
      expect(await agent.text('browser_type', { target: '#rich', text: 'p\nq' })).toContain('value: "p q"');
      expect(await agent.text('browser_evaluate', { function: "() => document.querySelector('#plain').textContent" })).toContain('p\\nq');
    });

    test(
      'knows a long text in an editor that draws only a part of it, and replaces all that it holds',
      { tags: 'whole' },
      async ({ stage }) => {
        const agent = await open(
          stage,
          saying(`<div id="part" contenteditable aria-label="Part"></div><script>
          let held = Array.from({ length: 50 }, (_, at) => "old " + at), isAll = false;
          const draw = () => { part.innerHTML = held.slice(0, 5).map((line) => "<div>" + line + "</div>").join(""); };
          const put = (text) => { held = [...text.split("\\n"), ...(isAll ? [] : held.slice(5))]; isAll = false; draw(); };
          draw();
          document.onselectionchange = () => { isAll = false; };
          part.onbeforeinput = (event) => { event.preventDefault(); put(event.data); };
          part.onkeydown = (event) => {
            if (!event.ctrlKey || event.key !== "a") return;
            event.preventDefault();
            isAll = true;
          };
          part.oncopy = (event) => {
            event.preventDefault();
            event.clipboardData.setData("text/plain", held.join("\\n"));
          };
          part.onpaste = (event) => { event.preventDefault(); put(event.clipboardData.getData("text/plain")); };
        </script>`),
        );
        const lines = Array.from({ length: 60 }, (_, at) => `new ${at}`);

        expect(await agent.text('browser_type', { target: '#part', text: lines.join('\n') })).toMatch(/^Typed\.\s/);
        expect(await agent.text('browser_evaluate', { function: '() => held.join()' })).toContain(`"${lines.join()}"`);
      },
    );

    test('types key by key when asked', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'controlled.html');

      await agent.text('browser_type', { target: '#search', text: 'a B', slowly: true });

      expect(await stage.pageAt('controlled.html').evaluate('window.keys')).toEqual(['a', ' ', 'B']);
    });

    test(
      'tells what a field holds that the page disables at the first key, and begins no second time',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<input aria-label="Code" id="code"><p id="heard"></p><script>
        code.oninput = () => { heard.append(' ' + (code.value || 'nothing')); if (code.value !== '') code.disabled = true; };
      </script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(page).replaceAll("'", '%27')}`);

        expect(await agent.text('browser_type', { target: '#code', text: 'abc', slowly: true })).toMatch(
          /^Typed, but the field holds something else than the text\.[^]*"Code" disabled = "a"/,
        );
        expect(await agent.text('browser_evaluate', { function: '() => heard.textContent' })).toContain('" a"');

        const cut = `<input class="empty" aria-label="Sum" oninput="this.className = ''; this.value = this.value.slice(0, 2)">`;
        const other = await open(stage, `says?text=${encodeURIComponent(cut).replaceAll("'", '%27')}`);
        expect(await other.text('browser_type', { target: '.empty', text: 'abcd' })).toMatch(/^Typed, but [^]*"Sum" not \.empty = "ab"/);
      },
    );

    test(
      'presses Enter in an open list once it has found what fits, and breaks lines within a block',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<input role="combobox" aria-label="Fruit" aria-expanded="true" aria-controls="list"><ul role="listbox" id="list"></ul><p id="chosen"></p>
        <div class="block"><div contenteditable>One</div></div><div class="block"><div contenteditable id="second">Two</div></div><script>
          const field = document.querySelector('input');
          const show = () => {
            const found = ['Apple', 'Pear', 'Plum'].filter((name) => name.toLowerCase().startsWith(field.value.toLowerCase()));
            list.innerHTML = found.map((name) => '<li role="option">' + name + '</li>').join('');
          };
          show();
          field.oninput = () => setTimeout(show, 60);
          field.onkeydown = ({ key }) => { if (key === 'Enter') chosen.append('chosen: ' + list.firstChild.textContent); };
        </script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(page).replaceAll("'", '%27')}`);

        expect(await agent.text('browser_type', { target: 'input', text: 'plum', submit: true })).toMatch(
          /^Typed and pressed Enter\.[^]*chosen: Plum/,
        );
        await agent.text('browser_type', { target: '#second', text: 'Three\nfour' });
        expect(await agent.text('browser_evaluate', { function: '() => second.innerHTML' })).toContain('"Three<br>four"');
      },
    );

    test('has the page hear of each edit once, also when the field is left', async ({ stage }) => {
      const page = saying(`<input id="one"><div id="host"></div><input id="next"><script>
        heard = [];
        const two = Object.assign(document.createElement("input"), { id: "two" });
        host.attachShadow({ mode: "open" }).append(two);
        for (const field of [one, two]) field.addEventListener("change", () => heard.push(field.id + "=" + field.value));
      </script>`);
      const agent = await open(stage, page);
      const fill = (target: string, text: string): Promise<string> => agent.text('browser_type', { target, text });
      const heard = (): Promise<string> => agent.text('browser_evaluate', { function: 'heard.join()' });

      await fill('#one', 'a');
      await fill('#two', 'b');
      await agent.text('browser_fill_form', {
        fields: [
          { target: '#one', value: 'c' },
          { target: '#next', value: 'd' },
        ],
      });
      expect(await heard()).toContain('"one=a,two=b,one=c"');

      await agent.text('browser_click', { target: '#one', trusted: true });
      await agent.text('browser_press_key', { key: 'z' });
      await agent.text('browser_click', { target: '#next', trusted: true });
      expect(await heard()).toMatch(/"one=a,two=b,one=c,one=(?:cz|zc)"/);
    });

    test('sends a form with Enter through its default button', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      const receipt = await agent.text('browser_type', { target: '#email', text: 'x@example.org', submit: true });

      expect(receipt).toContain('Typed and pressed Enter.');
      expect(receipt).toContain('Sent: email=x@example.org');
    });

    test(
      'sends a form by the picture that is its button, and tells of a number that has lost its sign',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<form><input aria-label="Name"><input aria-label="Note"><input type="image" alt="Go on"></form><output></output>
        <input aria-label="Balance"><input aria-label="Debt"><input aria-label="Price"><script>
          const on = (name, hear) => document.querySelector("[aria-label=" + name + "]").addEventListener("input", hear);
          document.forms[0].onsubmit = (event) => {
            event.preventDefault();
            document.querySelector("output").textContent = "sent by " + event.submitter.alt;
          };
          on("Balance", ({ target }) => { target.value = target.value.replace("-", ""); });
          on("Price", ({ target }) => { target.value = target.value.replace(/^([0-9])([0-9]{3})[.]([0-9])$/, "$1.$2,$30 €"); });
          on("Debt", ({ target }) => { target.value = target.value.replace(/^-([0-9]+)$/, "($1)"); });
        </script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

        expect(await agent.text('browser_type', { target: '[aria-label=Note]', text: 'none', submit: true })).toContain('sent by Go on');
        expect(await agent.text('browser_type', { target: '[aria-label=Balance]', text: '-5' })).toContain(
          'Typed, but the field holds something else than the text.',
        );
        expect(await agent.text('browser_type', { target: '[aria-label=Debt]', text: '-5' })).toMatch(/^Typed\. [^]*= "\(5\)"/);
        expect(await agent.text('browser_type', { target: '[aria-label=Name]', text: 'Ada\nBen' })).toContain('holds something else');
        expect(await agent.text('browser_type', { target: '[aria-label=Price]', text: '1234.5' })).toMatch(/^Typed\. [^]*= "1\.234,50 €"/);
      },
    );

    test('answers what it cannot do with what to do', async ({ stage }) => {
      const agent = await open(stage, 'form.html');

      expect(await agent.error('browser_type', { target: 'select', text: 'Spain' })).toMatch(
        /no option "Spain".*"Germany", "France", "日本"/s,
      );
      await agent.text('browser_type', { target: '[name=birthday]', text: '1815-12-10' });
      expect(await agent.error('browser_type', { target: '[name=birthday]', text: '3 Feb' })).toContain('Expected: YYYY-MM-DD');
      expect(await stage.pageAt('form.html').inputValue('[name=birthday]')).toBe('1815-12-10');
      expect(await agent.error('browser_type', { target: '[name=tips]', text: 'x' })).toContain('Use browser_click on it');
      expect(await agent.error('browser_type', { target: 'h1', text: 'x' })).toContain('takes no text');
    });

    test(
      'a key that a page keeps for what was pressed before is typed into the field, and leaves that as it was',
      { tags: 'whole' },
      async ({ stage }) => {
        const sheet = `<table><tr><td>Jazz</td></tr></table><input id="note"><textarea id="area"></textarea><p contenteditable>Old</p>
        <script>
          let cell = null, editor = null;
          const close = (text) => { if (editor !== null) { editor = null; cell.textContent = text; } };
          addEventListener('mousedown', ({ target }) => {
            if (editor === target) return;
            close(editor?.value);
            cell = target.closest('td');
          });
          addEventListener('keydown', ({ key }) => {
            if (key === 'Escape') close(editor?.name);
            if (cell === null || editor !== null || key.length > 1) return;
            editor = Object.assign(document.createElement('input'), { name: cell.textContent });
            cell.replaceChildren(editor);
            editor.focus();
          });
        </script>`;
        const agent = await open(stage, saying(sheet));

        for (const [target, slowly] of [
          ['#note', false],
          ['#area', true],
          ['p', false],
        ] as const) {
          await agent.text('browser_click', { target: 'td' });
          expect(await agent.text('browser_type', { target, text: 'Tea', slowly })).toMatch(/^Typed\.\s[^]*"Tea"/);
        }
        expect(await agent.text('browser_snapshot')).toMatch(/Jazz \|\n[^]*"Tea"[^]*"Tea"[^]*"Tea"/);
      },
    );

    test(
      'a number is given to a field of which the first key opens a list of countries, and the code beside it is a part of it',
      { tags: 'whole' },
      async ({ stage }) => {
        const phone = `<div><span>+1</span><input id="number"><input id="country" hidden></div>
        <script>
          const code = document.querySelector('span');
          number.onkeydown = (event) => {
            if (event.key !== '+') return;
            event.preventDefault();
            country.hidden = false;
            country.focus();
          };
          country.onkeydown = ({ key }) => { country.hidden = key === 'Escape'; };
          number.oninput = () => {
            const [, found, rest] = /^\\+(1|49)(\\d+)$/.exec(number.value) ?? [];
            if (found !== undefined) [code.textContent, number.value] = ['+' + found, rest];
          };
        </script>`;
        const agent = await open(stage, saying(phone));

        expect(await agent.text('browser_type', { target: '#number', text: '+49301234567' })).toMatch(/^Typed\.\s[^]*value: "301234567"/);
        expect(await agent.text('browser_snapshot')).toContain('+49');
      },
    );

    test('what an editor holds that gives nothing away is written once, and told as not known', { tags: 'whole' }, async ({ stage }) => {
      const editor = `<canvas tabindex="0" width="300" height="60"></canvas>
        <script>
          const canvas = document.querySelector('canvas');
          const held = canvas.editContext = new EditContext();
          held.ontextupdate = () => { window.held = held.text; };
        </script>`;
      const agent = await open(stage, saying(editor));

      expect(await agent.text('browser_type', { target: 'canvas', text: 'Tea' })).toMatch(
        /^Pressed each key: what it holds cannot be read/,
      );
      expect(await agent.text('browser_evaluate', { function: '() => window.held' })).toContain('"Tea"');
    });

    test(
      'types into the field that a page puts in the place of one that gets the focus, a page that is an editor, and a component by its label',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<input id="old" aria-label="Comment"><p id="held"></p><iframe title="Letter" srcdoc="<body>Dear all"></iframe>
        <label for="face">Face</label> <x-field id="face"></x-field>
        <script>
          old.onfocus = () => {
            const field = Object.assign(document.createElement('input'), { ariaLabel: 'Comment', oninput: () => { held.textContent = 'holds ' + field.value; } });
            old.replaceWith(field);
            field.focus();
          };
          document.querySelector('iframe').onload = ({ target }) => { target.contentDocument.designMode = 'on'; };
          customElements.define('x-field', class extends HTMLElement {
            static formAssociated = true;
            connectedCallback() { this.attachInternals(); this.attachShadow({ mode: 'closed', delegatesFocus: true }).innerHTML = '<input>'; }
          });
        </script>`;
        const agent = await open(stage, saying(page));

        expect(await agent.text('browser_type', { target: '#old', text: 'Well done' })).toMatch(
          /^Typed\.[^]*"Comment" = "Well done"\][^]*holds Well done/,
        );
        const letter = await agent.ref(/textbox = "Dear all"/);
        expect(await agent.text('browser_type', { target: letter, text: 'Dear Ann' })).toMatch(/^Typed\.[^]*value: "Dear Ann"/);
        expect(await agent.text('browser_type', { target: await agent.ref(/textbox "Face"/), text: 'Oval' })).toContain('"Face" = "Oval"]');
      },
    );

    test('puts thousands of lines into fields and editors at once', { tags: 'whole' }, async ({ stage }) => {
      const page = `<textarea>Old</textarea><div id="free" contenteditable>Old</div><div id="plain" contenteditable="plaintext-only">Old</div>
        <div id="pasted" contenteditable>Old</div><p class="block"><b contenteditable>Old</b></p><p class="block"><b contenteditable>Next</b></p><script>
          for (const taker of document.querySelectorAll('#pasted, b'))
            taker.onpaste = (event) => { taker.innerText = event.clipboardData.getData('text/plain'); document.title += 'pasted'; event.preventDefault(); };
        </script>`;
      const agent = await open(stage, saying(page));

      const lines = Array.from({ length: 2000 }, (_, index) => (index === 7 ? '' : `line  ${index} <b> & all`));
      for (const target of ['textarea', '#free', '#plain', '#pasted', 'b >> nth=0'])
        expect(await agent.text('browser_type', { target, text: lines.join('\n') })).toMatch(/^Typed\./);
      const all = JSON.stringify(lines.filter((line) => line !== '').join(' '));
      const held = `() => ['textarea', '#free', '#plain', '#pasted', 'b'].map((name) => {
        const field = document.querySelector(name);
        return (field.value ?? field.innerText).split(/\\s+/).join(' ') === ${all}.split(/\\s+/).join(' ');
      }).join() + document.title`;
      expect(await agent.text('browser_evaluate', { function: held })).toContain('"true,true,true,true,truepasted"');
    });

    test(
      'takes a time and a colour as they are meant, and a field that is read-only until a person comes to it',
      { tags: 'whole' },
      async ({ stage }) => {
        const agent = await open(
          stage,
          saying(
            `<input type="time"><input type="color" value="#123456"><input id="once" readonly onfocus="this.removeAttribute('readonly')"><input id="never" readonly onfocus="this.title = 'readonly'"><input type="number" step="any"><input type="range" value="20">`,
          ),
        );

        expect(await agent.text('browser_type', { target: '[type=time]', text: '9:05' })).toContain('= "09:05"]');
        expect(await agent.error('browser_type', { target: '[type=time]', text: '3pm' })).toContain('Expected: hh:mm');
        expect(await agent.text('browser_type', { target: '[type=color]', text: 'teal' })).toContain('= "#008080"]');
        expect(await agent.error('browser_type', { target: '[type=color]', text: 'nice' })).toContain('does not take "nice"');
        expect(await agent.text('browser_type', { target: '#once', text: 'Ann' })).toMatch(/^Typed\.[^]*value: "Ann"/);
        expect(await agent.error('browser_type', { target: '#never', text: 'Ann' })).toContain('it is read-only');
        expect(await agent.text('browser_type', { target: '[type=number]', text: '12,5' })).toMatch(/^Typed\.[^]*value: "12\.5"/);
        expect(await agent.error('browser_type', { target: '[type=number]', text: '1,234' })).toContain('Expected: a number such as');
        expect(await agent.error('browser_type', { target: '[type=range]', text: '30%' })).toContain('does not take "30%"');
        expect(await agent.text('browser_snapshot')).toMatch(/"12\.5"\][^]*slider[^\]]* = "20"\]/);
      },
    );

    test(
      'types where the focus is when it is told no field, and names that one also in a tree of its own',
      { tags: 'whole' },
      async ({ stage }) => {
        const agent = await open(stage, 'shadow.html');
        await stage.pageAt('shadow.html').evaluate(() => {
          const host = document.body.appendChild(document.createElement('div'));
          host.attachShadow({ mode: 'closed' }).innerHTML = '<input aria-label="Closed field">';
        });
        expect(await agent.error('browser_type', { text: 'Ada' })).toContain('Nothing in the page has the focus');

        for (const name of ['Open', 'Closed']) {
          await agent.text('browser_click', { target: await agent.ref(new RegExp(`textbox "${name}`)) });
          expect(await agent.text('browser_type', { text: 'Ada' })).toMatch(/^Typed\.[^]*value: "Ada"/);
          expect(agent.asked.at(-1)?.title).toMatch(new RegExp(`^Type into “${name}`));
        }
      },
    );

    test('works in frames', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, 'frames.html');

      for (const target of await refsInFrames(agent, 'textbox "Name"', 2)) {
        expect(await agent.text('browser_type', { target, text: 'Ada' })).toContain('value: "Ada"');
      }
    });
  },
);
