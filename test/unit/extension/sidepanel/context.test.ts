import { describe, expect, test } from 'vitest';
import { trimMarkup, withoutSecrets } from '#extension/content/markup.ts';
import { PageMessage } from '#extension/shared/messages.ts';
import { toPreview } from '#extension/sidepanel/attachments.ts';
import { ContextActions } from '#extension/sidepanel/context-actions.ts';
import { Store } from '#extension/sidepanel/state.ts';

describe('a message to the worker', () => {
  test('asks for a known kind in a window', () => {
    const message = { type: 'context.capture', kind: 'element', windowId: 7 };

    expect(PageMessage.parse(message)).toEqual(message);
    expect(PageMessage.safeParse({ type: 'context.cancel', windowId: 7 }).success).toBe(true);
    expect(PageMessage.safeParse({ type: 'tab.hand', sessionId: 's1', windowId: 7 }).success).toBe(true);
  });

  test.for([
    { type: 'context.capture', kind: 'cookies', windowId: 7 },
    { type: 'context.capture', kind: 'element' },
    { type: 'context.capture', kind: 'element', windowId: -2 },
    { type: 'context.capture', kind: 'element', windowId: '7' },
    { type: 'context.cancel' },
    { type: 'tab.hand', windowId: 7 },
    { type: 'tab.take', sessionId: 's1', windowId: 7 },
    { type: 'context.everything', windowId: 7 },
    null,
  ])('is refused when it is %j', (message) => {
    expect(PageMessage.safeParse(message).success).toBe(false);
  });
});

describe('the markup of an element', () => {
  test('loses secrets wherever they stand, the longest first', () => {
    const html = '<b data-copy="a&amp;b-secret">a&amp;b-secret a&b-secret</b><i>a&b-secret-too</i>';

    const kept = withoutSecrets(html, ['a&b-secret', 'a&b-secret-too']);

    expect(kept).toBe('<b data-copy="[redacted]">[redacted] [redacted]</b><i>[redacted]</i>');
  });

  test('is cut between two characters and says so', () => {
    const cut = trimMarkup(`<p>${'漢'.repeat(100)}</p>`, 101);

    expect(new TextEncoder().encode(cut).length).toBeLessThanOrEqual(101);
    expect(cut).toMatch(/^<p>漢+<!-- cut: 307 bytes in all -->$/);
    expect(trimMarkup('<p>short</p>')).toBe('<p>short</p>');
  });
});

describe('an attached text', () => {
  test('shows how it begins', () => {
    const attached = {
      kind: 'selection' as const,
      name: 'n',
      mimeType: 'text/plain',
      dataBase64: Buffer.from('漢'.repeat(200)).toString('base64'),
    };

    expect(toPreview(attached)).toBe('漢'.repeat(100));
  });
});

describe('what is attached from a page', () => {
  const open = (url: string, served: { name: string } | null) => {
    const asked: unknown[] = [];
    const store = new Store();
    const actions = new ContextActions({
      store,
      page: {
        ...noPage,
        capture: () => Promise.resolve({ state: 'picture', url, title: '', mimeType: 'image/jpeg', dataBase64: '' }),
      },
      call: ((_: unknown, given: unknown) => {
        asked.push(given);
        return served === null
          ? Promise.reject(new Error('an older daemon'))
          : Promise.resolve({ folder: '/w/web', root: '/w', project: served, sessionId: null });
      }) as never,
    });
    return { asked, actions, store, take: () => actions.capture('element', (host) => `Element of ${host}`) };
  };

  test('of this machine is named after the project that is served there', async () => {
    const { asked, take } = open('http://localhost:5173/cart', { name: 'Shop' });

    expect(await take()).toMatchObject({ attached: { name: 'Element of localhost:5173 (Shop)' } });
    expect(asked).toEqual([{ query: { port: 5173, host: 'localhost' } }]);
    expect(await open('http://localhost/', null).take()).toMatchObject({ attached: { name: 'Element of localhost' } });
  });

  test('is not asked about where the daemon is on another machine', async () => {
    const { actions, asked, store } = open('http://localhost:5173/cart', { name: 'Shop' });
    const url = new URL('http://localhost:5173/cart');
    expect(await actions.servedAt(url)).toMatchObject({ project: { name: 'Shop' } });

    store.set({ connection: { state: 'connected', port: 1, base: 'http://far.example:9', token: 't', companionVersion: '1' } });

    expect(await actions.servedAt(url)).toBeNull();
    expect(asked).toHaveLength(1);
  });

  test('of anywhere else is named after its host alone, and nobody is asked', async () => {
    const { asked, take } = open('https://shop.example/cart', { name: 'Shop' });

    expect(await take()).toMatchObject({ attached: { name: 'Element of shop.example' } });
    expect(asked).toEqual([]);
  });
});

const noPage = {
  tabs: async () => [],
  watchTab: () => () => {},
  openSettings: async () => {},
  actPictures: async () => new Map(),
  keepPicturesOf: async () => {},
  sessionTabs: () => Promise.resolve([]),
  tab: async () => null,
  keep: async () => null,
  cancel: async () => {},
};
