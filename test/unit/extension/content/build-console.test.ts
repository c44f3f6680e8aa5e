import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { buildErrorsTold, endBuildErrors } from '#extension/content/build-console.ts';

const ESC = String.fromCodePoint(27);

/** A page with a console, as a development server's script finds it, which has begun to listen. */
const createPage = () => {
  const shown: unknown[][] = [];
  const show = (...args: unknown[]): void => void shown.push(args);
  const console: Record<string, (...args: unknown[]) => void> = {
    error: show,
    warn: show,
    info: show,
    log: show,
    debug: show,
    clear: show,
  };
  const window = new EventTarget();
  const events = {
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
  };
  const context = createContext({ document: new EventTarget(), console, ...events, CustomEvent, Error, key: 'key' });
  const run = (injected: (key: string) => unknown): unknown => runInContext(`(${injected.toString()})(key)`, context);
  const told = (): unknown => run(buildErrorsTold);
  told();
  return {
    say: (level: string, ...args: unknown[]) => console[level]?.(...args),
    throws: (message: string) => window.dispatchEvent(Object.assign(new Event('error'), { message })),
    told,
    end: () => run(endBuildErrors),
    console,
    shown,
    show,
  };
};

describe('what a development server says in the console', () => {
  test.for([
    ['error', '[webpack-dev-server] ERROR in ./src/x.js\nModule build failed: Unexpected token'],
    ['error', '[vite] Internal Server Error\nFailed to parse source'],
    ['error', '[vite] Failed to reload /src/x.js.'],
    ['error', '🚨 [parcel]: Unexpected token\n  x.js:1:2'],
    ['error', "./pages/index.js:3:1\nModule not found: Can't resolve './tides'"],
    ['error', 'Failed to compile\n\n./src/x.js'],
    ['error', "Module not found: Error: Can't resolve './x'"],
    ['error', '[HMR] bundle has 1 errors'],
    ['warn', '[HMR] Update failed: SyntaxError: Unexpected token'],
  ] as const)('of a build that failed is told: %s %s', ([level, text]) => {
    const page = createPage();

    page.say(level, text);

    expect(page.told()).toBe(text);
    expect(page.shown).toEqual([[text]]);
  });

  test.for([
    ['error', 'Module is missing a name'],
    ['error', new TypeError('x is not a function')],
    ['error', '[vite] failed to connect to websocket'],
    ['error', '[webpack-dev-server] Disconnected!'],
    ['warn', '[webpack-dev-server] Warnings while compiling.'],
    ['log', 'ERROR in a test'],
    ['error', Object.create(null)],
  ] as const)('of anything else is not: %s %s', ([level, said]) => {
    const page = createPage();

    page.say(level, said);

    expect(page.told()).toBe('');
    expect(page.shown).toHaveLength(1);
  });

  test('is told as of the module in which webpack throws it', () => {
    const page = createPage();

    page.throws('Uncaught Error: Module build failed (from ./loader.js):\nUnexpected token');
    page.throws('Uncaught TypeError: x is not a function');

    expect(page.told()).toBe('Module build failed (from ./loader.js):\nUnexpected token');
  });

  test('is told by its first lines, of the first errors, and without colours', () => {
    const page = createPage();

    page.say('error', '[vite]', new Error(`${ESC}[31mred${ESC}[0m`));
    expect(page.told()).toMatch(/^\[vite\] Error: red\n/);

    page.say('clear');
    for (let count = 0; count < 20; count += 1) page.say('error', `[vite] ${'line\n'.repeat(50)}`);
    expect(String(page.told()).split('\n')).toHaveLength(5 * 12);
  });

  test.for([
    ['info', '[webpack-dev-server] App updated. Recompiling...'],
    ['debug', '[vite]', 'hot updated: /src/x.js'],
    ['log', '[Fast Refresh] rebuilding'],
    ['clear'],
  ] as const)('is over with: %s %s', ([level, ...args]) => {
    const page = createPage();
    page.say('error', '[vite] Failed to reload /src/x.js.');
    page.say('debug', '[vite] connected.');
    page.say('error', 'Another error');
    const before = page.told();

    page.say(level, ...args);

    expect(before).toBe('[vite] Failed to reload /src/x.js.');
    expect(page.told()).toBe('');
  });
});

test('the console is the page’s own again at the end, also where it has wrapped it itself', () => {
  const [page, wrapped] = [createPage(), createPage()];
  const own = (): void => {};
  wrapped.console['error'] = own;

  page.end();
  wrapped.end();

  expect(Object.values(page.console).every((call) => call === page.show)).toBe(true);
  expect(wrapped.console['error']).toBe(own);
  expect(wrapped.console['log']).toBe(wrapped.show);
});
