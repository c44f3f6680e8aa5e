import { describe, expect, it } from 'vitest';
import { TOOL_ARGUMENTS_META, TOOL_CLASS_META, TOOL_TITLE_META, type ToolInfo } from '#protocol/browser.ts';
import { readCall } from '#companion/browser/read-call.ts';

const tool: ToolInfo = {
  name: 'open',
  description: 'Opens.',
  inputSchema: {},
  _meta: {
    [TOOL_CLASS_META]: 'navigate',
    [TOOL_TITLE_META]: 'Open {element|target} at {where} ',
    [TOOL_ARGUMENTS_META]: { address: 'where', browser: 'in', tab: 'target' },
  },
};

describe('what the companion reads of a call', () => {
  it('is told by the tool, whatever the arguments are called', () => {
    const reading = readCall(tool, { where: 'https://a.example', in: 'browser_1', target: 'e1' });

    expect(reading).toEqual({
      toolClass: 'navigate',
      title: 'Open e1 at https://a.example',
      template: tool._meta[TOOL_TITLE_META],
      values: { where: 'https://a.example' },
      address: 'https://a.example',
      browserId: 'browser_1',
      files: [],
      calls: null,
      question: null,
      wish: null,
      permissions: [],
      hasTab: true,
      onlyLooks: false,
    });
  });

  it('is sensitive where a result is saved as a file, whatever the tool does otherwise', () => {
    const looking = { [TOOL_CLASS_META]: 'read', [TOOL_ARGUMENTS_META]: { saves: 'filename' } } as const;
    const saving: ToolInfo = { ...tool, _meta: looking };

    expect(readCall(saving, {})).toMatchObject({ toolClass: 'read', onlyLooks: true });
    expect(readCall(saving, { filename: 'a.png' })).toMatchObject({ toolClass: 'sensitive', onlyLooks: false });
  });

  it('leaves out what was not given, or is of the wrong kind', () => {
    expect(readCall(tool, { where: 7, in: {}, element: '' })).toEqual({
      toolClass: 'navigate',
      title: 'Open at 7',
      template: tool._meta[TOOL_TITLE_META],
      values: { where: '7' },
      address: null,
      browserId: undefined,
      files: [],
      calls: null,
      question: null,
      wish: null,
      permissions: [],
      hasTab: false,
      onlyLooks: false,
    });
  });

  it('that changes nothing is one that reads, or navigates without an address and a tab', () => {
    const write: ToolInfo = { ...tool, _meta: { ...tool._meta, [TOOL_CLASS_META]: 'write' } };

    expect([{}, { where: 'https://a.example' }, { target: 'e1' }].map((args) => readCall(tool, args).onlyLooks)).toEqual([
      true,
      false,
      false,
    ]);
    expect(readCall(write, {}).onlyLooks).toBe(false);
  });

  it('that hands files over is sensitive, whatever the tool is', () => {
    const dropping: ToolInfo = { ...tool, _meta: { [TOOL_CLASS_META]: 'write', [TOOL_ARGUMENTS_META]: { files: 'what' } } };

    expect(readCall(dropping, { what: ['a.txt', 7, 'b.txt'] })).toMatchObject({ toolClass: 'sensitive', files: ['a.txt', 'b.txt'] });
    expect(readCall(dropping, { what: [] })).toMatchObject({ toolClass: 'write', files: [] });
    expect(readCall(dropping, { what: 'a.txt' })).toMatchObject({ toolClass: 'sensitive', files: ['a.txt'] });
  });

  it('sees no argument that only the prototype of objects has', () => {
    const odd: ToolInfo = {
      ...tool,
      _meta: { ...tool._meta, [TOOL_TITLE_META]: '{constructor}{__proto__}', [TOOL_ARGUMENTS_META]: { address: 'constructor' } },
    };

    expect(readCall(odd, {})).toMatchObject({ title: '', address: null });
    expect(readCall(odd, JSON.parse('{"__proto__":"x","constructor":"y"}'))).toMatchObject({ title: 'yx', address: 'y' });
  });

  it('is one line of bounded length', () => {
    expect(readCall(tool, { where: `a\n${'b'.repeat(500)}` }).title).toMatch(/^Open at a b{180,200}$/);
  });

  it('of a tool that says nothing is its name and class', () => {
    expect(readCall({ ...tool, _meta: { [TOOL_CLASS_META]: 'read' } }, { where: 'x' })).toEqual({
      toolClass: 'read',
      title: 'open',
      template: 'open',
      values: {},
      address: null,
      browserId: undefined,
      files: [],
      calls: null,
      question: null,
      wish: null,
      permissions: [],
      hasTab: false,
      onlyLooks: true,
    });
  });
});
