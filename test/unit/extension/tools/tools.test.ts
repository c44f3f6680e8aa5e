import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { TOOL_CLASS_META, TOOL_SET_META, ToolClass, ToolInfo, listedSchema } from '#protocol/browser.ts';
import { defineTool } from '#extension/toolkit/tool.ts';
import { tools } from '#extension/tools/index.ts';

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..', '..');
const textsIn = (folder: string, ending: string): string[] =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8'));

describe('the tools', () => {
  it('are each a file and a line of the list, with a specification of their own and a place in the documentation', () => {
    const files = readdirSync(path.join(ROOT, 'extension', 'tools')).filter((name) => !['index.ts', 'list.ts'].includes(name));
    const list = readFileSync(path.join(ROOT, 'extension', 'tools', 'list.ts'), 'utf8');
    const specs = textsIn(path.join('test', 'tools'), '.spec.ts').join('\n');
    const documentation = readFileSync(path.join(ROOT, 'docs', 'tools.md'), 'utf8');

    expect(files.filter((name) => !list.includes(`from './${name}'`))).toEqual([]);
    const names = tools.map(({ name }) => name);
    expect(
      names.filter((name) => !new RegExp(`['"\`]${name}['"\`]`).test(specs)),
      'tools without a specification in test/tools',
    ).toEqual([]);
    expect(
      names.filter((name) => !documentation.includes(`\n## ${name}\n`)),
      'tools that docs/tools.md does not have: npm run docs',
    ).toEqual([]);
  });

  it('load without a browser, each with a class, a name of our form and one sentence', () => {
    for (const { name, toolClass, info } of tools) {
      expect(ToolInfo.parse(info)).toEqual(info);
      expect(ToolClass.options).toContain(toolClass);
      expect(name).toMatch(info._meta[TOOL_SET_META] === 'chrome' ? /^(?:chrome|performance)_[a-z_]+$/ : /^browser_[a-z]+(?:_[a-z]+)*$/);
      expect(info.description).toMatch(/^[A-Z].*[a-z]\.$/);
      expect(info.description).not.toMatch(/\. /);
    }
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  });

  it('describe every field, refuse unknown ones, and let a page tool be given its tab', () => {
    for (const { info, scope } of tools) {
      const schema = info.inputSchema as { properties: Record<string, { description?: string }>; additionalProperties: boolean };
      for (const [field, property] of Object.entries(schema.properties))
        expect([info.name, field, property.description]).toEqual([info.name, field, expect.any(String)]);
      expect(schema.additionalProperties).toBe(false);
      if (scope !== 'browser') expect(Object.keys(schema.properties)).toContain('tabId');
    }
  });

  it('cost a model little: at most 755 bytes each', () => {
    const usual = tools.filter(({ info }) => info._meta[TOOL_SET_META] === undefined);
    const bytes = Buffer.byteLength(
      JSON.stringify(
        usual.map(({ info: { _meta, inputSchema, ...shown } }) => ({
          ...shown,
          inputSchema: listedSchema(inputSchema),
          _meta: { [TOOL_CLASS_META]: _meta[TOOL_CLASS_META] },
        })),
      ),
    );

    expect(bytes / usual.length).toBeLessThanOrEqual(755);
    expect(usual.length).toBeLessThanOrEqual(34);
  });

  it('cost a model at most 4,500 tokens of names, descriptions and schemas', () => {
    const usual = tools.filter(({ info }) => info._meta[TOOL_SET_META] === undefined);
    const texts = usual.map(({ info: { name, description, inputSchema } }) =>
      JSON.stringify({ name, description, inputSchema: listedSchema(inputSchema) }),
    );

    // Counted with o200k_base these texts have 4.36 characters a token.
    expect(texts.join('').length / 4.3).toBeLessThanOrEqual(4_500);
  });

  it('take what other products have, and do not list it where few need it', () => {
    const evaluate = tools.find(({ name }) => name === 'browser_evaluate');
    const listed = listedSchema(evaluate?.info.inputSchema ?? {})['properties'] as object;

    expect(evaluate?.check({ function: '1', element: 'Save', filename: 'a.md' })).toBeNull();
    expect(Object.keys(listed)).toEqual(['function', 'target', 'tabId']);
    expect(evaluate?.isReading({ function: '1' })).toBe(false);
    const picture = tools.find(({ name }) => name === 'browser_take_screenshot');
    expect([picture?.isReading({}), picture?.isReading({ filename: 'a.png' })]).toEqual([true, false]);
  });

  it('say what is wrong with arguments, and what is right', () => {
    const click = tools.find(({ name }) => name === 'browser_click');

    expect(click?.check({ target: 'e1' })).toBeNull();
    expect(click?.check({ ref: 'e1', button: 'up' })).toBe(
      '"button": Invalid option: expected one of "left"|"right"|"middle"; unknown: ref; remove and retry. Expected arguments: target?, x?, y?, element?, doubleClick?, clickCount?, button?, modifiers?, trusted?, tabId?.',
    );
  });

  it.for([
    ['browser_drop', { target: 'e1', paths: [] }, /^it needs "paths" or "data"\. Expected/],
    ['browser_file_upload', { paths: [] }, /^it needs "paths"/],
    ['browser_clipboard', { action: 'write' }, /^"text" is missing/],
    ['browser_request', { url: 'https://a.example/', body: 'x' }, /^GET and HEAD have no "body"/],
    ['browser_bookmarks', { action: 'add', url: 'javascript:1' }, /^to add one, "url" must be/],
    ['browser_bookmarks', { action: 'delete' }, /^give the "id" or the "url"/],
  ] as const)('say of %s with %j what is missing, before a person is asked', ([name, args, fault]) => {
    expect(tools.find((tool) => tool.name === name)?.check(args)).toMatch(fault);
  });

  it('say themselves which tab and frame a call is about, whatever their arguments are called', () => {
    const spin = defineTool({
      name: 'browser_spin',
      title: 'Spin {what}',
      description: 'Spin it.',
      input: z.strictObject({ where: z.number().optional(), what: z.string(), tabId: z.number().optional() }),
      parts: { tab: 'where' },
      target: 'what',
      toolClass: 'write',
      scope: 'page',
      run: () => Promise.reject(new Error('not run here')),
    });

    expect(spin.placeOf({ where: 3, what: 'f7e2', tabId: 9 })).toMatchObject({ tabId: 3, frameId: 7 });
    expect(spin.placeOf({ what: '#top' })).toMatchObject({ tabId: undefined, frameId: 0 });
    for (const { info, placeOf } of tools) {
      const { properties } = info.inputSchema as { properties: Record<string, unknown> };
      expect([info.name, placeOf({ tabId: 3, target: 'f7e2' })]).toMatchObject([
        info.name,
        { tabId: 'tabId' in properties ? 3 : undefined, frameId: 'target' in properties ? 7 : 0 },
      ]);
    }
  });
});
