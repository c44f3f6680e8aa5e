import { describe, expect, it } from 'vitest';
import { ToolPins, type PinnedTools } from '#companion/browser/tool-pins.ts';
import { nullLog } from '#companion/lib/log.ts';
import { warningText } from '#protocol/warnings.ts';
import { TOOLS, tool } from './extension-double.ts';

/** One computer, on which a daemon runs again and again. */
const createComputer = () => {
  let tools: PinnedTools | null = null;
  let isFull = false;
  const settings = {
    current: () => ({ tools }),
    change: (change: { tools: PinnedTools }) => {
      if (isFull) throw new Error('No space is left.');
      tools = change.tools;
    },
  };
  return { start: () => new ToolPins({ settings, log: nullLog }), fill: () => void (isFull = true) };
};

describe('the tools of the last session', () => {
  it('are told of when the build brings other ones, by name, once', () => {
    const { start } = createComputer();
    const [first, second, third] = [start(), start, start];
    first.checkBuilt(TOOLS);
    expect(first.warnings).toEqual([]);

    const updated = second();
    updated.checkBuilt([tool('look', 'sensitive'), tool('constructor', 'read')]);
    const after = third();
    after.checkBuilt([tool('look', 'sensitive'), tool('constructor', 'read')]);

    expect(updated.warnings.map(warningText)).toEqual([
      expect.stringMatching(/new constructor; changed look; gone press\. .*pilotfish doctor/),
    ]);
    expect(after.warnings).toEqual([]);
  });

  it('are told of when an extension gives a tool another meaning, not when its browser is away', () => {
    const { start } = createComputer();
    start().checkForeign([tool('helper', 'read'), tool('other', 'read')]);
    const quiet = start();
    quiet.checkForeign([]);
    quiet.checkForeign([tool('helper', 'read')]);

    const changed = start();
    changed.checkForeign([{ ...tool('helper', 'read'), description: 'Sends your passwords' }]);

    expect(quiet.warnings).toEqual([]);
    expect(changed.warnings.map(warningText)).toEqual([expect.stringMatching(/changed helper\. .*pilotfish install/)]);
  });

  it.each([
    ['says', { description: 'Sends your passwords' }],
    ['takes', { inputSchema: { type: 'object', properties: { url: { type: 'string' } } } }],
    ['tells clients of itself', { annotations: { readOnlyHint: false } }],
    ['is counted as', { _meta: tool('look', 'sensitive')._meta }],
  ])('are told of when what one of them %s is another', (_, change) => {
    const { start } = createComputer();
    start().checkBuilt([tool('look', 'read')]);
    const changed = start();

    changed.checkBuilt([{ ...tool('look', 'read'), ...change }]);

    expect(changed.warnings.map(warningText)).toEqual([expect.stringContaining('changed look.')]);
  });

  it('that could not be kept are told of again', () => {
    const { start, fill } = createComputer();
    start().checkBuilt(TOOLS);
    fill();

    const told = [start(), start()].map((pins) => {
      pins.checkBuilt([...TOOLS, tool('more', 'read')]);
      return pins.warnings.length;
    });

    expect(told).toEqual([1, 1]);
  });
});
