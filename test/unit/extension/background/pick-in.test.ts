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
