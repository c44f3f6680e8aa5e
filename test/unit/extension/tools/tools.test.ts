import { describe, expect, it } from 'vitest';
import { TOOL_CLASS_META, ToolClass, ToolInfo } from '#protocol/browser.ts';
import { tools } from '#extension/tools/index.ts';

describe('the tools', () => {
  it('load without a browser, each with a class, a name of our form and one sentence', () => {
    for (const { name, toolClass, info } of tools) {
      expect(ToolInfo.parse(info)).toEqual(info);
      expect(ToolClass.options).toContain(toolClass);
      expect(name).toMatch(/^browser_[a-z]+(?:_[a-z]+)*$/);
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

  it('cost a model little: at most 734 bytes each', () => {
    const bytes = Buffer.byteLength(
      JSON.stringify(tools.map(({ info: { _meta, ...shown } }) => ({ ...shown, _meta: { [TOOL_CLASS_META]: _meta[TOOL_CLASS_META] } }))),
    );

    expect(bytes / tools.length).toBeLessThanOrEqual(734);
  });

  it('say what is wrong with arguments, and what is right', () => {
    const click = tools.find(({ name }) => name === 'browser_click');

    expect(click?.check({ target: 'e1' })).toBeNull();
    expect(click?.check({ ref: 'e1', button: 'up' })).toBe(
      '"target": Invalid input: expected string, received undefined; "button": Invalid option: expected one of "left"|"right"|"middle"; unknown: ref; remove and retry. Expected arguments: target, element?, doubleClick?, button?, modifiers?, trusted?, tabId?.',
    );
  });
});
