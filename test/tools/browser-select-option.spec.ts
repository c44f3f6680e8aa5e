import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

const says = (html: string): string => `says?text=${encodeURIComponent(html)}`;

describeTabs(
  (how) => `browser_select_option in a ${how} tab`,
  ({ open }) => {
    test('chooses exactly the named options, by label or value, and none', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Apple', 'c'] })).toContain('fruit: a c');
      expect(await agent.text('browser_select_option', { target: '#fruit', values: [] })).toMatch(/Chosen\..*status = "fruit:"/s);
      expect(await agent.error('browser_select_option', { target: '#fruit', values: ['Apple', 'Fig'] })).toMatch(
        /no option "Fig".*"Apple", "Banana"/s,
      );
      expect(await agent.error('browser_select_option', { target: '#stubborn', values: [] })).toContain('exactly one value');
    });

    test('never says chosen where the page put back what was there', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_select_option', { target: '#stubborn', values: ['No'] })).toContain('Nothing was chosen');
    });

    test('opens a combobox that a page made, waits for its options and clicks one', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      const receipt = await agent.text('browser_select_option', { target: '#city', values: ['oslo'] });

      expect(receipt).toContain('Chosen.');
      expect(receipt).toContain('value: "Oslo"');
      expect(await agent.error('browser_select_option', { target: '#city', values: ['Rome'] })).toMatch(
        /no option "Rome".*"Bern", "Oslo"/s,
      );
    });

    test('opens its own list where another one is shown, of which it says nothing yet', async ({ stage }) => {
      const page = `<button id="fruit" role="combobox" aria-expanded="false" aria-controls="later" aria-label="Fruit">Fig</button>
        <input role="combobox" aria-expanded="true" aria-controls="commands" aria-label="Command">
        <ul id="commands" role="listbox"><li role="option">Copy</ul><div id="rest"></div>
        <script>
          fruit.onclick = () => {
            rest.innerHTML = '<ul id="later" role="listbox"><li role="option" tabindex="0">Fig<li role="option" tabindex="0">Plum</ul>';
            later.onclick = ({ target }) => { fruit.textContent = target.textContent; rest.textContent = ''; };
          };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Plum'] })).toMatch(/^Chosen\..*value: "Plum"/s);
    });

    test('finds the options that stand in a slot of their list', async ({ stage }) => {
      const page = `<made-list><div role="option">Fig</div><div role="option">Plum</div></made-list>
        <script>
          customElements.define('made-list', class extends HTMLElement {
            connectedCallback() {
              const root = this.attachShadow({ mode: 'open' });
              root.innerHTML = '<input role="combobox" readonly aria-label="Fruit" aria-expanded="false" aria-controls="list"><div id="list" role="listbox" hidden><slot></slot></div>';
              const [field, list] = root.querySelectorAll('input, #list');
              field.onclick = () => { list.hidden = false; };
              this.onclick = ({ target }) => { if (target !== this) { field.value = target.textContent; list.hidden = true; } };
            }
          });
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: 'role=combobox', values: ['Plum'] })).toMatch(
        /^Chosen\..*combobox "Fruit" collapsed readonly = "Plum"\]/s,
      );
    });

    test('chooses several in a list that is a menu of boxes', { tags: 'whole' }, async ({ stage }) => {
      const page = `<input id="fruit" role="combobox" aria-label="Fruit" aria-expanded="false" aria-controls="found"><div id="found" role="menu" hidden></div>
        <script>
          found.innerHTML = ['Fig', 'Pear', 'Plum'].map((name) => '<div role="menuitemcheckbox" aria-checked="' + (name === 'Fig') + '">' + name + '</div>').join('');
          const show = (isOpen) => { found.hidden = !isOpen; fruit.setAttribute('aria-expanded', isOpen); };
          fruit.onclick = fruit.oninput = () => show(true);
          fruit.onkeydown = ({ key }) => { if (key === 'Escape') show(false); };
          found.onclick = ({ target }) => {
            target.ariaChecked = target.ariaChecked !== 'true';
            document.title = [...found.querySelectorAll('[aria-checked=true]')].map((item) => item.textContent).join();
          };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Pear', 'Plum'] })).toMatch(/^Chosen\./);
      expect(await agent.text('browser_evaluate', { function: '() => document.title' })).toContain('"Pear,Plum"');
    });

    test(
      'looks for an option with the field that opens with a list, which says only then what it takes',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<span id="fruit" role="combobox" tabindex="0" aria-expanded="false" aria-controls="chosen"><span id="chosen" role="textbox">None</span></span><p></p>
        <script>
          let held = [];
          const close = () => {
            fruit.ariaExpanded = 'false';
            fruit.removeAttribute('aria-owns');
            document.querySelector('p').textContent = '';
            chosen.textContent = held.join(', ');
          };
          fruit.onclick = () => {
            fruit.ariaExpanded = 'true';
            fruit.setAttribute('aria-owns', 'found');
            document.querySelector('p').innerHTML = '<input role="searchbox"><ul id="found" role="listbox" aria-multiselectable="true"></ul>';
            const [field, list] = [document.querySelector('input'), document.querySelector('ul')];
            field.focus();
            field.oninput = () => setTimeout(() => {
              list.innerHTML = ['Fig', 'Pear', 'Plum'].filter((name) => name === field.value)
                .map((name) => '<li role="option" aria-selected="' + held.includes(name) + '">' + name + '</li>').join('');
            }, 150);
            list.onclick = ({ target }) => { held.push(target.textContent); close(); };
          };
          document.onkeydown = ({ key }) => { if (key === 'Escape') close(); };
        </script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

        expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Plum', 'Fig'] })).toMatch(
          /^Chosen\..*value: "Plum, Fig"/s,
        );
        expect(await agent.error('browser_select_option', { target: '#fruit', values: ['Melon'] })).toContain(
          'has found nothing that is called so',
        );
      },
    );

    test(
      'tells the list to choose from and the list of what is chosen apart, where both are in the combobox',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<div id="fruit" role="combobox" tabindex="0" aria-expanded="false"><div id="chosen" role="listbox"><b role="option" aria-selected="true">Fig</b></div>
          <div id="found" role="listbox" hidden><p role="option">Pear</p><p role="option">Plum</p></div></div>
        <script>
          chosen.onclick = () => { fruit.ariaExpanded = 'true'; found.hidden = false; };
          found.onclick = ({ target }) => {
            chosen.firstChild.textContent = target.textContent;
            fruit.ariaExpanded = 'false';
            found.hidden = true;
          };
        </script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

        expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Plum'] })).toMatch(/^Chosen\..*value: "Plum"/s);
      },
    );

    test('reads what was chosen beside a field that only looks for it, and not the name of the field', async ({ stage }) => {
      const page = `<div><div id="chosen"></div><div><input id="fruit" role="combobox" aria-label="Fruit" aria-expanded="false" aria-controls="found"></div></div>
        <div id="found" role="listbox"></div>
        <script>
          fruit.onclick = fruit.oninput = () => { found.innerHTML = '<div role="option">Fig</div><div role="option">Plum</div>'; };
          found.onclick = ({ target }) => { chosen.textContent = target.textContent; found.textContent = fruit.value = ''; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Plum'] })).toMatch(/^Chosen\..*value: "Plum"/s);
    });

    test('waits until a list shows what was chosen in it', async ({ stage }) => {
      const page = `<div id="fruit" role="combobox" tabindex="0" aria-expanded="false" aria-controls="found">Fig</div><div id="found" role="listbox"></div>
        <script>
          fruit.onclick = () => { found.innerHTML = '<div role="option">Fig</div><div role="option">Plum</div>'; };
          found.onclick = ({ target }) => {
            found.textContent = '';
            setTimeout(() => { fruit.textContent = target.textContent; }, 150);
          };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Plum'] })).toMatch(/^Chosen\..*value: "Plum"/s);
    });

    test('presses the rows that are drawn where the options of a list are for machines only', { tags: 'whole' }, async ({ stage }) => {
      const page = `<div><span id="chosen"></span><input id="fruit" role="combobox" autocomplete="new-password" aria-label="Fruit" aria-expanded="false" aria-controls="told"></div>
        <div id="popup" hidden>
          <div role="listbox" id="told" style="height: 0; width: 0; overflow: hidden"><div role="option" aria-label="Fig">0</div></div>
          <div id="rows" style="height: 60px; overflow: auto"></div>
        </div>
        <script>
          const draw = () => {
            popup.hidden = false;
            rows.innerHTML = ['Fig', 'Pear', 'Plum'].filter((name) => name.includes(fruit.value))
              .map((name) => '<div style="cursor: ' + (name === 'Pear' ? 'not-allowed' : 'pointer') + '" title="' + name + '"><div>' + name + '</div></div>').join('');
          };
          fruit.onclick = fruit.oninput = draw;
          rows.onclick = ({ target }) => { chosen.textContent = target.textContent; fruit.value = ''; popup.hidden = true; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Plum'] })).toMatch(/^Chosen\..*value: "Plum"/s);
      expect(await agent.error('browser_select_option', { target: '#fruit', values: ['Melon'] })).toContain('suggests nothing');
      expect(await agent.error('browser_select_option', { target: '#fruit', values: ['Pear'] })).toContain('"Pear" is disabled');
    });

    test('opens a list within its own combobox, beside another list of the page, and tells what can be chosen', async ({ stage }) => {
      const page = `<ul role="listbox" aria-label="Size"><li role="option">Small</li><li role="option">Large</li></ul>
        <div id="food" role="combobox" tabindex="0" aria-label="Food" aria-expanded="false"><div id="shown">Soup</div></div>
        <script>
          const close = () => { panel.remove(); food.ariaExpanded = "false"; food.removeAttribute("aria-controls"); };
          const open = () => {
            food.insertAdjacentHTML("beforeend", "<div popover=manual id=panel><div role=listbox aria-multiselectable=true id=list></div></div>");
            for (const name of ["Pizza", "Pasta", "Soup"])
              list.insertAdjacentHTML("beforeend", "<div role=option aria-selected=" + chosen.has(name) + ">" + name + "</div>");
            food.ariaExpanded = "true";
            food.setAttribute("aria-controls", "list");
            panel.showPopover();
          };
          const chosen = new Set(["Soup"]);
          food.onclick = ({ target }) => {
            if (target.role !== "option") return food.ariaExpanded === "true" ? close() : open();
            const name = target.textContent;
            if (!chosen.delete(name)) chosen.add(name);
            target.ariaSelected = chosen.has(name);
            shown.textContent = [...chosen].join(", ");
          };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_click', { target: '#food' })).toMatch(
        /\[e\d+ option "Pizza"\]\s+\[e\d+ option "Pasta"\]\s+\[e\d+ option "Soup" selected\]/,
      );
      await agent.text('browser_click', { target: '#shown' });
      expect(await agent.text('browser_select_option', { target: '#food', values: ['Pasta', 'Pizza'] })).toMatch(
        /^Chosen\..*value: "(?:Pasta, Pizza|Pizza, Pasta)"/s,
      );
    });

    test('takes the words of a label for its list', async ({ stage }) => {
      const page = '<label><span>Food</span><select><option>Soup</option><option>Rice</option></select></label>';
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: 'span', values: ['Rice'] })).toContain('combobox "Food" = "Rice"');
    });

    test('types into a field that suggests, and clicks what fits', async ({ stage }) => {
      const page = `<label>Fruit <input id="fruit" role="combobox" aria-expanded="false" aria-controls="found" value="Fig"></label><ul id="found" role="listbox" hidden></ul>
        <script>
          fruit.oninput = () => setTimeout(() => {
            const fitting = ['Apple', 'Apricot', 'Fig'].filter((name) => name.includes(fruit.value));
            found.hidden = false;
            found.innerHTML = fitting.map((name) => '<li role="option">' + name + '</li>').join('');
          }, 200);
          found.onclick = ({ target }) => { fruit.value = target.textContent; found.hidden = true; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Apricot'] })).toMatch(
        /^Chosen\..*target: \[e\d+ combobox "Fruit" collapsed = "Apricot"\]/s,
      );
      expect(await agent.error('browser_select_option', { target: '#fruit', values: ['Ap'] })).toMatch(
        /suggests nothing that is called so\. Type a part.*options: "Apple", "Apricot"/s,
      );
    });

    test('tells an option that cannot be chosen now from one that is not there', async ({ stage }) => {
      const page = `<select id="car"><option>Audi<option disabled>Alfa</select><select id="many" multiple><option>One<option>Two<option>Three</select>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.error('browser_select_option', { target: '#car', values: ['Alfa'] })).toContain('The option "Alfa" is disabled.');
      expect(await agent.text('browser_fill_form', { fields: [{ target: '#many', value: ['One', 'Three'] }] })).toContain('"One, Three"');
    });

    test('opens by a key what no press opens', { tags: 'whole' }, async ({ stage }) => {
      const page = `<div id="size" tabindex="0" role="combobox" aria-label="Size" aria-controls="list" aria-expanded="false">Small</div>
        <div id="list" role="listbox" hidden><div role="option">Small</div><div role="option">Large</div></div><script>
          size.onkeydown = ({ key }) => { if (key === 'ArrowDown') list.hidden = false; };
          list.onclick = ({ target }) => { size.textContent = target.textContent; list.hidden = true; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: '#size', values: ['Large'] })).toContain('value: "Large"');
    });

    test('waits for the options that a list is still looking for', async ({ stage }) => {
      const page = `<div id="size" tabindex="0" role="combobox" aria-label="Size" aria-controls="list" aria-expanded="false">Small</div>
        <div id="list" role="listbox" hidden></div><script>
          size.onclick = () => {
            list.hidden = false;
            list.innerHTML = '<div role="option">Searching…</div>';
            fetch('/late-data?ms=400').then(() => { list.innerHTML = '<div role="option">Small</div><div role="option">Large</div>'; });
          };
          list.onclick = ({ target }) => { size.textContent = target.textContent; list.hidden = true; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: '#size', values: ['Large'] })).toMatch(/^Chosen\..*value: "Large"/s);
      expect(await agent.error('browser_select_option', { target: '#size', values: ['Huge'] })).toContain('options: "Small", "Large"');
    });

    test('reads what stands beside a field that only looks for options, which is pressed by what is around it', async ({ stage }) => {
      const page = `<div id="box" style="border: 1px solid; width: 200px"><span id="item">None</span>
          <input id="city" role="combobox" aria-label="City" aria-controls="list" style="position: absolute; left: -9999px"></div>
        <div id="list" role="listbox" hidden><div role="option">Bern</div><div role="option">Oslo</div></div><script>
          box.onclick = () => { city.focus(); list.hidden = false; };
          city.oninput = () => { list.hidden = false; };
          list.onclick = ({ target }) => { item.textContent = target.textContent; city.value = ''; list.hidden = true; };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);

      expect(await agent.text('browser_select_option', { target: '#city', values: ['Oslo'] })).toMatch(/^Chosen\. /);
      expect(await agent.text('browser_click', { target: '#city' })).toContain('option "Bern"');
    });

    test('chooses and leaves in a list for several that a page made', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_select_option', { target: '#days', values: ['Tuesday'] })).toMatch(/^Chosen\.[^]*value: "Tuesday"/);
      const shown = await agent.text('browser_snapshot', { target: '#days' });
      expect(shown).toMatch(/"Tuesday" selected/);
      expect(shown).not.toMatch(/"Monday" selected/);
    });

    test('chooses several where a list does not say that it takes several, closes what it has opened, and says where only one is taken', async ({
      stage,
    }) => {
      const agent = await open(
        stage,
        says(`<div id="several" role="combobox" tabindex="0" aria-haspopup="listbox" aria-expanded="false" aria-label="Several">None</div>
          <div id="one" role="combobox" tabindex="0" aria-haspopup="listbox" aria-expanded="false" aria-label="One">None</div><button>Next</button>
          <div id="cover" hidden style="position: fixed; inset: 0"><ul role="listbox" tabindex="-1" style="background: white"></ul></div>
          <script>
            const next = document.querySelector("button");
            next.onclick = () => { next.textContent = "Pressed"; };
            const list = document.querySelector("ul");
            for (const box of [several, one]) box.onclick = () => {
              box.setAttribute("aria-expanded", true);
              list.innerHTML = ["Red", "Green", "Blue"].map((name) => "<li role=option>" + name + "</li>").join("");
              cover.hidden = false;
              const close = () => { cover.hidden = true; box.setAttribute("aria-expanded", false); };
              list.onkeydown = ({ key }) => { if (key === "Escape") close(); };
              list.onclick = ({ target }) => {
                box.textContent = box === one || box.textContent === "None" ? target.textContent : box.textContent + ", " + target.textContent;
                if (box === one) close();
              };
            };
          </script>`),
      );

      expect(await agent.text('browser_select_option', { target: '#several', values: ['Red', 'Blue'] })).toMatch(
        /^Chosen\..*"Several" collapsed.*value: "Red, Blue"/s,
      );
      expect(await agent.text('browser_click', { target: 'button' })).toContain('Pressed');
      const refused = await agent.error('browser_select_option', { target: '#one', values: ['Green', 'Blue'] });
      expect(refused).toContain('takes exactly one value. It has closed, and "Green" is chosen in it now.');
    });

    test(
      'takes away what was chosen where it stands beside a field in pieces, of which the list says nothing',
      { tags: 'whole' },
      async ({ stage }) => {
        const agent = await open(
          stage,
          says(`<label>Other <input></label>
          <div><div id="box" style="cursor: text"><span id="pieces"></span><input id="fruit" role="combobox" autocomplete="new-password" aria-label="Fruit" aria-expanded="false" aria-controls="list"><i role="button" aria-label="Clear" style="display: inline-block; width: 9px; height: 9px"></i></div>
          <ul id="list" role="listbox" hidden></ul></div><output></output>
          <script>
            const chosen = [], names = ["Fig", "Pear", "Plum", "Quince"];
            const draw = (isOpen) => {
              document.querySelector("output").textContent = "Held: " + chosen.join();
              pieces.innerHTML = chosen.map((name) => "<b>" + name + "<i title=x style='display: inline-block; width: 9px; height: 9px; cursor: pointer'><svg width=9 height=9 aria-label=Remove></svg></i></b>").join("");
              list.innerHTML = names.filter((name) => !chosen.includes(name) && name.includes(fruit.value)).map((name) => "<li role=option>" + name).join("");
              list.hidden = !isOpen;
              fruit.setAttribute("aria-expanded", isOpen);
            };
            fruit.onclick = fruit.oninput = () => draw(true);
            fruit.onkeydown = ({ key }) => { if (key === "Escape") draw(false); };
            list.onclick = ({ target }) => { chosen.push(target.textContent); fruit.value = ""; draw(false); };
            pieces.onclick = ({ target }) => { chosen.splice(chosen.indexOf(target.closest("b").textContent), 1); draw(false); };
          </script>`),
        );
        const choose = async (...values: string[]): Promise<string> => {
          const told = await agent.text('browser_select_option', { target: '#fruit', values });
          return `${told}\n${await agent.text('browser_find', { text: 'Held:' })}`;
        };

        expect(await choose('Fig', 'Plum')).toMatch(/^Chosen\..*value: "Fig, Plum".*Held: Fig,Plum/s);
        expect(await choose('plum')).toMatch(/^Chosen\..*value: "Plum".*Held: Plum/s);
        expect(await choose('Pear', 'Quince')).toMatch(/^Chosen\..*value: "Pear, Quince".*Held: Pear,Quince/s);
        expect(await agent.error('browser_select_option', { target: '#fruit', values: ['Melon'] })).toContain('suggests nothing');
        expect(await agent.text('browser_snapshot')).toMatch(/"Fruit" collapsed\]/);
        expect(await choose()).toMatch(/^Chosen\.[^]*value: ""[^]*\nHeld:\n/);
      },
    );

    test('opens the list of a field of which nothing is shown by the box around it', async ({ stage }) => {
      const agent = await open(
        stage,
        says(`<p>Fruit</p><div id="box" style="width: 200px; height: 30px; border: 1px solid; cursor: pointer"><div style="position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip: rect(0 0 0 0)"><input id="fruit" role="combobox" readonly aria-label="Fruit" aria-expanded="false" aria-controls="list"></div><div id="shown" style="height: 30px"></div><ul id="list" role="listbox" hidden><li role="option">Fig<li role="option">Plum</ul></div>
          <script>
            box.onclick = ({ target }) => {
              if (target.role === "option") fruit.value = shown.textContent = target.textContent;
              list.hidden = target.role === "option";
              fruit.ariaExpanded = String(!list.hidden);
            };
          </script>`),
      );

      expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Plum'] })).toMatch(/^Chosen\..*value: "Plum"/s);
    });

    test('chooses by what an option says where a field looks for other words, and presses an option that is drawn anew', async ({
      stage,
    }) => {
      const agent = await open(
        stage,
        says(`<input role="combobox" aria-haspopup="listbox" aria-expanded="false" aria-controls="codes" aria-label="Country">
          <p id="chosen"></p><ul id="codes" role="listbox" hidden></ul><script>
            const [field] = document.querySelectorAll("input");
            const draw = () => {
              const shown = Object.entries({ de: "Germany", fr: "France" }).filter(([code]) => code.includes(field.value));
              codes.innerHTML = shown.map(([, name]) => "<li role=option>" + name + "</li>").join("");
            };
            field.onclick = field.oninput = () => {
              codes.hidden = false;
              field.setAttribute("aria-expanded", true);
              draw();
            };
            let draws = 0;
            codes.onpointerover = () => { if ((draws += 1) === 1) draw(); };
            codes.onclick = ({ target }) => {
              chosen.textContent = target.textContent;
              field.value = "";
              codes.hidden = true;
              field.setAttribute("aria-expanded", false);
            };
          </script>`),
      );

      expect(await agent.text('browser_select_option', { target: 'input', values: ['France'] })).toMatch(/^Chosen\..*value: "France"/s);
    });

    test('opens a field on which words lie, and one that takes what is typed for a choice, as a person does', async ({ stage }) => {
      const agent = await open(
        stage,
        says(`<div id="menus" style="position: absolute; left: 0; top: 0; z-index: 1"></div><div style="height: 20px"></div>
          <div class="box" style="position: relative; cursor: pointer; height: 30px">
            <span><input id="covered" role="combobox" readonly aria-haspopup="listbox" aria-expanded="false" aria-controls="list" style="width: 90%"></span>
            <span style="position: absolute; inset: 0">Pick a city</span></div>
          <div id="around"><input id="typed" role="combobox" aria-haspopup="listbox" aria-expanded="false" aria-controls="list" aria-label="Typed" style="pointer-events: none"></div><script>
            const pick = document.querySelector(".box").lastElementChild;
            const show = (field) => {
              field.setAttribute("aria-expanded", true);
              menus.innerHTML = "<ul role=listbox id=list style=width:200px><li role=option>Oslo<li role=option>Rome</ul>";
              list.onclick = ({ target }) => {
                if (field === typed) typed.value = target.textContent;
                else pick.textContent = target.textContent;
                menus.innerHTML = "";
                field.setAttribute("aria-expanded", false);
              };
            };
            document.querySelector(".box").onclick = () => show(covered);
            around.onclick = () => show(typed);
            typed.oninput = () => { typed.value = "typed"; };
          </script>`),
      );

      expect(await agent.text('browser_select_option', { target: '#covered', values: ['Rome'] })).toMatch(/^Chosen\..*value: "Rome"/s);
      expect(await agent.text('browser_select_option', { target: '#typed', values: ['Oslo'] })).toMatch(/^Chosen\..*= "Oslo"\]/s);
      expect(await agent.text('browser_click', { target: '#covered' })).toMatch(/option "Oslo"/);
      expect(await agent.text('browser_snapshot')).not.toContain('invisible');
    });

    test('knows what was chosen also where a field has no room for all of it, and counts the rest', async ({ stage }) => {
      const page = `<div><p id="chosen"></p><input id="fruit" role="combobox" aria-label="Fruit" aria-expanded="false" aria-controls="found"></div><div id="found" role="listbox"></div>
        <script>
          const held = ["Fig"];
          const draw = () => {
            chosen.innerHTML = held.slice(0, 1).map((name) => "<span>" + name + " <button aria-label=Remove>x</button></span>").join("") + (held.length > 1 ? "<i>+ " + (held.length - 1) + " ...</i>" : "");
          };
          fruit.onclick = fruit.oninput = () => { found.innerHTML = ["Fig", "Pear", "Plum"].map((name) => "<div role=option>" + name + "</div>").join(""); fruit.ariaExpanded = "true"; };
          found.onclick = ({ target }) => { held.push(target.textContent); fruit.value = ""; draw(); };
          fruit.onkeydown = ({ key }) => { if (key === "Escape") { found.textContent = ""; fruit.ariaExpanded = "false"; } };
          draw();
        </script>`;
      const agent = await open(stage, says(page));

      expect(await agent.text('browser_select_option', { target: '#fruit', values: ['Fig', 'Pear', 'Plum'] })).toMatch(/^Chosen\./);
    });

    test('knows what was chosen where one cross stands beside all of it, or beside its number', { tags: 'whole' }, async ({ stage }) => {
      const list = (name: string): string =>
        `<div id="${name}" role="combobox" tabindex="0" aria-label="${name}" aria-expanded="false" aria-controls="${name}-list" style="position: relative; width: 200px; height: 30px"><span></span></div>
        <div id="${name}-list" role="listbox" aria-multiselectable="true" hidden>${['Fig', 'Plum', 'Pear'].map((fruit) => `<div role="option"><input type="checkbox">${fruit}</div>`).join('')}</div>`;
      const html = `${list('names')}${list('number')}<script>
          for (const field of document.querySelectorAll("[role=combobox]")) {
            const list = field.nextElementSibling;
            const show = (isOpen) => { list.hidden = !isOpen; field.setAttribute("aria-expanded", isOpen); };
            const draw = () => {
              const held = [...list.querySelectorAll(":checked")].map((box) => box.nextSibling.data);
              const shown = field.id === "number" ? held.length : held.join() + " " + held.length;
              field.firstChild.innerHTML = held.length === 0 ? "" : "<i>" + shown + "</i> <button aria-label=Clear style='position: absolute; left: 80px; top: 0; width: 40px; height: 30px'>x</button>";
            };
            field.onclick = ({ target }) => {
              if (target.localName !== "button") return show(true);
              for (const box of list.querySelectorAll("input")) box.checked = false;
              draw();
            };
            list.onclick = ({ target }) => {
              const box = target.querySelector("input");
              if (box !== null) box.checked = !box.checked;
              draw();
            };
            field.onkeydown = list.onkeydown = ({ key }) => { if (key === "Escape") show(false); };
          }
        </script>`;
      const agent = await open(stage, says(html));

      for (const target of ['#names', '#number'])
        for (const values of [['Fig', 'Pear'], ['Plum']])
          expect(await agent.text('browser_select_option', { target, values }), target).toMatch(
            new RegExp(`^Chosen\\.[^]*value: "${values.join(', ')}"`),
          );
    });

    test('believes a box in an option more than what the option says until it is opened anew', async ({ stage }) => {
      const option = (name: string, isOn: boolean): string =>
        `<div role="option" aria-selected="${isOn}"><input type="checkbox" tabindex="-1" ${isOn ? 'checked' : ''}>${name}</div>`;
      const page = `<div role="listbox" aria-label="Topics">${option('Alpha', true)}${option('Beta', false)}</div><script>
        document.querySelector("[role=listbox]").onclick = ({ target }) => {
          const box = target.closest("[role=option]").firstChild;
          if (target !== box) box.checked = !box.checked;
        };
      </script>`;
      const agent = await open(stage, says(page));

      expect(await agent.text('browser_select_option', { target: '[role=listbox]', values: ['Beta'] })).toMatch(
        /^Chosen\.[^]*listbox "Topics" = "Beta"\]/,
      );
      const boxes = '() => [...document.querySelectorAll("input")].map(({ checked }) => checked)';
      expect(await agent.text('browser_evaluate', { function: boxes })).toMatch(/false,\s*true/);
    });

    test(
      'takes away by keys what was chosen in a field for several without marks to press for it',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<div><div id="box" style="display:flex"><input role="combobox" aria-label="Fruit" aria-expanded="false" aria-controls="list"></div>
        <ul id="list" role="listbox" hidden></ul></div><p id="held"></p><input aria-label="Note">
        <script>
          const field = document.querySelector('input');
          let chosen = ['Fig'];
          const draw = () => {
            for (const piece of document.querySelectorAll('.piece')) piece.remove();
            field.before(...chosen.map((name) => Object.assign(document.createElement('b'), { className: 'piece', textContent: name })));
            list.innerHTML = ['Fig', 'Kiwi', 'Plum', 'Pear'].filter((name) => !chosen.includes(name)).map((name, at) =>
              '<li role="option" id="o' + at + '" ' + (name === 'Pear' ? 'style="cursor:not-allowed"' : '') + ' aria-selected="' + (at === 0) + '">' + name).join('');
            held.textContent = 'holds ' + chosen.join('+');
          };
          const open = (isOpen) => { list.hidden = !isOpen; field.setAttribute('aria-expanded', String(isOpen)); };
          box.onclick = () => open(true);
          field.oninput = () => open(true);
          list.onclick = ({ target }) => { if (target.textContent !== 'Pear') { chosen = [...chosen, target.textContent]; draw(); } };
          field.onkeydown = ({ key }) => {
            if (key === 'Escape') open(false);
            if (key === 'Backspace' && field.value === '') { chosen = chosen.slice(0, -1); draw(); }
          };
          draw();
        </script>`;
        const agent = await open(stage, says(page));

        const choose = (...values: string[]): Promise<string> => agent.text('browser_select_option', { target: '[role=combobox]', values });
        expect(await choose('Kiwi', 'Plum')).toMatch(/^Chosen\.[^]*value: "Kiwi Plum"[^]*holds Kiwi\+Plum/);
        expect(await choose('Fig')).toMatch(/^Chosen\.[^]*value: "Fig"[^]*holds Fig/);
        expect(await agent.error('browser_select_option', { target: '[role=combobox]', values: ['Pear'] })).toContain('"Pear" is disabled');
        expect(await choose()).toMatch(/^Chosen\.[^]*value: ""/);
        const filled = await agent.text('browser_fill_form', { fields: [{ target: '[role=combobox]', value: ['Plum', 'Kiwi'] }] });
        expect(filled).toContain('Filled 1 field. The page changed');
        expect(await agent.text('browser_snapshot')).toContain('holds Plum+Kiwi');
      },
    );

    test('chooses in a list that draws its options anew each time that it is scrolled', { tags: 'whole' }, async ({ stage }) => {
      const page = `<button id="box" role="combobox" aria-label="Row" aria-haspopup="listbox" aria-expanded="false" aria-controls="list">None</button>
        <div id="list" role="listbox" hidden style="height:100px;overflow:auto"></div><script>
          let left = 4;
          const draw = () => { list.innerHTML = [...Array(40).keys()].map((at) => '<div role="option">Row ' + at + '</div>').join(''); };
          const show = (isOpen) => { list.hidden = !isOpen; box.ariaExpanded = String(isOpen); };
          box.onclick = () => { draw(); show(true); };
          list.onscroll = () => { if ((left -= 1) < 0) return; draw(); list.scrollTop = 0; };
          list.onclick = ({ target }) => { box.textContent = target.textContent; show(false); };
        </script>`;
      const agent = await open(stage, says(page));

      expect(await agent.text('browser_select_option', { target: '#box', values: ['Row 30'] })).toMatch(
        /^Chosen\.[^]*"Row" collapsed = "Row 30"/,
      );
    });

    test(
      'tells the list to choose from by where it lies, and what a key would choose from what is chosen; a list may close when a choice is taken away',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<style>.next::after { content: 'Press to select' } #list { position: absolute; background: white }</style>
        <div id="box" role="combobox" tabindex="0" aria-label="Fruit" aria-expanded="false" style="width:300px"><span id="made"></span>
        <input type="search" aria-label="Look for fruit"><div id="list" role="listbox" aria-multiselectable="true" hidden></div></div><p id="held"></p>
        <script>
          const field = document.querySelector('input');
          const hasMarks = location.hash !== '#plain';
          let chosen = ['Fig', 'Kiwi'];
          const draw = () => {
            made.innerHTML = '<span role="listbox">' + chosen.map((name) => '<span role="option" aria-selected="true">' + name +
              (hasMarks ? ' <button aria-label="Remove ' + name + '" data-name="' + name + '">x</button>' : '') + '</span> ').join('') + '</span>';
            list.innerHTML = ['Fig', 'Kiwi', 'Plum'].filter((name) => !chosen.includes(name)).map((name, at) =>
              '<div role="option" id="o' + at + '" ' + (at === 0 ? 'class="next" ' : '') + 'aria-selected="' + (at === 0) + '">' + name + '</div>').join('');
            box.setAttribute('aria-activedescendant', 'o0');
            held.textContent = 'holds ' + chosen.join('+');
          };
          const open = (isOpen) => { list.hidden = !isOpen; box.setAttribute('aria-expanded', String(isOpen)); if (isOpen) field.focus(); };
          box.onclick = ({ target }) => {
            const { name } = target.dataset;
            if (name !== undefined) { chosen = chosen.filter((one) => one !== name); open(false); }
            else if (target.parentElement === list) chosen = [...chosen, target.firstChild.data];
            else open(true);
            draw();
          };
          box.onkeydown = ({ key }) => {
            if (key === 'Escape') open(false);
            if (key === 'Backspace') { chosen = chosen.slice(0, -1); draw(); }
          };
          draw();
        </script>`;
        for (const kind of ['', '#plain']) {
          const agent = await open(stage, `${says(page)}${kind}`);

          const choose = (...values: string[]): Promise<string> => agent.text('browser_select_option', { target: '#box', values });
          expect(await choose('Plum')).toMatch(/^Chosen\.[^]*value: "Plum"/);
          expect(await agent.text('browser_snapshot')).toMatch(/holds Plum\n/);
          expect(await choose('Kiwi', 'Plum')).toMatch(/^Chosen\./);
          expect(await agent.text('browser_snapshot')).toMatch(/holds (?:Plum\+Kiwi|Kiwi\+Plum)\n/);
          expect(await choose()).toMatch(/^Chosen\.[^]*value: ""/);
          expect(await choose('Plum', 'Kiwi')).toMatch(/^Chosen\./);
          expect(await agent.text('browser_snapshot')).toMatch(/holds (?:Plum\+Kiwi|Kiwi\+Plum)\n/);
        }
      },
    );

    test(
      'chooses in a tree that lies over the page, and takes a short word in a box with a hand for no mark',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<style>i { display: inline-block; width: 9px; height: 9px; background: red }</style>
        <ul role="tree"><li role="treeitem">Elsewhere</ul>
        <div id="box" style="cursor:pointer;display:flex;gap:9px"><input readonly role="combobox" aria-label="Fruit" aria-expanded="false" aria-controls="nothing" style="cursor:pointer"></div>
        <div id="list" style="position:absolute;background:white" hidden><div role="tree"><p role="treeitem">Fig<p role="treeitem">Plum<p role="treeitem">Pomegranate</div></div>
        <p id="held">holds</p><input aria-label="Note">
        <script>
          const field = document.querySelector('input');
          let chosen = [];
          const toggle = (name) => {
            chosen = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
            for (const piece of document.querySelectorAll('.piece')) piece.remove();
            field.before(...chosen.map((one) => Object.assign(document.createElement('span'), { className: 'piece', innerHTML: '<b>' + one + '</b> <span><i></i></span>' })));
            for (const [at, mark] of document.querySelectorAll('i').entries()) mark.onclick = (event) => { event.stopPropagation(); toggle(chosen[at]); };
            held.textContent = 'holds ' + chosen.join('+');
          };
          const open = (isOpen) => { list.hidden = !isOpen; field.setAttribute('aria-expanded', String(isOpen)); };
          box.onclick = () => open(true);
          list.onclick = ({ target }) => toggle(target.textContent);
          field.onkeydown = ({ key }) => { if (key === 'Escape') open(false); };
        </script>`;
        const agent = await open(stage, says(page));

        const choose = (...values: string[]): Promise<string> => agent.text('browser_select_option', { target: '[role=combobox]', values });
        expect(await choose('Pomegranate', 'Fig')).toMatch(/^Chosen\.[^]*value: "Pomegranate, Fig"[^]*holds Pomegranate\+Fig/);
        expect(await choose('Plum')).toMatch(/^Chosen\.[^]*value: "Plum"[^]*holds Plum/);
      },
    );

    test(
      'waits for options that a choice brings, that are still being loaded, or that come with the focus',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<select id="country"><option value="">Choose</option><option>France</option><option>Spain</option></select>
        <select id="region"><option value="">Choose</option><option>Bavaria</option><option>Saxony</option></select>
        <select id="city"><option>Loading</option></select><select id="lazy"><option value="">Choose</option></select><script>
          country.onchange = () => setTimeout(() => { region.innerHTML = '<option>Galicia</option><option>Murcia</option>'; }, 200);
          setTimeout(() => { city.innerHTML = '<option>Rome</option><option>Oslo</option>'; }, 1_200);
          lazy.onfocus = () => setTimeout(() => { lazy.innerHTML = '<option>One</option><option>Two</option>'; }, 700);
        </script>`;
        const agent = await open(stage, says(page));
        const choose = (target: string, value: string) => ({ target, values: [value] });

        const fields = [
          { target: '#country', value: 'Spain' },
          { target: '#region', value: 'Murcia' },
        ];
        expect(await agent.text('browser_fill_form', { fields })).toMatch(/^Filled 2 fields\.[^]*= "Murcia"/);
        expect(await agent.text('browser_select_option', choose('#city', 'Oslo'))).toMatch(/^Chosen\.[^]*"Oslo"/);
        expect(await agent.text('browser_select_option', choose('#lazy', 'Two'))).toMatch(/^Chosen\.[^]*"Two"/);
        expect(await agent.error('browser_select_option', choose('#lazy', 'Nine'))).toMatch(/^TOOL_ARGUMENTS: [^]*"One", "Two"/);
      },
    );

    test(
      'presses what was chosen where it stands in a list of its own beside a field that closes with each choice',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<div><div id="held" role="listbox" aria-label="Chosen" style="display:flex;gap:9px"></div><input role="combobox" aria-label="Fruit" aria-expanded="false" aria-controls="list"></div>
        <input aria-label="Note"><div id="list" role="listbox" hidden></div>
        <script>
          const field = document.querySelector('input');
          let chosen = ['Fig'];
          const open = (isOpen) => { list.hidden = !isOpen; field.setAttribute('aria-expanded', String(isOpen)); };
          const draw = () => {
            const row = (names) => names.map((name) => '<span role="option" tabindex="0">' + name + '</span> ').join('');
            held.innerHTML = row(chosen);
            list.innerHTML = row(['Fig', 'Kiwi', 'Plum'].filter((name) => !chosen.includes(name)));
            document.title = 'holds ' + chosen.join('+');
          };
          field.onclick = field.oninput = () => open(true);
          field.onkeydown = ({ key }) => { if (key === 'Escape') open(false); };
          list.onclick = ({ target }) => { chosen = [...chosen, target.textContent]; field.value = ''; draw(); open(false); };
          held.onclick = ({ target }) => { chosen = chosen.filter((name) => name !== target.textContent); draw(); };
          draw();
        </script>`;
        const agent = await open(stage, says(page));

        const choose = (...values: string[]): Promise<string> => agent.text('browser_select_option', { target: '[role=combobox]', values });
        expect(await choose('Kiwi', 'Plum')).toMatch(/^Chosen\.[^]*value: "Kiwi, Plum"[^]*title: holds Kiwi\+Plum/);
        expect(await choose()).toMatch(/^Chosen\.[^]*value: ""[^]*title: holds/);
      },
    );

    test('tells options of several groups apart that have the same label', { tags: 'whole' }, async ({ stage }) => {
      const group = (name: string, code: string): string =>
        `<optgroup label="${name}"><option value="${code}">Other<option>of ${name}</optgroup>`;
      const groups = group('Europe', 'eu') + group('Asia', 'as');
      const agent = await open(
        stage,
        says(`<label>One <select id="one">${groups}</select></label><label>Many <select id="many" multiple>${groups}</select></label>`),
      );

      expect(await agent.text('browser_snapshot')).toContain('"One" = "Europe / Other" of "Europe / Other", "of Europe", "Asia / Other"');
      const choose = (target: string, ...values: string[]) => ({ target, values });
      expect(await agent.error('browser_select_option', choose('#one', 'Other'))).toMatch(
        /in 2 groups: name the group, too, or the value[^]*"Europe \/ Other", "Asia \/ Other"/,
      );
      expect(await agent.text('browser_select_option', choose('#one', 'Asia: other'))).toMatch(/^Chosen\.[^]*value: "Asia \/ Other"/);
      expect(await agent.text('browser_select_option', choose('#one', 'eu'))).toMatch(/^Chosen\.[^]*value: "Europe \/ Other"/);
      expect(await agent.text('browser_select_option', choose('#many', 'Asia / Other', 'Europe / of Europe'))).toMatch(
        /^Chosen\.[^]*value: "of Europe, Asia \/ Other"/,
      );
    });

    test(
      'scrolls to an option of a list that draws only a part of itself, and says where it has none',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<div id="item" role="combobox" tabindex="0" aria-label="Item" aria-expanded="false" aria-controls="list">none</div>
        <div id="list" role="listbox" hidden style="height:200px;overflow:auto"><div id="all" style="position:relative;height:5000px"></div></div>
        <ul id="many" role="listbox" aria-label="Many" aria-multiselectable="true" style="height:200px;overflow:auto"></ul>
        <script>
          const at = (index) => 'position:absolute;top:' + index * 25 + 'px;height:25px';
          const option = (index, chosen) => '<div role="option" aria-selected="' + chosen.has('Item ' + index) + '" style="' + at(index) + '">Item ' + index + '</div>';
          const draw = (list, inner, chosen) => {
            const first = Math.floor(list.scrollTop / 25);
            inner.innerHTML = [...Array(12).keys()].map((more) => option(first + more, chosen)).join('');
          };
          const show = (isOpen) => { list.hidden = !isOpen; item.ariaExpanded = String(isOpen); if (isOpen) draw(list, all, new Set()); };
          item.onclick = () => show(true);
          item.onkeydown = ({ key }) => { if (key === 'Escape') show(false); };
          list.onscroll = () => draw(list, all, new Set());
          all.onclick = ({ target }) => { item.textContent = target.textContent; show(false); };
          const held = new Set();
          many.innerHTML = '<li role="presentation" style="position:relative;height:3000px"></li>';
          many.onscroll = () => draw(many, many.firstChild, held);
          many.onclick = ({ target }) => { held.add(target.textContent); document.title = [...held].join('+'); draw(many, many.firstChild, held); };
          draw(many, many.firstChild, held);
        </script>`;
        const agent = await open(stage, says(page));

        expect(await agent.text('browser_select_option', { target: '#item', values: ['Item 150'] })).toMatch(
          /^Chosen\.[^]*"Item" collapsed = "Item 150"/,
        );
        expect(await agent.error('browser_select_option', { target: '#item', values: ['Item 9000'] })).toContain(
          'has no option "Item 9000"',
        );
        expect(await agent.text('browser_snapshot')).toContain('"Item" collapsed');
        await agent.text('browser_fill_form', { fields: [{ target: '#many', value: ['Item 3', 'Item 100'] }] });
        expect(await agent.text('browser_tabs', { action: 'list' })).toContain('Item 3+Item 100');
      },
    );

    test('goes from one column of a list to the next that it brings', { tags: 'whole' }, async ({ stage }) => {
      const page = `<div id="place" role="combobox" tabindex="0" aria-label="Place" aria-expanded="false" aria-controls="list">none</div>
        <div id="list" role="listbox" style="display:none;gap:20px"></div><p id="held">holds nothing</p>
        <script>
          const parts = { 'New York': ['Albany', 'New York'], 'Oregon': ['Salem'] };
          let role = 'option';
          const draw = (column, names) => {
            for (const later of [...list.children].slice(column)) later.remove();
            const html = names.map((name) => '<p role="' + role + '">' + name + '</p>').join('');
            list.append(Object.assign(document.createElement('div'), { innerHTML: html, role: role === 'option' ? null : 'menu' }));
          };
          const open = (isOpen) => { list.style.display = isOpen ? 'flex' : 'none'; place.ariaExpanded = String(isOpen); };
          place.onclick = () => { draw(0, Object.keys(parts)); open(true); };
          place.onkeydown = ({ key }) => { if (key === 'Escape') open(false); };
          let state;
          list.onclick = ({ target }) => {
            const name = target.textContent;
            if (target.parentElement === list.firstChild) { state = name; setTimeout(() => draw(1, parts[name]), 200); return; }
            place.textContent = state + ' / ' + name;
            held.textContent = 'holds ' + place.textContent;
            // Each column is a list of its own from now on.
            role = 'menuitemradio';
            list.removeAttribute('role');
            place.removeAttribute('aria-controls');
            list.style.position = 'absolute';
            open(false);
          };
        </script>`;
      const agent = await open(stage, says(page));
      const choose = (...values: string[]) => ({ target: '[role=combobox]', values });

      for (const way of [['Oregon / Salem'], ['New York > New York'], ['Oregon', 'Salem']]) {
        const held = way.join('/').replace(/ ?[/>] ?/, ' / ');
        expect(await agent.text('browser_select_option', choose(...way))).toMatch(new RegExp(`^Chosen\\.[^]*holds ${held}\n`));
      }
      expect(await agent.error('browser_select_option', choose('New York / Utica'))).toMatch(
        /it brings no "Utica"[^]*"Oregon", "Albany", "New York"/,
      );
      expect(await agent.text('browser_snapshot')).toContain('"Place" collapsed');
    });

    test('says what else to use where the target is no list', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.error('browser_select_option', { target: '#help', values: ['x'] })).toContain('use browser_click');
    });
  },
);
