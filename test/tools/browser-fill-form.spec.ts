import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

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
