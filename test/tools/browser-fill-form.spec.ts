import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

const says = (html: string): string => `says?text=${encodeURIComponent(html)}`;

describeTabs(
  (how) => `browser_fill_form in a ${how} tab`,
  ({ open }) => {
    test('fills fields of every kind in one call, which is asked for once, and tells what each holds', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      const receipt = await agent.text('browser_fill_form', {
        fields: [
          { target: '#who', value: 'Ada' },
          { target: '#gift', value: true },
          { target: '#large', value: 'true' },
          { target: '#fruit', value: 'Cherry' },
          { target: '#city', value: 'Bern' },
          { target: '#volume', value: 8 },
          { target: '#knob', value: 7 },
        ],
      });

      expect(receipt).toContain('Filled 7 fields.');
      expect(receipt).not.toContain('did not take');
      for (const held of [
        '"Who" = "Ada"',
        '"Gift" checked',
        '"Large" checked',
        '= "Cherry"',
        'slider "Volume" = "8"',
        'slider "Knob" = "7"',
      ]) {
        expect(receipt).toContain(held);
      }
      expect(await agent.text('browser_snapshot')).toContain('Bern');
      expect(agent.asked).toHaveLength(1);
      expect(JSON.stringify(agent.asked[0])).toMatch(/textbox \\+"Who\\+".*Ada.*Gift.*true/s);
    });

    test('leaves a box as it is that is right already', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      const receipt = await agent.text('browser_fill_form', {
        fields: [
          { target: '#gift', value: false },
          { target: '#small', value: true },
        ],
      });

      expect(receipt).toContain('"Gift" unchecked');
      expect(receipt).toContain('Nothing else changed');
    });

    test('says which field the page did not take, and how far it came', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_fill_form', { fields: [{ target: '#locked', value: true }] })).toContain(
        'did not take the value of field 1',
      );
      const error = await agent.error('browser_fill_form', {
        fields: [
          { target: '#who', value: 'Grace' },
          { target: '#gift', value: 'perhaps' },
        ],
      });
      expect(error).toMatch(/Field 2 of 2: .*true or false.*The one before it is filled/);
      expect(await agent.text('browser_snapshot')).toContain('"Grace"');
    });

    test('tells what a field holds in the end, and what another one holds, of which each step is the cause', async ({ stage }) => {
      const html = `<input aria-label="Day"><input aria-label="Price"><input aria-label="Sum"><input aria-label="Note"><p></p>
        <script>
          const [day, price, sum] = document.querySelectorAll("input");
          day.onblur = () => { day.value = ""; };
          price.onblur = () => { price.value = "$" + price.value; };
          price.onfocus = () => { price.value = price.value.replace("$", ""); };
          price.oninput = () => { sum.value = price.value; };
          document.querySelector("[aria-label=Note]").oninput = () => setTimeout(() => { document.querySelector("p").textContent = "Noted"; }, 250);
        </script>`;
      const agent = await open(stage, says(html));

      const filled = await agent.text('browser_fill_form', {
        fields: ['Day', 'Price', 'Note'].map((name) => ({ target: `[aria-label=${name}]`, value: '7' })),
      });

      expect(filled).toMatch(/^Filled 3 fields\. The page has changed field 1 since\. The page has changed field 2 since\./);
      expect(filled).toMatch(/"Day"\]\n.*"Price" = "\$7"\]\n.*"Note" = "7"\]\nchanged: .*"Sum" = "7"\]\nnow:\nNoted\n/);
      expect(filled.match(/"Day"/g)).toHaveLength(1);
    });

    test(
      'fills the field that was meant where the page sorts its rows anew with the same elements',
      { tags: 'whole' },
      async ({ stage }) => {
        const page = `<table id="all"></table><script>
          const rows = [['Apple', 3], ['Pear', 2], ['Plum', 1]];
          const draw = () => rows.sort((one, other) => other[1] - one[1]).forEach(([name, count], at) => {
            const row = all.rows[at] ?? all.insertRow();
            if (row.cells.length === 0) { row.insertCell(); row.insertCell().innerHTML = '<input>'; }
            row.cells[0].textContent = name;
            const field = row.cells[1].firstChild;
            field.ariaLabel = 'Count of ' + name;
            field.value = count;
            field.onchange = () => { rows.find(([other]) => other === name)[1] = Number(field.value); draw(); };
          });
          draw();
        </script>`;
        const agent = await open(stage, says(page));
        const text = await agent.text('browser_snapshot');
        const counts = { Apple: '1', Pear: '9', Plum: '5' };
        const fields = Object.entries(counts).map(([name, value]) => ({
          target: new RegExp(`e\\d+(?= \\w+ "Count of ${name}")`).exec(text)?.[0] ?? '',
          value,
        }));

        await agent.text('browser_fill_form', { fields });

        expect(await agent.text('browser_evaluate', { function: '() => rows.join()' })).toContain('Pear,9,Plum,5,Apple,1');
      },
    );

    test('chooses what a field suggests for the text that is typed, and opens a list that takes no text', async ({ stage }) => {
      const html = `<label>City <input id="city" role="combobox" aria-haspopup="listbox" aria-expanded="false" aria-controls="cities"></label>
        <ul id="cities" role="listbox"></ul><label>Note <input></label>
        <input id="size" role="combobox" readonly aria-haspopup="listbox" aria-expanded="false" aria-controls="sizes" aria-label="Size">
        <ul id="sizes" role="listbox"></ul><output id="out"></output><script>
          let chosen = "";
          const draw = (field, list, names) => {
            list.innerHTML = names.map((name) => "<li role=option>" + name + "</li>").join("");
            field.setAttribute("aria-expanded", names.length > 0);
          };
          city.oninput = () => setTimeout(() => draw(city, cities, ["Bern", "Bergen"].filter((name) => name.startsWith(city.value))), 200);
          cities.onmousedown = (event) => event.preventDefault();
          cities.onclick = ({ target }) => { city.value = chosen = target.textContent; draw(city, cities, []); };
          city.onblur = () => { city.value = chosen; };
          size.onclick = () => draw(size, sizes, ["Small", "Large"]);
          sizes.onclick = ({ target }) => { size.value = target.textContent; draw(size, sizes, []); };
        </script>`;
      const agent = await open(stage, says(html));

      const filled = await agent.text('browser_fill_form', {
        fields: [
          { target: '#city', value: 'Bern' },
          { target: 'Note', value: 'Bring maps' },
          { target: '#size', value: 'Large' },
        ],
      });

      expect(filled).toMatch(/^Filled 3 fields\. The page changed/);
      expect(filled).toMatch(/"City" collapsed = "Bern"\].*= "Bring maps"\].*"Size" collapsed readonly = "Large"\]/s);
    });

    test('fills the one part of a component, also where it shows late what it has become', async ({ stage }) => {
      const html = `<x-text>Name</x-text><x-box>Agree</x-box><x-slider>Loud</x-slider><script>
        const part = (name, markup) => {
          const root = document.querySelector(name).attachShadow({ mode: "open" });
          root.innerHTML = markup + "<div aria-hidden=true><input></div>";
          return root.firstElementChild;
        };
        const later = (change) => requestAnimationFrame(() => requestAnimationFrame(change));
        part("x-text", "<input aria-label=Name>");
        const box = part("x-box", "<div role=checkbox aria-label=Agree tabindex=0 aria-checked=false>Agree</div>");
        box.onclick = () => later(() => box.setAttribute("aria-checked", true));
        const slider = part("x-slider", "<div role=slider aria-label=Loud tabindex=0 aria-valuenow=3>Loud</div>");
        let loud = 3;
        slider.onkeydown = ({ key }) => {
          loud += key === "ArrowRight" ? 1 : -1;
          later(() => slider.setAttribute("aria-valuenow", loud));
        };
      </script>`;
      const agent = await open(stage, says(html));

      const filled = await agent.text('browser_fill_form', {
        fields: [
          { target: 'x-text', value: 'Ann' },
          { target: 'x-box', value: true },
          { target: 'x-slider', value: 7 },
        ],
      });

      expect(filled).toMatch(/^Filled 3 fields\. The page changed/);
      expect(filled).toMatch(/"Name" = "Ann"\].*"Agree" checked\].*"Loud" = "7"\]/s);
    });

    test('fills components whose field has their id, lists with boxes in them, and switches that a label lies beside', async ({
      stage,
    }) => {
      const html = `<x-list id="food"></x-list><x-list id="drink"></x-list><p></p>
        <div style="position: relative"><button role="switch" id="loud" aria-checked="false" style="position: absolute; width: 1px; height: 1px; padding: 0; border: 0; overflow: hidden"></button><label for="loud" style="position: relative">Loud</label></div>
        <div style="position: relative"><input type="checkbox" id="terms" style="position: absolute; left: 0; top: 0; margin: 0"><span style="position: absolute; left: 0; top: 0; width: 30px; height: 30px; background: red"></span><label for="terms" style="margin-left: 40px"><a href="/form.html">Terms</a> are read by me</label></div>
        <script>
          loud.onclick = () => loud.setAttribute("aria-checked", "true");
          customElements.define("x-list", class extends HTMLElement {
            connectedCallback() {
              const root = this.attachShadow({ mode: "open" });
              const option = (name) => "<div role=option><span style='position: absolute; left: -1000px'>Not chosen,</span><input type=checkbox tabindex=-1>" + name + "</div>";
              root.innerHTML = "<input role=combobox aria-expanded=false aria-controls=list aria-label=" + this.id + " id=" + this.id + "><div role=listbox id=list hidden>" + ["Fig", "Pear", "Plum"].map(option).join("") + "</div>";
              const [field, list] = root.querySelectorAll("[role=combobox], [role=listbox]");
              if (this.id === "food") field.readOnly = true;
              const show = (isOpen) => { list.hidden = !isOpen; field.setAttribute("aria-expanded", isOpen); };
              field.onclick = () => show(true);
              field.onkeydown = ({ key }) => { if (key === "Escape") show(false); };
              list.onclick = ({ target }) => {
                const option = target.closest("[role=option]"), box = option.querySelector("input");
                if (target !== box) box.checked = !box.checked;
                option.querySelector("span").textContent = box.checked ? "Chosen," : "Not chosen,";
                const held = [...root.querySelectorAll(":checked")].map((each) => each.nextSibling.data).join();
                document.querySelector("p").textContent += " " + this.id + ": " + held + ".";
              };
            }
          });
        </script>`;
      const agent = await open(stage, says(html));

      const fields = ['#food', '#drink'].map((target) => ({ target, value: ['Fig', 'Plum'] }));
      const filled = await agent.text('browser_fill_form', {
        fields: [...fields, { target: '#loud', value: true }, { target: '#terms', value: true }],
      });

      expect(filled).toMatch(/^Filled 4 fields\. The page changed/);
      expect(filled).toContain('checkbox "Terms are read by me" checked]');
      expect(await agent.text('browser_find', { text: 'food:' })).toMatch(/food: Fig,Plum\..*drink: Fig,Plum\./);
      expect(filled).toMatch(/switch "Loud" checked/);
      expect(await agent.text('browser_select_option', { target: '#food', values: ['Not chosen, Pear'] })).toMatch(
        /^Chosen\..*food: Pear\./s,
      );
    });

    test('waits for what a field is still looking for, in a list that is open or opens then, and presses the box around a switch without a size', async ({
      stage,
    }) => {
      const html = `<label>City <input id="city" role="combobox" aria-expanded="false" aria-controls="cities"></label><ul id="cities" role="listbox"></ul>
        <label>Town <input id="town" role="combobox" aria-expanded="false" aria-controls="towns"></label><ul id="towns" role="listbox"></ul>
        <p id="switch" style="width:40px;height:20px"><input type="checkbox" role="switch" aria-label="Loud" style="position:absolute;width:0;height:0;opacity:0;margin:0"></p><script>
          city.oninput = () => {
            city.ariaExpanded = "true";
            cities.textContent = "Looking";
            setTimeout(() => { cities.innerHTML = "<li role=option>Bern</li>"; }, 700);
          };
          town.oninput = () => setTimeout(() => fetch("").then(drawTowns), 800);
          const { port1, port2 } = new MessageChannel();
          port2.onmessage = () => { towns.innerHTML = "<li role=option>Thun</li>"; };
          const drawTowns = () => { town.ariaExpanded = "true"; port1.postMessage(null); };
          towns.onclick = () => { towns.textContent = ""; town.ariaExpanded = "false"; document.title += "Thun"; };
          cities.onclick = () => { cities.textContent = ""; city.ariaExpanded = "false"; document.title = "Bern"; };
          document.querySelector("#switch").onclick = ({ target, currentTarget }) => { if (target === currentTarget) target.firstChild.click(); };
        </script>`;
      const agent = await open(stage, says(html));

      const filled = await agent.text('browser_fill_form', {
        fields: [
          { target: '#city', value: 'Bern' },
          { target: '#town', value: 'Thun' },
          { target: '[role=switch]', value: true },
        ],
      });

      expect(filled).toMatch(/^Filled 3 fields\. The page changed[^]*"City" collapsed = "Bern"\][^]*switch "Loud" checked\]/);
      expect(await agent.text('browser_evaluate', { function: '() => document.title' })).toContain('BernThun');
    });

    test(
      'chooses in a field of the type of a search that stands among others, and only types where pages are looked for',
      { tags: 'whole' },
      async ({ stage }) => {
        const field = (name: string): string =>
          `<label>${name} <input type="search" role="combobox" aria-expanded="false" aria-controls="${name}-list"></label><ul id="${name}-list" role="listbox" hidden><li role="option">Fig</li></ul>`;
        const html = `<header>${field('Site')}</header><p>${field('Fruit')}</p><form>${field('Page')}<button>Go</button></form><output></output>
        <script>
          for (const each of document.querySelectorAll("input")) {
            const list = document.getElementById(each.getAttribute("aria-controls"));
            const show = (isOpen) => { list.hidden = !isOpen; each.setAttribute("aria-expanded", isOpen); };
            each.oninput = () => show(true);
            list.onclick = () => { document.querySelector("output").append(list.id, " "); show(false); };
          }
        </script>`;
        const agent = await open(stage, says(html));

        const fields = ['Site', 'Fruit', 'Page'].map((name) => ({ target: `label=${name}`, value: 'Fig' }));
        expect(await agent.text('browser_fill_form', { fields })).toMatch(/^Filled 3 fields\.[^]*status = "Fruit-list"/);
      },
    );

    test(
      'moves a slider by what its keys do, also from right to left and late, and never one that does not tell where it is',
      { tags: 'whole' },
      async ({ stage }) => {
        const slider = (name: string, more: string): string =>
          `<div role="slider" tabindex="0" aria-label="${name}" ${more} style="width:99px;height:20px">${name}</div>`;
        const html = `${slider('Left', 'dir="rtl" aria-valuenow="3"')}${slider('From', 'aria-valuenow="2"')}${slider('To', 'aria-valuenow="8"')}${slider('Silent', '')}${slider('Part', 'data-step="0.1" aria-valuenow="0"')}${slider('Far', 'data-step="1" aria-valuenow="5000"')}
        ${slider('Tall', 'data-step="1" data-upright aria-valuenow="5"')}<svg role="slider" tabindex="0" aria-label="Drawn" data-step="1" aria-valuenow="5" width="20" height="20"><circle r="9"/></svg><div role="spinbutton" tabindex="0" aria-label="Hours" data-step="1" data-upright aria-valuenow="5">5</div><output></output>
        <script>
          let focused = null;
          addEventListener("focusin", ({ target }) => requestAnimationFrame(() => { focused = target; }));
          addEventListener("keydown", ({ key, target }) => {
            const own = Number(target.dataset.step ?? 0);
            const across = { ArrowRight: own, ArrowLeft: -own, PageUp: 100 * own, PageDown: -100 * own };
            const led = (target.dataset.upright === "" ? { ArrowUp: own, ArrowDown: -own } : across)[key] ?? 0;
            if (own > 0) return void (target.ariaValueNow = Number(target.ariaValueNow) + led);
            const moved = target.dir === "rtl" ? target : focused;
            document.querySelector("output").append(key[5]);
            const step = (key === "ArrowRight") === (moved.dir === "rtl") ? -1 : 1;
            if (moved.ariaValueNow !== null) moved.ariaValueNow = Number(moved.ariaValueNow) + step;
          });
        </script>`;
        const agent = await open(stage, says(html));

        const to = (name: string, value: number) => ({ target: `role=slider[name="${name}"]`, value });
        expect(await agent.text('browser_fill_form', { fields: [to('Left', 6), to('From', 4), to('To', 9)] })).toMatch(
          /^Filled 3 fields\. The page changed[^]*"Left" = "6"\][^]*"From" = "4"\][^]*"To" = "9"\]/,
        );
        const others = [to('Part', 0.3), to('Far', 8970), to('Tall', 3), to('Drawn', 6), { target: '[role=spinbutton]', value: 7 }];
        expect(await agent.text('browser_fill_form', { fields: others })).toMatch(
          /^Filled 5 fields\. The page changed[^]*"Part" = "0\.30*4?"\][^]*"Far" = "8970"\][^]*"Tall" = "3"\][^]*"Drawn" = "6"\][^]*"Hours" = "7"\]/,
        );
        const keys = '() => document.querySelector("output").textContent';
        expect(await agent.error('browser_fill_form', { fields: [to('Silent', 6)] })).toContain('does not tell where it is');
        // One key in the wrong direction, and three in the right one for the first of them.
        expect(await agent.text('browser_evaluate', { function: keys })).toContain('"RLLLLRRR"');
      },
    );

    test(
      'closes what a field opens for a text and over the next one, also where only a real key or a press beside closes it',
      { tags: 'whole' },
      async ({ stage }) => {
        const over = 'role="dialog" hidden style="position:fixed;inset:40px 0 0;background:white"';
        const html = `<form><input id="day" role="combobox" aria-label="Day" aria-expanded="false" aria-controls="days"> <input id="free" role="combobox" aria-label="Free" aria-expanded="false" aria-controls="days">
        <input id="fruit" role="combobox" readonly aria-label="Fruit" aria-expanded="false" aria-controls="fruits"><p style="margin-top:60px"><label><input type="checkbox"> Agree</label></p></form>
        <div id="days" ${over}>Calendar</div>
        <div id="fruits" role="listbox" aria-multiselectable="true" hidden style="position:fixed;inset:40px 0 0;background:white"><div role="option">Fig</div><div role="option">Plum</div></div>
        <script>
          let open = null, watcher = null;
          const show = (field) => {
            if (open !== null) document.getElementById(open.getAttribute("aria-controls")).hidden = true;
            open?.setAttribute("aria-expanded", "false");
            open = field;
            field?.setAttribute("aria-expanded", "true");
            if (field !== null) document.getElementById(field.getAttribute("aria-controls")).hidden = false;
          };
          for (const field of [day, free]) {
            field.oninput = () => show(field);
            field.onkeydown = ({ key }) => { if (key === "Escape") field.value = ""; };
          }
          fruit.onclick = () => { show(fruit); (watcher = new CloseWatcher()).onclose = () => show(null); };
          fruits.onclick = ({ target }) => {
            target.ariaSelected = target.ariaSelected !== "true";
            fruit.value = [...fruits.querySelectorAll("[aria-selected=true]")].map((option) => option.textContent).join(", ");
          };
          const isBeside = ({ target }) => open !== null && target !== open && target.closest("[role]") === null;
          addEventListener("click", (event) => {
            if (open === free && isBeside(event)) free.value = "";
            if (isBeside(event)) show(null);
          });
        </script>`;
        const agent = await open(stage, says(html));

        const fields = [
          { target: '#day', value: '24 December' },
          { target: '#fruit', value: ['Fig', 'Plum'] },
          { target: '#free', value: 'Nothing of it' },
          { target: '[type=checkbox]', value: true },
        ];
        const filled = await agent.text('browser_fill_form', { fields });
        expect(filled).toMatch(/^Filled 4 fields\. The page did not take the value of field 3 as it was\.\s/);
        expect(filled).toMatch(/"Day" collapsed = "24 December"\][^]*"Fruit" collapsed readonly = "Fig, Plum"\][^]*"Agree" checked\]/);
      },
    );

    test(
      'chooses what is suggested in what is no field of the browser, and turns on what is no box',
      { tags: 'whole' },
      async ({ stage }) => {
        const html = `<div id="who" role="combobox" contenteditable aria-label="Who" aria-expanded="false" aria-controls="people"></div><ul id="people" role="listbox"></ul>
        <ul role="tree" aria-label="Rights"><li role="treeitem" tabindex="0" aria-checked="false">Read</li></ul><button aria-pressed="false">Bold</button><input type="radio" id="visa" style="display:none"><label for="visa"><img alt="Visa" width="20" height="20"></label><label><input type="checkbox" id="all"> All</label><div role="checkbox" tabindex="0" aria-label="Some" aria-checked="false" onclick="event.stopPropagation(); setTimeout(() => { this.ariaChecked = 'mixed'; }, 100)">Some</div><script>
          all.indeterminate = true;
          let chosen = "";
          const show = (names) => {
            people.innerHTML = names.map((name) => "<li role=option>" + name + "</li>").join("");
            who.ariaExpanded = names.length > 0;
          };
          who.oninput = () => setTimeout(() => show(["Ann", "Anna"].filter((name) => name.startsWith(who.textContent))), 200);
          who.onblur = () => { who.textContent = chosen; };
          people.onclick = ({ target }) => { who.textContent = chosen = target.textContent; show([]); };
          addEventListener("click", ({ target }) => {
            for (const name of ["aria-checked", "aria-pressed"]) if (target.hasAttribute(name)) target.setAttribute(name, "true");
          });
        </script>`;
        const agent = await open(stage, says(html));

        const filled = await agent.text('browser_fill_form', {
          fields: [
            { target: '#who', value: 'Anna' },
            { target: '[role=treeitem]', value: true },
            { target: 'button', value: true },
            { target: 'role=radio[name=Visa]', value: true },
            { target: '#all', value: false },
          ],
        });
        const some = await agent.text('browser_fill_form', { fields: [{ target: '[aria-label=Some]', value: true }] });

        expect(filled).toMatch(
          /^Filled 5 fields\. The page changed[^]*"Who" collapsed = "Anna"\][^]*"Read" checked\][^]*"Bold" pressed\][^]*"Visa" checked\][^]*"All" unchecked\]/,
        );
        expect(some).toMatch(/did not take the value of field 1[^]*"Some" mixed\]/);
      },
    );

    test('takes a radio button by what it is called, and a button that is mixed as that', { tags: 'whole' }, async ({ stage }) => {
      const html = `<fieldset id="size"><legend>Size</legend><label><input type="radio" name="s" value="s"> Small</label><label><input type="radio" name="s" value="m"> Medium</label></fieldset>
        <div role="radiogroup" aria-label="Paid"><div role="radio" tabindex="0" aria-checked="false">Yes</div><div role="radio" tabindex="0" aria-checked="false">No</div></div>
        <button aria-pressed="mixed" onclick="this.ariaPressed = this.ariaPressed !== 'true'">Bold</button><button aria-pressed="mixed" onclick="this.ariaPressed = this.ariaPressed !== 'true'">Slanted</button><script>
          for (const radio of document.querySelectorAll("[role=radio]"))
            radio.onclick = () => { for (const one of document.querySelectorAll("[role=radio]")) one.ariaChecked = one === radio; };
        </script>`;
      const agent = await open(stage, says(html));
      const fill = (target: string, value: string | boolean): Promise<string> =>
        agent.text('browser_fill_form', { fields: [{ target, value }] });

      expect(await agent.text('browser_snapshot')).toContain('button "Bold" mixed]');
      expect(await fill('label=Small', 'Small')).toContain('radio "Small" checked]');
      expect(await fill('label=Small', 'medium')).toContain('radio "Medium" checked]');
      expect(await fill('#size', 's')).toContain('radio "Small" checked]');
      expect(await fill('[role=radiogroup]', 'No')).toContain('radio "No" checked]');
      expect(await fill('role=radio[name=No]', 'No')).toContain('radio "No" checked]');
      expect(await agent.error('browser_fill_form', { fields: [{ target: '#size', value: 'Huge' }] })).toMatch(
        /"Huge"[^]*"Small", "Medium"/,
      );
      expect(await fill('role=button[name=Bold]', false)).toMatch(/^Filled 1 field\.[^]*button "Bold"\]/);
      expect(await fill('role=button[name=Slanted]', true)).toContain('button "Slanted" pressed]');
      const pressed = { function: `() => [...document.querySelectorAll("[aria-pressed]")].map((one) => one.ariaPressed).join()` };
      expect(await agent.text('browser_evaluate', pressed)).toContain('false,true');
    });

    test(
      'chooses in the list that the button of a component opens, and closes what a field opens that is no combobox',
      { tags: 'whole' },
      async ({ stage }) => {
        const html = `<x-pick></x-pick><form><input id="town" aria-label="Town" aria-autocomplete="list"><div role="listbox" aria-label="Chosen before"></div></form>
        <div id="over" hidden style="position:fixed;inset:80px 0 0;background:white"><div role="listbox"><div role="option">Thun</div></div></div>
        <p style="margin-top:100px"><label><input type="checkbox"> Agree</label></p><script>
          town.oninput = () => { over.hidden = false; };
          addEventListener("pointerdown", ({ target }) => { if (!over.contains(target) && target !== town) over.hidden = true; });
          over.onclick = () => { town.value = "Thun!"; over.hidden = true; };
          customElements.define("x-pick", class extends HTMLElement {
            connectedCallback() {
              const root = this.attachShadow({ mode: "open" });
              root.innerHTML = "<button aria-haspopup=listbox aria-expanded=false aria-controls=list aria-label=Fruit>Pick</button><div role=listbox id=list hidden><div role=option>Fig</div><div role=option>Plum</div></div>";
              const [button, list] = root.children;
              const show = (isOpen) => { list.hidden = !isOpen; button.setAttribute("aria-expanded", isOpen); };
              button.onclick = () => show(true);
              list.onclick = ({ target }) => { button.textContent = target.textContent; show(false); };
            }
          });
        </script>`;
        const agent = await open(stage, says(html));

        const fill = (town: string): Promise<string> =>
          agent.text('browser_fill_form', {
            fields: [
              { target: '#town', value: town },
              { target: '[type=checkbox]', value: true },
              { target: 'x-pick', value: 'Plum' },
            ],
          });
        expect(await fill('Bern')).toMatch(/^Filled 3 fields\.[^]*"Town" = "Bern"\][^]*"Agree" checked\][^]*"Fruit" [^\n]*Plum"/);
        expect(await fill('Thun')).toContain('"Town" = "Thun!"]');
      },
    );

    test('turns on the boxes of a group that are named, also where something is drawn over them', { tags: 'whole' }, async ({ stage }) => {
      const html = `<fieldset><legend>On it</legend><label><input type="checkbox" value="b"> Bacon</label><label><input type="checkbox"> Onion</label><label><input type="checkbox" checked> Cheese</label></fieldset>
        <div role="group" aria-label="Days"><p role="checkbox" tabindex="0" aria-checked="false">Monday</p><p role="switch" tabindex="0" aria-checked="false">Tuesday</p><input aria-label="Hour"></div>
        <div style="position: relative"><input type="checkbox" id="under" style="position: absolute; opacity: 0; z-index: -1"><label style="padding-left: 30px; cursor: pointer" onclick="under.click()">Written over it</label></div>
        <div style="position: relative"><input type="checkbox" id="busy"><i style="position: absolute; inset: 0; background: red"></i></div>
        <script>for (const box of document.querySelectorAll('[aria-checked]')) box.onclick = () => { box.ariaChecked = box.ariaChecked !== 'true'; };</script>`;
      const agent = await open(stage, says(html).replaceAll("'", '%27'));
      const fill = (target: string, value: string | boolean | string[]): Promise<string> =>
        agent.text('browser_fill_form', { fields: [{ target, value }] });

      expect(await fill('fieldset', ['onion', 'b'])).toMatch(/^Filled 1 field\. [^]*group "On it" = "Bacon, Onion, Cheese"\]/);
      expect(await agent.error('browser_fill_form', { fields: [{ target: 'fieldset', value: 'Huge' }] })).toMatch(
        /no box "Huge"[^]*"Bacon", "Onion", "Cheese"/,
      );
      expect(await fill('[role=group]', 'Tuesday')).toMatch(/group "Days" = "Tuesday"\]/);
      expect(await fill('[role=group]', '10:30')).toMatch(/textbox "Hour" = "10:30"\]/);
      expect(await fill('#under', true)).toMatch(/^Filled 1 field\.(?! The page did not)[^]*checkbox checked/);
      expect(await agent.error('browser_fill_form', { fields: [{ target: '#busy', value: true }] })).toContain('it is covered');
      const on = { function: `() => document.querySelectorAll(':checked, [aria-checked=true]').length` };
      expect(await agent.text('browser_evaluate', on)).toMatch(/\b5\b/);
    });

    test('fills what its target means no more once it is filled, once, and part by part', { tags: 'whole' }, async ({ stage }) => {
      const html = `<button aria-pressed="false" onclick="pressed += 'O'; this.ariaPressed = this.ariaPressed !== 'true'; this.textContent = 'On'">Off</button>
        <p class="closed"><input type="checkbox" onchange="pressed += 'B'; this.parentElement.className = 'open'"></p><p id="anew"></p>
        <div id="any"><label><input type="radio" name="size">Small</label><label><input type="radio" name="size">Large</label></div>
        <input role="spinbutton" aria-label="Hour" oninput="this.value = this.value.padStart(2, '0')"><script>
          var pressed = '';
          const draw = (isOn) => {
            anew.innerHTML = '<button role="switch" aria-label="Drawn anew" aria-checked="' + isOn + '"></button>';
            anew.firstChild.onclick = () => { pressed += 'S'; draw(!isOn); };
          };
          draw(false);
        </script>`;
      const agent = await open(stage, says(html).replaceAll("'", '%27'));
      const fields = [
        { target: 'role=button[name="Off"]', value: true },
        { target: '.closed input', value: true },
        { target: 'role=switch', value: true },
        { target: '#any', value: 'Large' },
        { target: 'label=Hour', value: 9 },
      ];

      const filled = await agent.text('browser_fill_form', { fields });

      expect(filled).toMatch(/^Filled 5 fields\.(?! The page did not)/);
      for (const held of ['button "On" pressed]', 'checkbox checked', 'switch "Drawn anew" checked]', 'radio "Large" checked]', '= "09"'])
        expect(filled).toContain(held);
      expect(await agent.text('browser_evaluate', { function: '() => pressed' })).toContain('"OBS"');
    });

    test('chooses what is suggested for a text in an element that can be edited', { tags: 'whole' }, async ({ stage }) => {
      const html = `<div id="tags" style="border: 1px solid"><span id="field" contenteditable role="textbox" aria-label="Tags" aria-autocomplete="both" style="display: inline-block; min-width: 80px"></span></div>
        <div role="listbox" style="position: absolute; background: white" hidden></div><script>
          const list = document.querySelector('[role=listbox]');
          const show = () => {
            const taken = [...document.querySelectorAll('b')].map((tag) => tag.firstChild.data);
            const names = ['Fig', 'Pear', 'Plum'].filter((name) => !taken.includes(name) && name.toLowerCase().startsWith(field.textContent.toLowerCase()));
            list.innerHTML = names.map((name) => '<p role="option">' + name + '</p>').join('');
            list.hidden = names.length === 0;
          };
          field.oninput = field.onfocus = show;
          field.onblur = () => { list.hidden = true; };
          list.onmousedown = (event) => event.preventDefault();
          list.onclick = ({ target }) => {
            field.insertAdjacentHTML('beforebegin', '<b>' + target.textContent + '<i role="button" aria-label="remove" style="cursor: pointer">x</i></b>');
            field.textContent = '';
            show();
          };
          tags.onclick = ({ target }) => { if (target.localName === 'i') { target.parentElement.remove(); show(); } };
        </script>`;
      const agent = await open(stage, says(html).replaceAll("'", '%27'));
      const held = { function: `() => [...document.querySelectorAll('b')].map((tag) => tag.firstChild.data).join()` };

      for (const [value, tags] of [
        ['Fig', 'Fig'],
        [['Plum', 'Fig'], 'Fig,Plum'],
        [['Pear', 'Plum'], 'Plum,Pear'],
      ] as const) {
        expect(await agent.text('browser_fill_form', { fields: [{ target: '#field', value }] })).toMatch(
          /^Filled 1 field\.(?! The page did not)/,
        );
        expect(await agent.text('browser_evaluate', held)).toContain(`"${tags}"`);
      }
    });

    test('does not take what a list shows late for a change of it', { tags: 'whole' }, async ({ stage }) => {
      const html = `<div id="food" role="combobox" tabindex="0" aria-label="Food" aria-expanded="false" aria-controls="foods">None yet</div>
        <div id="foods" role="listbox"><p role="option" aria-selected="false">Pizza</p></div><script>
          foods.onclick = ({ target }) => {
            target.ariaSelected = "true";
            foods.animate([{ opacity: 0.5 }, { opacity: 1 }], 400).onfinish = () => { food.textContent = "Pizza"; };
          };
        </script>`;
      const agent = await open(stage, says(html));

      expect(await agent.text('browser_fill_form', { fields: [{ target: '#food', value: 'Pizza' }] })).toMatch(
        /^Filled 1 field\. The page changed[^]*"Food" collapsed = "Pizza"\]/,
      );
    });

    test(
      'fills what the page shows only when others are filled, or puts in the place of one with a ref, and says what never comes',
      { tags: 'whole' },
      async ({ stage }) => {
        const html = `<label>Country <select id="country"><option>-<option>Chile</select></label><p id="states"></p><p id="kinds"><label>Detail <input></label></p><label>Note <input></label>
        <script>
          country.onchange = () => setTimeout(() => {
            states.innerHTML = "<label>State <select id=state><option>-<option>Chile South</select></label><span id=cities></span>";
            state.onchange = () => fetch("").then(() => { cities.innerHTML = "<label>City <input></label>"; });
            kinds.innerHTML = "<label>Detail <input></label>";
          }, 300);
        </script>`;
        const agent = await open(stage, says(html));
        const detail = await agent.ref(/textbox "Detail"/);

        const filled = await agent.text('browser_fill_form', {
          fields: [
            { target: '#country', value: 'Chile' },
            { target: 'label=City', value: 'Arica' },
            { target: 'label=State', value: 'Chile South' },
            { target: detail, value: 'By hand' },
          ],
        });
        expect(filled).toMatch(/^Filled 4 fields\./);
        expect(filled).toMatch(/"Country" = "Chile"\]\n.*"City" = "Arica"\]\n.*"State" = "Chile South"\]\n.*"Detail" = "By hand"\]/);
        expect(JSON.stringify(agent.asked[0])).toContain('In the words of the agent');
        const missing = await agent.error('browser_fill_form', {
          fields: [
            { target: '#country', value: 'Chile' },
            { target: 'label=Street', value: 'x' },
            { target: 'label=Note', value: 'Kept' },
          ],
        });
        expect(missing).toMatch(/Field 2 of 3: Nothing matches the selector .*Fields 1, 3 are filled\./);
        expect(await agent.text('browser_snapshot')).toContain('"Note" = "Kept"]');
      },
    );

    test(
      'takes a picture on a button beside a list for none of its words, and a choice that moves beside its field for no change',
      { tags: 'whole' },
      async ({ stage }) => {
        const html = `<div><span id="shown"></span><input id="drop" role="combobox" aria-label="Drop" aria-expanded="false" aria-controls="drops"><button style="cursor:pointer;width:20px;height:20px;padding:0"><svg width="9" height="9"><title>Clear</title><path d="M0 0h9v9z"/></svg></button></div>
        <div id="drops" role="listbox" hidden><p role="option">Fig</p><p role="option">Plum</p></div><label>Note <input></label><script>
          const show = (isOpen) => { drops.hidden = !isOpen; drop.ariaExpanded = String(isOpen); };
          drop.onfocus = () => { drop.value = shown.textContent; shown.textContent = ""; };
          drop.onblur = () => { shown.textContent = drop.value; drop.value = ""; };
          drop.onclick = drop.oninput = () => show(true);
          drops.onmousedown = (event) => event.preventDefault();
          drops.onclick = ({ target }) => { drop.value = target.textContent; show(false); };
        </script>`;
        const agent = await open(stage, says(html));

        const filled = await agent.text('browser_fill_form', {
          fields: [
            { target: '#drop', value: 'Plum' },
            { target: 'Note', value: 'x' },
          ],
        });
        expect(filled).toMatch(/^Filled 2 fields\. The page changed[^]*"Drop" collapsed = "Plum"\]/);
        expect(await agent.text('browser_select_option', { target: '#drop', values: ['Fig'] })).toMatch(/^Chosen\.[^]*value: "Fig"/);
      },
    );

    test(
      'fills components by what they are made of: a field in its list, a list behind fields that only tell of it',
      { tags: 'whole' },
      async ({ stage }) => {
        const html = `<style>.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; pointer-events: none } .over { position: absolute; background: white }</style>
        <div id="look"><div role="combobox" aria-expanded="false" aria-owns="found" aria-label="Search"><input type="search" aria-autocomplete="list" aria-controls="found"></div>
          <ul id="found" role="listbox" class="over" hidden></ul></div>
        <label for="food">Food</label><div id="drop" style="width:99px;height:20px"><div class="unseen"><input id="food" readonly aria-haspopup="listbox"></div>
          <div class="unseen"><select tabindex="-1"><option>Pick</option></select></div><b role="button" aria-haspopup="listbox" aria-expanded="false">v</b></div>
        <div class="over" id="foods" hidden><ul role="listbox"><li role="option">Soup</li><li role="option">Rice</li></ul></div>
        <p id="tree">none</p><div class="unseen"><input id="leaf" role="listbox" readonly aria-expanded="false" aria-haspopup="tree" aria-controls="leaves" aria-label="Leaf"></div>
        <ul id="leaves" role="tree" class="over" hidden><li role="treeitem">Oak</li><li role="treeitem">Elm</li></ul>
        <fieldset><legend><b>Size</b></legend><label><input type="radio" name="size">Small</label><label><input type="radio" name="size">Large</label></fieldset>
        <div role="group" aria-label="Align" id="align"><button aria-pressed="false">Left</button><button aria-pressed="false">Right</button></div>
        <script>
          const show = (list, opener, isOpen) => { list.hidden = !isOpen; opener.ariaExpanded = String(isOpen); };
          const [box] = look.children, field = box.firstChild;
          field.oninput = () => {
            found.innerHTML = ["Fig", "Plum"].filter((name) => name.startsWith(field.value)).map((name) => "<li role=option>" + name + "</li>").join("");
            show(found, box, true);
          };
          found.onclick = ({ target }) => { box.prepend(target.textContent); field.value = ""; show(found, box, false); };
          drop.onclick = () => show(foods, drop.lastElementChild, true);
          foods.onclick = ({ target }) => { food.value = target.textContent; show(foods, drop.lastElementChild, false); };
          leaf.parentElement.style.pointerEvents = "auto";
          leaf.onclick = () => show(leaves, leaf, true);
          leaves.onclick = ({ target }) => { leaf.value = tree.textContent = target.textContent; show(leaves, leaf, false); };
          align.onclick = ({ target }) => { target.ariaPressed = String(target.ariaPressed !== "true"); };
        </script>`;
        const agent = await open(stage, says(html));

        const filled = await agent.text('browser_fill_form', {
          fields: [
            { target: '#look', value: 'Plum' },
            { target: 'Food', value: 'Rice' },
            { target: '#leaf', value: 'Elm' },
            { target: '#align', value: ['Right'] },
            { target: 'text=Size', value: 'Large' },
          ],
        });
        expect(filled).toContain('Filled 5 fields. The page changed');
        expect(filled).toMatch(
          /"Food" readonly = "Rice"\][^]*"Leaf" collapsed readonly = "Elm"\][^]*group "Align" = "Right"\][^]*radio "Large" checked\]/,
        );
        expect(await agent.text('browser_evaluate', { function: '() => box.firstChild.data + food.value + tree.textContent' })).toContain(
          '"PlumRiceElm"',
        );
        expect(await agent.text('browser_fill_form', { fields: [{ target: '#drop', value: 'Soup' }] })).toMatch(
          /^Filled 1 field\. The page changed[^]*= "Soup"\]/,
        );
      },
    );

    test(
      'chooses once what is chosen already, and closes the list that opens as the others are taken away',
      { tags: 'whole' },
      async ({ stage }) => {
        const html = `<div id="tags"><div id="chosen"></div><input id="fruit" role="combobox" aria-autocomplete="list" aria-labelledby="told" aria-expanded="false" aria-controls="found"></div>
        <p id="told" style="position: absolute; width: 1px; height: 1px; overflow: hidden; margin: 0"></p><ul id="found" role="listbox" hidden></ul><script>
          let held = ["Fig", "Plum"];
          const show = (isOpen) => { found.hidden = !isOpen; fruit.ariaExpanded = String(isOpen); };
          const draw = () => {
            told.textContent = held.join(", ");
            chosen.innerHTML = held.map((name) => "<span>" + name + "<b style='cursor: pointer; display: inline-block; width: 9px; height: 9px'></b></span>").join(" ");
          };
          chosen.onclick = ({ target }) => { if (target.localName !== "b") return; held = held.filter((name) => name !== target.parentElement.textContent); draw(); show(true); };
          fruit.oninput = () => { found.innerHTML = ["Kiwi"].filter((name) => name.startsWith(fruit.value)).map((name) => "<li role=option>" + name + "</li>").join(""); show(true); };
          fruit.onkeydown = ({ key }) => { if (key === "Escape") show(false); };
          draw();
        </script>`;
        const agent = await open(stage, says(html));

        expect(await agent.text('browser_fill_form', { fields: [{ target: '#fruit', value: ['Plum'] }] })).toMatch(
          /combobox "Plum" collapsed = "Plum"\]/,
        );
        expect(await agent.text('browser_evaluate', { function: '() => held.join() + fruit.value' })).toContain('"Plum"');
      },
    );

    test('stays in one frame, for which it is allowed', async ({ stage }) => {
      const agent = await open(stage, 'frames.html');

      const error = await agent.error('browser_fill_form', {
        fields: [
          { target: 'body', value: 'x' },
          { target: await agent.ref(/^button "Press me"/), value: 'x' },
        ],
      });

      expect(error).toContain('use a call for each frame');
    });
  },
);
