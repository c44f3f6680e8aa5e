import { expect, test } from 'vitest';
import { withOwnSource } from '#extension/sidepanel/source-path.ts';

const from = { origin: 'http://localhost:5173', folder: '/home/me/shop/web', root: '/home/me/shop' };

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

test('the paths of Windows are told with the slashes of all others', () => {
  const own = { origin: 'http://localhost:5173', folder: String.raw`C:\shop`, root: String.raw`C:\shop` };

  expect(withOwnSource(String.raw`source: C:\shop\src\Cart.tsx:1:2`, own)).toBe('source: src/Cart.tsx:1:2');
  expect(withOwnSource('source: http://localhost:5173/@fs/C:/shop/src/Cart.tsx:1:2', own)).toContain('Cart.tsx:1:2');
  expect(withOwnSource('no source: here', own)).toBe('no source: here');
});
