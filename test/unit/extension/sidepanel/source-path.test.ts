import { expect, test } from 'vitest';
import { withOwnSource } from '#extension/sidepanel/source-path.ts';

const from = { origin: 'http://localhost:5173', folder: '/home/me/shop/web', root: '/home/me/shop', files: [] };

test.for([
  ['/home/me/shop/web/src/Cart.tsx:12:7 (React, Cart)', 'web/src/Cart.tsx:12:7 (React, Cart)'],
  ['file:///home/me/shop/web/src/Cart.tsx:12:7', 'web/src/Cart.tsx:12:7'],
  ['http://localhost:5173/src/Cart.tsx?t=1712:12:7 (React, Cart)', 'web/src/Cart.tsx:12:7 (React, Cart)'],
  ['http://localhost:5173/src/A%20cart.vue', 'web/src/A cart.vue'],
  ['http://localhost:5173/src/100%.vue', 'web/src/100%.vue'],
  ['http://localhost:5173/@fs/home/me/shop/ui/Cart.vue (Vue)', 'ui/Cart.vue (Vue)'],
  // Somebody else's files, and names that only look alike, stay whole.
  ['/home/me/shopping/Cart.tsx:1:2', '/home/me/shopping/Cart.tsx:1:2'],
  ['http://localhost:9999/src/Cart.tsx:1:2', 'http://localhost:9999/src/Cart.tsx:1:2'],
  ['http://localhost:5173/@fs/opt/lib/Cart.vue', 'http://localhost:5173/@fs/opt/lib/Cart.vue'],
  ['src/Cart.svelte:3:1 (Svelte)', 'src/Cart.svelte:3:1 (Svelte)'],
  ['(React, Cart)', '(React, Cart)'],
] as const)('the source %s is told from the folder of the project on', ([source, told]) => {
  const text = (line: string): string =>
    `page: http://localhost:5173/\nsource: ${line}\nrole: button\n\nsource: /home/me/shop/said by the page`;

  expect(withOwnSource(text(source), from)).toBe(text(told));
});

test.for([
  ['http://localhost:5173/src/Cart.tsx:12:7 (React, Cart)', 'web/src/Cart.tsx:12:7 (React, Cart)'],
  // The server serves a folder of its own, or puts a path before all.
  ['http://localhost:5173/pages/Tide.vue', 'web/client/pages/Tide.vue'],
  ['http://localhost:5173/shop/src/Cart.tsx:1:2', 'web/src/Cart.tsx:1:2'],
  ['http://localhost:5173/shop/main.js:1:2', 'web/main.js:1:2'],
  // Told from the folder on in which the server works, or from that of the project on.
  ['src/Cart.tsx:3:1 (Svelte)', 'web/src/Cart.tsx:3:1 (Svelte)'],
  ['api/src/Cart.tsx:3:1', 'api/src/Cart.tsx:3:1'],
  ['pages/Tide.vue', 'web/client/pages/Tide.vue'],
  // Where more than one may be meant, or none is known, it stays as it came or as it is most likely.
  ['http://localhost:5173/ui/Row.tsx:1:2', 'web/ui/Row.tsx:1:2'],
  ['ui/Row.tsx:1:2', 'ui/Row.tsx:1:2'],
  ['http://localhost:5173/node_modules/lib/main.js:1:2', 'web/node_modules/lib/main.js:1:2'],
  ['lib/Tide.vue', 'lib/Tide.vue'],
] as const)('the source %s is told as the file of the project that it is', ([source, told]) => {
  const files = [
    'web/src/Cart.tsx',
    'web/main.js',
    'web/client/pages/Tide.vue',
    'api/src/Cart.tsx',
    'web/a/ui/Row.tsx',
    'web/b/ui/Row.tsx',
  ];

  expect(withOwnSource(`source: ${source}`, { ...from, files })).toBe(`source: ${told}`);
});

test('the paths of Windows are told with the slashes of all others', () => {
  const own = { origin: 'http://localhost:5173', folder: String.raw`C:\shop`, root: String.raw`C:\shop`, files: [] };

  expect(withOwnSource(String.raw`source: C:\shop\src\Cart.tsx:1:2`, own)).toBe('source: src/Cart.tsx:1:2');
  expect(withOwnSource('source: http://localhost:5173/@fs/C:/shop/src/Cart.tsx:1:2', own)).toContain('Cart.tsx:1:2');
  expect(withOwnSource('no source: here', own)).toBe('no source: here');
});
