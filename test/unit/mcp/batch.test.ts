import { describe, expect, it } from 'vitest';
import { ERROR_META, SURPRISE_META, type ToolResult } from '#protocol/browser.ts';
import { makeBatch } from '#companion/mcp/batch.ts';

const run = async (
  names: readonly string[],
  results: Record<string, Partial<ToolResult>> = {},
): Promise<{ made: string[]; result: ToolResult; text: string }> => {
  const made: string[] = [];
  const result = await makeBatch(
    names.map((name) => ({ name })),
    {
      batch: 'browser_batch',
      make: (name) => {
        made.push(name);
        return Promise.resolve({ content: [{ type: 'text', text: `${name} done` }], ...results[name] });
      },
      onlyLooks: (name) => name === 'look',
      faultOf: (name) => (name === 'typo' ? { isError: true, content: [{ type: 'text', text: 'no such tool' }] } : null),
    },
  );
  return { made, result, text: result.content.map((block) => String(block['text'])).join('\n') };
};

const surprising = { _meta: { [SURPRISE_META]: 'a page was loaded' } };

describe('a batch', () => {
  it('makes its calls in order and gives all their results', async () => {
    const { made, text } = await run(['type', 'click', 'look']);

    expect(made).toEqual(['type', 'click', 'look']);
    expect(text).toBe('Call 1, type:\ntype done\nCall 2, click:\nclick done\nCall 3, look:\nlook done');
  });

  it('stops at the first that fails', async () => {
    const _meta = { [ERROR_META]: { code: 'CALL_CANCELLED' } };
    const { made, result, text } = await run(['type', 'click', 'look'], { click: { isError: true, _meta } });

    expect(made).toEqual(['type', 'click']);
    expect(result).toMatchObject({ isError: true, _meta });
    expect(text).toContain('Stopped after call 2 of 3: it failed.');
  });

  it('stops when the answer has become longer than agents take', async () => {
    const long: Partial<ToolResult> = { content: [{ type: 'text', text: '潮'.repeat(6_000) }] };

    const { made, result, text } = await run(['look', 'look', 'click', 'look'], { look: long });

    expect(made).toEqual(['look', 'look']);
    expect(result.isError).toBeUndefined();
    expect(text).toContain('Stopped after call 2 of 4: the answer has become long.');
    expect((await run(['click', 'look', 'look'], { look: long })).text).not.toContain('Stopped');
  });

  it('cuts a look that is too long beside what came before, within its envelope', async () => {
    const page = (lines: number): Partial<ToolResult> => ({
      content: [{ type: 'text', text: `Seen.\n<k3yOfIt untrusted https://x.example>\n${'button Save\n'.repeat(lines)}</k3yOfIt>` }],
    });
    const long: Partial<ToolResult> = { content: [{ type: 'text', text: `Code:\n${'潮'.repeat(20_000)}` }] };

    const { text } = await run(['read', 'look'], { read: page(1_000), look: page(2_200) });
    const chinese = await run(['look'], { look: long });
    const whole = await run(['look'], { look: page(2_200) });

    expect(text.length).toBeLessThan(28_000);
    expect(text).toMatch(/\nbutton Save\n<\/k3yOfIt>\n\(Cut here, [^\n]*\)$/);
    expect(text.split('</k3yOfIt>')).toHaveLength(3);
    expect(new TextEncoder().encode(chinese.text).length).toBeLessThan(48_000);
    expect(chinese.text).toMatch(/潮\n\(Cut here/);
    expect(whole.text).not.toContain('Cut here');
  });

  it('after a surprise only looks', async () => {
    const { made, result, text } = await run(['click', 'look', 'type', 'look'], { click: surprising });

    expect(made).toEqual(['click', 'look']);
    expect(result.isError).toBeUndefined();
    expect(text).toContain('Stopped after call 2 of 4: a page was loaded.');
    expect((await run(['type', 'click'], { click: surprising })).text).not.toContain('Stopped');
  });

  it('makes none where one of them cannot be made', async () => {
    const { made, result, text } = await run(['type', 'typo']);

    expect(made).toEqual([]);
    expect(result.isError).toBe(true);
    expect(text).toBe('Call 2, typo:\nno such tool\nNone of the 2 calls was made. Correct this one, then make them all.');
  });

  it('is no call of another', async () => {
    await expect(run(['browser_batch'])).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});
