/** Fields of component libraries: what they say of themselves where no attribute does, and what stands in their trees. */
import { expect } from 'vitest';
import { describeTabs, test } from './tool-test.ts';

/** As the browser writes the address. */
const saying = (markup: string): string => `says?text=${encodeURIComponent(`<!doctype html>${markup}`).replaceAll("'", '%27')}`;

describeTabs(
  (how) => `in a ${how} tab`,
  ({ open }) => {
    test('the parts of a date take its digits one by one, and hand on those that are too many', async ({ stage }) => {
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
  },
);
