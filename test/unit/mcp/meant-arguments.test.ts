import { describe, expect, it } from 'vitest';
import { argumentFault } from '#companion/mcp/call-arguments.ts';
import { meantArguments } from '#companion/mcp/meant-arguments.ts';
import { tools } from '#extension/tools/index.ts';

const infoOf = (name: string) => {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.info;
};

const control = process.platform === 'darwin' ? 'Meta' : 'Control';

describe('arguments are taken as meant', () => {
  it.for([
    ['browser_click', { ref: 'e7' }, { target: 'e7' }],
    ['browser_click', { uid: 'e7', dblClick: 'true' }, { target: 'e7', doubleClick: true }],
    ['browser_click', { selector: '#go', tab_id: '12', DoubleClick: false }, { target: '#go', tabId: 12, doubleClick: false }],
    ['browser_click', { target: 'e7', modifiers: 'ControlOrMeta' }, { target: 'e7', modifiers: [control] }],
    [
      'browser_click',
      { target: 'e7', modifiers: ['ControlOrMeta', 'shift'], button: 'Left' },
      { target: 'e7', modifiers: [control, 'Shift'], button: 'left' },
    ],
    ['browser_click', { x: '10', y: '-2.5', target: null }, { x: 10, y: -2.5 }],
    ['browser_emulate_media', { contrast: null, tabId: null }, { contrast: null }],
    ['browser_type', { ref: 'e7', value: 42, submit: 'false' }, { target: 'e7', text: '42', submit: false }],
    ['browser_select_option', { target: 'e7', values: '["a","b"]' }, { target: 'e7', values: ['a', 'b'] }],
    ['browser_select_option', { target: 'e7', value: 'a' }, { target: 'e7', values: ['a'] }],
    ['browser_drag', { startRef: 'e1', endRef: 'e2' }, { startTarget: 'e1', endTarget: 'e2' }],
    ['browser_evaluate', { script: '1' }, { function: '1' }],
  ] as const)('%s %j', ([name, given, meant]) => {
    const info = infoOf(name);

    const { args, notes } = meantArguments(info, given);

    expect(args).toEqual(meant);
    expect(notes).toEqual([]);
    expect(argumentFault(info, true, args)).toBeNull();
  });

  it('leaves out what has no meaning, and says so', () => {
    const { args, notes } = meantArguments(infoOf('browser_navigate'), { url: 'https://a.example', waitUntil: 'load', intent: 'x' });

    expect(args).toEqual({ url: 'https://a.example' });
    expect(notes).toEqual(['Ignored, for it means nothing here: waitUntil, intent.']);
  });

  it('guesses nothing: what is misspelt, doubled or of a wrong type is refused by its name', () => {
    const fault = (name: string, given: Record<string, unknown>): string | undefined => {
      const info = infoOf(name);
      return argumentFault(info, true, meantArguments(info, given).args)?.message;
    };

    expect(fault('browser_type', { target: 'e1', text: 'a', submitt: true })).toContain('unknown: submitt');
    expect(fault('browser_click', { target: 'e1', modifier: ['Alt'] })).toContain('unknown: modifier');
    expect(meantArguments(infoOf('browser_click'), { target: 'e1', ref: 'e2' })).toEqual({
      args: { target: 'e1' },
      notes: ['Ignored, for it means nothing here: ref.'],
    });
    expect(fault('browser_click', { target: 'e1', x: 'ten' })).toContain('"x"');
    expect(fault('browser_type', { target: 'e1', text: { deep: 1 } })).toContain('"text"');
    expect(
      meantArguments(infoOf('browser_click'), JSON.parse('{"__proto__":{"x":1},"target":"e1"}') as Record<string, unknown>).args,
    ).toEqual({
      target: 'e1',
    });
  });
});
