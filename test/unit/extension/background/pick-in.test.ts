import { expect, onTestFinished, test, vi } from 'vitest';
import { pickIn } from '#extension/background/pick-in.ts';

const element = {
  ref: 1,
  selector: 'h1',
  role: 'heading',
  name: '',
  text: '',
  html: '',
  url: '',
  title: '',
  hasNext: false,
};

/** Line 43 of the script is line 1 of the page's source. */
const map = JSON.stringify({
  version: 3,
  sections: [{ offset: { line: 42, column: 0 }, map: { version: 3, sources: ['file:///app/page.tsx'], names: [], mappings: 'AAAA' } }],
});

test('what React has made on the server is told by its source, as the development server maps it', async () => {
  const asked: string[] = [];
  vi.stubGlobal('chrome', {
    webNavigation: { onDOMContentLoaded: { addListener: () => {}, removeListener: () => {} } },
    scripting: {
      executeScript: async ({ func, args }: { func: (...given: unknown[]) => unknown; args: unknown[] }) =>
        args[0]?.toString().startsWith('file:') === true ? [{ result: await func(...args) }] : [],
    },
  });
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address);
    return Promise.resolve(new Response(map));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const source = 'about://React/Server/file:///app/.next/ssr/a.js?3:43:264 (React, as built)';

  const documents = [{ frameId: 0, documentId: 'D', url: 'http://localhost:3000/' }];
  const picked = await pickIn({ tabId: 7, documents: () => Promise.resolve(documents) }, () => Promise.resolve({ ...element, source }));

  expect(picked?.element.source).toBe('file:///app/page.tsx:1:1 (React)');
  expect(asked).toEqual(['/__nextjs_source-map?filename=file%3A%2F%2F%2Fapp%2F.next%2Fssr%2Fa.js%3F3']);
});

test('a source map that comes slowly is waited for as long as more of it comes, and given up when nothing does', async () => {
  const beats = new Set<() => void>();
  const pass = (count: number): void => {
    for (let beat = 0; beat < count; beat += 1) for (const tell of beats) tell();
  };
  const script = 'http://localhost:3000/app.js';
  const sent = `//# sourceMappingURL=${encodeURI(`data:application/json,${map}`)}`;
  let isStuck = false;
  vi.stubGlobal('setInterval', (tell: () => void) => {
    beats.add(tell);
    return tell;
  });
  vi.stubGlobal('clearInterval', (tell: () => void) => void beats.delete(tell));
  vi.stubGlobal('fetch', (address: string, { signal }: { signal: AbortSignal }) => {
    if (address !== script) return Promise.resolve(new Response(map));
    const parts = [...Array.from({ length: 20 }, () => '//\n'), sent];
    const body = new ReadableStream<Uint8Array>({
      pull: (stream) => {
        pass(isStuck ? 31 : 5);
        if (signal.aborted) return stream.error(signal.reason);
        const part = parts.shift();
        return part === undefined ? stream.close() : stream.enqueue(new TextEncoder().encode(part));
      },
    });
    return Promise.resolve(new Response(body));
  });
  vi.stubGlobal('chrome', {
    webNavigation: { onDOMContentLoaded: { addListener: () => {}, removeListener: () => {} } },
    scripting: {
      executeScript: async ({ func, args }: { func: (...given: unknown[]) => unknown; args: unknown[] }) =>
        args[0] === script ? [{ result: await func(...args) }] : [],
    },
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const documents = [{ frameId: 0, documentId: 'D', url: 'http://localhost:3000/' }];
  const pick = (): ReturnType<typeof pickIn> =>
    pickIn({ tabId: 7, documents: () => Promise.resolve(documents) }, () =>
      Promise.resolve({ ...element, source: `${script}:43:264 (React, as built)` }),
    );

  const slow = await pick();
  isStuck = true;
  const stuck = await pick();

  expect(slow?.element.source).toBe('file:///app/page.tsx:1:1 (React)');
  expect(stuck?.element.source).toBe(`${script}:43:264 (React, as built)`);
});

test.for([
  ['webpack:///./src/Cart.jsx?:8:84 (React, Cart, as built)', 'src/Cart.jsx:8:84 (React, Cart, as built)'],
  ['webpack://shop/./src/Cart.jsx?1f0c:8:84 (React, as built)', 'src/Cart.jsx:8:84 (React, as built)'],
  ['webpack-internal:///(app-pages-browser)/./app/cart.tsx:3:10 (React, Cart, as built)', 'app/cart.tsx:3:10 (React, Cart, as built)'],
] as const)('a module that nobody can load, %s, is told by the name of its file', async ([source, told]) => {
  vi.stubGlobal('chrome', {
    webNavigation: { onDOMContentLoaded: { addListener: () => {}, removeListener: () => {} } },
    scripting: { executeScript: async () => [] },
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const documents = [{ frameId: 0, documentId: 'D', url: 'http://localhost:8080/' }];

  const picked = await pickIn({ tabId: 7, documents: () => Promise.resolve(documents) }, () => Promise.resolve({ ...element, source }));

  expect(picked?.element.source).toBe(told);
});
