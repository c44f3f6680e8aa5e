import { describe, expect, it } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { DocumentGoneError } from '#extension/toolkit/page-error.ts';
import type { Acted, Page } from '#extension/toolkit/page.ts';
import type { ToolContext } from '#extension/toolkit/tool.ts';
import { browserClick } from '#extension/tools/browser-click.ts';

describe('browser_click', () => {
  it('does not take a page that leaves while its target is waited for as left by a press', async () => {
    const asked: string[] = [];
    // Stands for a page whose button is disabled, and which leaves by itself.
    const page = {
      info: () => Promise.resolve({ url: 'http://127.0.0.1/', title: '' }),
      newestRequest: () => 0,
      activate: () => Promise.resolve(),
      moment: () => Promise.resolve(true),
      act: async <T>(action: () => Promise<T>): Promise<Acted<T>> => {
        const value = await action();
        return { value, loaded: null, newTabs: [], dialogs: [], asksForFiles: false, asks: [] };
      },
      ask: (name: string) => {
        asked.push(name);
        return asked.length === 1 ? Promise.resolve({ notReady: 'it is disabled' }) : Promise.reject(new DocumentGoneError());
      },
    } as unknown as Page;
    const context = { sessionId: SessionId.parse('session_1'), signal: new AbortController().signal, page } as unknown as ToolContext;

    await expect(browserClick.run({ target: '#off' }, context)).rejects.toMatchObject({ code: 'DOCUMENT_CHANGED' });

    expect(asked).toEqual(['click', 'aim']);
  });

  it('does not say that it clicked in a page that left before it could say so', async () => {
    // Stands for a page that goes on to another one while it is asked.
    const page = {
      info: () => Promise.resolve({ url: 'http://127.0.0.1/', title: '' }),
      newestRequest: () => 0,
      activate: () => Promise.resolve(),
      openDialog: () => null,
      act: async <T>(action: () => Promise<T>): Promise<Acted<T>> => {
        const value = await action().catch(() => null);
        const loaded = { url: 'http://127.0.0.1/next', title: 'Next', status: 200, isReady: true };
        return { value, loaded, newTabs: [], dialogs: [], asksForFiles: false, asks: [] };
      },
      ask: () => Promise.reject(new DocumentGoneError()),
    } as unknown as Page;
    const context = { sessionId: SessionId.parse('session_1'), signal: new AbortController().signal, page } as unknown as ToolContext;

    const { content } = await browserClick.run({ target: '#go' }, context);

    expect(content[0]?.['text']).toMatch(
      /^The page was left in the same moment: it is not known whether it was clicked\. A page was loaded \(HTTP 200\)\./,
    );
  });
});
