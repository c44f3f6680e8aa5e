import { describe, expect, it } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import type { Acted, Loaded, Page } from '#extension/toolkit/page.ts';
import type { ToolContext } from '#extension/toolkit/tool.ts';
import { browserType } from '#extension/tools/browser-type.ts';

/** Stands for a page, which answers an action as it is told. */
const typed = async (acted: Partial<Acted<null>>, args: Record<string, unknown> = {}): Promise<string> => {
  const whole: Acted<null> = { value: null, loaded: null, newTabs: [], dialogs: [], asksForFiles: false, asks: [], ...acted };
  const page: Pick<Page, 'info' | 'act'> = {
    info: () => Promise.resolve({ url: 'http://127.0.0.1/', title: '' }),
    act: <T>() => Promise.resolve(whole as Acted<T>),
  };
  const signal = new AbortController().signal;
  const context = { sessionId: SessionId.parse('session_1'), signal, page } as unknown as ToolContext;
  const { content } = await browserType.run({ target: 'e1', text: 'x', ...args }, context);
  return String(content[0]?.['text']);
};

const loaded: Loaded = { url: 'http://127.0.0.1/next', title: 'Next', status: 200, isReady: true };

describe('browser_type', () => {
  it('does not say that a text was typed when the page left before it could say so', async () => {
    for (const submit of [false, true])
      expect(await typed({ loaded }, { submit })).toMatch(/^The page was left in the same moment: it is not known .* A page was loaded/);
  });

  it('says to look again when a dialog came in between', async () => {
    expect(await typed({ dialogs: [{ id: 'd1', type: 'alert', message: 'Stop', answer: null }] })).toMatch(
      /^Typed, until a dialog came; .*browser_handle_dialog/,
    );
  });
});
