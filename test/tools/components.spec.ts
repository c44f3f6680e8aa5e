/** Fields of component libraries: what they say of themselves where no attribute does, and what stands in their trees. */
import { expect } from 'vitest';
import { describeTabs, test } from './tool-test.ts';

/** As the browser writes the address. */
const saying = (markup: string): string => `says?text=${encodeURIComponent(`<!doctype html>${markup}`).replaceAll("'", '%27')}`;

/** Components that keep what they are in ElementInternals alone. */
const SAID = `<script>
  class Said extends HTMLElement {
    static formAssociated = true;
    internals = this.attachInternals();
    constructor() {
      super();
      this.attachShadow({ mode: 'open' }).innerHTML = '<span style="display:inline-block;width:20px;height:20px;background:teal"></span><slot></slot>';
    }
    say(what) { Object.assign(this.internals, what); }
  }
  customElements.define('x-check', class extends Said {
    connectedCallback() {
      this.tabIndex = 0;
      this.say({ role: this.getAttribute('kind') ?? 'checkbox', ariaChecked: 'false' });
      this.addEventListener('click', () => this.turn(this.internals.ariaChecked !== 'true'));
    }
    turn(isOn) {
      for (const other of this.parentElement.children) if (isOn && this.internals.role === 'radio' && other !== this) other.turn(false);
      this.say({ ariaChecked: String(isOn) });
    }
  });
  customElements.define('x-group', class extends Said {
    connectedCallback() { this.say({ role: 'radiogroup', ariaLabel: 'Size' }); }
  });
  customElements.define('x-loud', class extends Said {
    connectedCallback() {
      this.tabIndex = 0;
      this.say({ role: 'slider', ariaLabel: 'Loud', ariaValueNow: '3', ariaValueText: '' });
      this.addEventListener('keydown', ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
        this.say({ ariaValueNow: String(Number(this.internals.ariaValueNow) + step) });
      });
    }
  });
  customElements.define('x-list', class extends Said { connectedCallback() { this.hidden = true; this.say({ role: 'listbox' }); } });
  customElements.define('x-option', class extends Said {
    connectedCallback() {
      this.say({ role: 'option', ariaSelected: 'false' });
      this.addEventListener('click', () => {
        for (const other of this.parentElement.children) other.say({ ariaSelected: String(other === this) });
        this.parentElement.hidden = true;
        fruit.textContent = this.textContent;
        fruit.setAttribute('aria-expanded', 'false');
      });
    }
  });
</script>`;

describeTabs(
  (how) => `in a ${how} tab`,
  ({ open }) => {
    test('what components say of themselves without an attribute is told, found and filled', async ({ stage }) => {
      const agent = await open(
        stage,
        saying(`${SAID}<x-check id="a"></x-check><label for="a">I agree</label> <x-check kind="switch">Wifi</x-check>
          <x-group><x-check kind="radio">Small</x-check><x-check kind="radio">Large</x-check></x-group><x-loud></x-loud>
          <x-field aria-label="Fruit"><button id="fruit" role="combobox" aria-expanded="false" onclick="this.nextElementSibling.hidden = false; this.setAttribute('aria-expanded', 'true')"></button><x-list><x-option>Apple</x-option><x-option>Banana</x-option></x-list></x-field>`),
      );

      const told = await agent.text('browser_snapshot');
      for (const line of [
        'checkbox "I agree"]',
        'switch "Wifi"]',
        'radio "Small"]',
        'radio "Large"]',
        'slider "Loud" = "3"]',
        'combobox "Fruit"',
      ])
        expect(told).toContain(line);
      const filled = await agent.text('browser_fill_form', {
        fields: [
          { target: 'I agree', value: true },
          { target: 'text=Wifi', value: true },
          { target: 'role=radiogroup[name="Size"]', value: 'Large' },
          { target: 'Loud', value: 5 },
          { target: 'Fruit', value: 'Banana' },
        ],
      });
      for (const line of [
        'checkbox "I agree" checked]',
        'switch "Wifi" checked]',
        'radio "Large" checked]',
        'slider "Loud" = "5"]',
        '= "Banana"]',
      ])
        expect(filled).toContain(line);
      expect(await agent.text('browser_click', { target: 'role=radio[name="Small"]' })).toContain('radio "Small" checked]');
      expect(await agent.text('browser_snapshot')).toContain('radio "Large"]');
    });

    test('words mean the field that they name, and what nobody sees of a component is not told', async ({ stage }) => {
      const inside = `<style>b::after { content: var(--twice); display: block; height: 0; visibility: hidden; overflow: hidden }</style>
        <label><input type="checkbox" title=""><div><b><slot></slot></b></div></label><div style="position:absolute;clip:rect(0,0,0,0);overflow:hidden;width:1px"><label><input hidden></label></div>`;
      const agent = await open(
        stage,
        saying(`<x-box style="--twice: 'I agree'">I agree</x-box><p><span id="what">Fruit</span><select aria-labelledby="what more"><option>Apple<option>Banana</select><i id="more">(one)</i></p>
          <button aria-pressed="false" onclick="this.ariaPressed = true"><span>Bold</span></button>
          <div role="checkbox" aria-checked="true" tabindex="0"><label>Mail <input type="checkbox" checked></label></div>
          <script>
            customElements.define('x-box', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(inside)}; } });
          </script>`),
      );

      const told = await agent.text('browser_snapshot');
      expect(told).toContain('checkbox "I agree"]');
      expect(told).not.toContain('checkbox checked]');
      expect(told).toContain('checkbox "Mail" checked]');
      expect(told).not.toContain('textbox');
      const filled = await agent.text('browser_fill_form', {
        fields: [
          { target: 'I agree', value: true },
          { target: 'Fruit', value: 'Banana' },
          { target: 'Bold', value: true },
        ],
      });
      for (const line of ['checkbox "I agree" checked]', '= "Banana"', 'button "Bold" pressed]']) expect(filled).toContain(line);
    });

    test('the parts of a date take its digits one by one, and hand on those that are too many', { tags: 'whole' }, async ({ stage }) => {
      const day = (name: string): string =>
        `<span role="spinbutton" contenteditable="true" tabindex="0" aria-label="${name}" onbeforeinput="take(event)">__</span>`;
      const agent = await open(
        stage,
        saying(`<div role="group" aria-label="Day">${day('month')}${day('day')}</div>
          <script>
            const take = (event) => {
              event.preventDefault();
              const held = (event.target.textContent + event.data).replaceAll('_', '').slice(0, 2);
              event.target.textContent = held;
              if (held.length === 2) event.target.nextElementSibling?.focus();
            };
          </script>`),
      );

      expect(await agent.error('browser_fill_form', { fields: [{ target: 'role=group[name="Day"]', value: '12-24' }] })).toContain(
        'Fill the fields in it, each by itself.',
      );
      await agent.text('browser_type', { target: 'role=spinbutton[name="month"]', text: '1224' });
      expect(await agent.text('browser_snapshot')).toMatch(/spinbutton "month" = "12"\] \[e\d+ spinbutton "day" = "24"\]/);
    });

    test(
      'fields of which others are drawn are found by what they are called, and hold what stands in their label',
      { tags: 'whole' },
      async ({ stage }) => {
        const unseen = 'position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)';
        const star = (count: number): string =>
          `<div style="cursor:pointer;display:inline-block;width:16px" onclick="rate.textContent = 'Rated ${count}'"><span style="${unseen}"><input type="radio" name="r" aria-label="${count} stars" style="transform:scale(0)"></span><svg width="16" height="16"><path d="M0 0h16v16H0z"></path></svg></div>`;
        const card = (name: string): string => `<div><h3>${name}</h3><button>Save</button></div>`;
        const agent = await open(
          stage,
          saying(`<label>Fruit <button role="combobox" aria-expanded="false">Banana</button></label>
          <p id="place">Place</p><div style="position:relative" onclick="places.hidden = false; field.ariaExpanded = true"><div style="${unseen}"><input id="field" role="combobox" readonly aria-labelledby="place" aria-expanded="false" aria-controls="places"></div>Pick</div>
          <div role="tree" id="places" hidden><div role="treeitem" aria-expanded="false">Asia</div></div>
          <p id="rate">Not rated</p>${star(1)}${star(2)}
          <p id="tab"><span>Account</span><span style="visibility:hidden">Account</span></p><div role="tabpanel" tabindex="0" aria-labelledby="tab">AAA</div>
          <label>Price <input onchange="this.value = '1.234,50 €'"></label>${card('Billing')}${card('Shipping')}`),
        );

        const told = await agent.text('browser_snapshot');
        expect(told).toContain('combobox "Fruit" collapsed]: Banana');
        expect(told).toContain('tabpanel "Account"]');
        expect(await agent.text('browser_click', { target: 'text=2 stars' })).toContain('Rated 2');
        expect(await agent.error('browser_fill_form', { fields: [{ target: 'Place', value: 'Japan' }] })).toContain(
          'open the list and the branch',
        );
        expect(await agent.text('browser_fill_form', { fields: [{ target: 'Price', value: '1234,5' }] })).not.toContain('did not take');
        expect(await agent.error('browser_click', { target: 'text=Save' })).toMatch(
          /button "Save" in "Billing Save", e\d+ button "Save" in "Shipping Save"/,
        );
      },
    );

    test('a group takes what stands in its slots, and a list is opened by the box that its field lies behind', async ({ stage }) => {
      const agent = await open(
        stage,
        saying(`<x-sizes><x-size role="radio" tabindex="0" aria-checked="false">Small</x-size><x-size role="radio" tabindex="0" aria-checked="false">Large</x-size></x-sizes>
          <div style="isolation:isolate"><div style="position:relative;width:200px;height:30px;background:white;cursor:pointer" onclick="field.ariaExpanded = list.hidden; list.hidden = !list.hidden">
            <input id="field" role="combobox" readonly aria-label="Fruit" aria-expanded="false" aria-controls="list" style="position:absolute;z-index:-1;opacity:0"></div></div>
          <div id="list" role="listbox" hidden><div role="option" onclick="field.value = 'Apple'; list.hidden = true; field.ariaExpanded = false">Apple</div></div>
          <script>customElements.define('x-sizes', class extends HTMLElement {
            constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<fieldset role="radiogroup" aria-label="Size"><div hidden><input></div><slot></slot></fieldset>'; }
            connectedCallback() { this.addEventListener('click', ({ target }) => { for (const one of this.children) one.ariaChecked = String(one === target); }); }
          });</script>`),
      );

      const filled = await agent.text('browser_fill_form', {
        fields: [
          { target: 'role=radiogroup[name="Size"]', value: 'Large' },
          { target: 'Fruit', value: 'Apple' },
        ],
      });
      expect(filled).toContain('radio "Large" checked]');
      expect(filled).toContain('= "Apple"');
    });
  },
);
