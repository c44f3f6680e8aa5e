import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants, inflateSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

const PAGE = 'surroundings.html';

/** The characters that are drawn in a PDF, as its fonts name them. */
const charactersIn = (file: string): string => {
  const bytes = readFileSync(file);
  const streams = [...bytes.toString('latin1').matchAll(/stream\r?\n/g)].map(({ index, 0: { length } }) => {
    try {
      return inflateSync(bytes.subarray(index + length), { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
    } catch {
      return '';
    }
  });
  const maps = streams.filter((text) => text.includes('begincmap')).join('\n');
  const single = [...maps.matchAll(/^<[0-9A-F]{4}> <([0-9A-F]{4})>$/gm)].map(([, code = '']) => Number.parseInt(code, 16));
  const ranges = [...maps.matchAll(/^<([0-9A-F]{4})> <([0-9A-F]{4})> <([0-9A-F]{4})>$/gm)].flatMap((match) => {
    const [from = 0, to = 0, code = 0] = match.slice(1).map((hex) => Number.parseInt(hex, 16));
    return Array.from({ length: to - from + 1 }, (_, step) => code + step);
  });
  return String.fromCodePoint(...single, ...ranges);
};

describeTabs(
  (how) => `the set storage in a ${how} tab`,
  ({ open }) => {
    test('lists, sets and deletes cookies, also those that scripts do not see, and asks for each', async ({ stage }) => {
      const agent = await open(stage, PAGE);

      // The browser is that of other tests too.
      await agent.text('browser_cookie_clear');
      await agent.text('browser_cookie_set', { name: 'seen', value: '1' });
      await agent.text('browser_cookie_set', { name: 'hidden', value: '2', httpOnly: true, path: '/' });
      expect(await agent.text('browser_evaluate', { function: 'document.cookie' })).toContain('"seen=1"');
      expect(await agent.text('browser_cookie_list')).toMatch(/- hidden=2 for 127\.0\.0\.1\/ .*httpOnly/);
      expect(await agent.text('browser_cookie_list', { path: '/other' })).toBe('There is no such cookie.');
      expect(await agent.text('browser_cookie_get', { name: 'seen' })).toContain('- seen=1');
      expect(await agent.text('browser_cookie_delete', { name: 'seen', domain: '127.0.0.1' })).toBe('Deleted: 1 cookie.');
      expect(await agent.text('browser_cookie_clear')).toBe('Deleted: 1 cookie.');
      expect(await agent.text('browser_cookie_list')).toBe('There is no such cookie.');
      expect(await agent.error('browser_cookie_get')).toMatch(/^INPUT_INVALID: .*"name"/);
      expect(await agent.error('browser_cookie_set', { name: 'a', value: 'b', domain: 'example.org' })).toMatch(
        /gets no cookie for example\.org/,
      );

      expect(agent.asked[1]?.title).toMatch(/^Set the cookie “seen” of the page on http:\/\/127\.0\.0\.1:\d+$/);
      agent.answerWith(() => 'reject');
      expect(await agent.error('browser_cookie_list')).toMatch(/^CONSENT_DENIED/);
    });

    test('reads and changes what the page keeps', async ({ stage }) => {
      const agent = await open(stage, PAGE);
      await agent.text('browser_localstorage_clear');

      await agent.text('browser_localstorage_set', { key: 'a "key"', value: 'its\nvalue' });
      expect(await agent.text('browser_evaluate', { function: `localStorage['a "key"']` })).toContain('its\\nvalue');
      expect(await agent.text('browser_localstorage_get', { key: 'a "key"' })).toContain('its\nvalue');
      expect(await agent.text('browser_localstorage_list')).toContain('a "key" = its');
      expect(await agent.text('browser_sessionstorage_list')).toBe('sessionStorage is empty.');
      await agent.text('browser_sessionstorage_set', { key: 'step', value: '2' });
      expect(await agent.text('browser_sessionstorage_get', { key: 'step' })).toContain('\n2\n');
      await agent.text('browser_sessionstorage_set', { key: 'other', value: '3' });
      await agent.text('browser_sessionstorage_delete', { key: 'step' });
      expect(await agent.text('browser_sessionstorage_list')).toMatch(/\nother = 3\n<\/\w{7}>/);
      await agent.text('browser_sessionstorage_clear');
      expect(await agent.text('browser_sessionstorage_list')).toBe('sessionStorage is empty.');
      await agent.text('browser_localstorage_set', { key: 'other', value: '3' });
      await agent.text('browser_localstorage_delete', { key: 'a "key"' });
      expect(await agent.text('browser_localstorage_get', { key: 'a "key"' })).toBe('There is no such entry.');
      await agent.text('browser_localstorage_clear');
      expect(await agent.text('browser_localstorage_list')).toBe('localStorage is empty.');
      expect(await agent.error('browser_localstorage_set', { value: 'x' })).toMatch(/"key"/);
    });

    test('a state that cannot be set whole changes nothing', async ({ stage }) => {
      const agent = await open(stage, PAGE);
      for (const tool of ['browser_cookie_clear', 'browser_localstorage_clear']) await agent.text(tool);
      await agent.text('browser_cookie_set', { name: 'user', value: 'ann', httpOnly: true });
      await agent.text('browser_localstorage_set', { key: 'theme', value: 'dark' });
      const cookie = { domain: '127.0.0.1', path: '/', expires: -1, httpOnly: false, secure: false };
      const setState = (cookies: readonly object[], entries: readonly object[]): Promise<string> => {
        const state = { cookies, origins: [{ origin: stage.url, localStorage: entries }] };
        writeFileSync(path.join(stage.projectDir, 'bad.json'), JSON.stringify(state));
        return agent.error('browser_set_storage_state', { filename: 'bad.json' });
      };

      const badCookie = await setState(
        [
          { ...cookie, name: 'first', value: '1' },
          { ...cookie, name: 'bad\u0001', value: '2' },
        ],
        [{ name: 'theme', value: 'light' }],
      );
      const tooMuch = await setState([{ ...cookie, name: 'first', value: '1' }], [{ name: 'much', value: 'x'.repeat(6_000_000) }]);

      expect(badCookie).toMatch(/^TOOL_ARGUMENTS: .*no such cookie as "bad\\u0001"\. "name" and "value"/);
      expect(tooMuch).toMatch(/QuotaExceededError/);
      expect(await agent.text('browser_cookie_list')).toMatch(/1 cookie\.\n.*\n- user=ann .*httpOnly/);
      expect(await agent.text('browser_localstorage_list')).toContain('theme = dark');
    });

    test('names the argument of a cookie, a request and an environment that the browser does not take', async ({ stage }) => {
      const agent = await open(stage, PAGE);

      expect(await agent.error('browser_cookie_set', { name: 'a', value: 'b\nc' })).toMatch(
        /^TOOL_ARGUMENTS: .*"name" and "value" have no control/,
      );
      expect(await agent.error('browser_cookie_set', { name: 'a', value: 'b', path: 'x' })).toMatch(/"path" begins with \//);
      expect(await agent.error('browser_cookie_set', { name: 'a', value: 'b', expires: 1000 })).toMatch(
        /did not keep the cookie.*"expires"/,
      );
      expect(await agent.text('browser_cookie_set', { name: 'a', value: 'b', path: '/other', expires: 4e9 })).toBe('The cookie is set.');
      expect(await agent.error('browser_emulate', { userAgent: 'a\nb' })).toMatch(/^TOOL_ARGUMENTS: .*"userAgent"/);
      expect(await agent.error('browser_request', { url: `${stage.url}/${PAGE}`, body: 'x' })).toMatch(
        /^TOOL_ARGUMENTS: .*GET and HEAD have no "body"/,
      );
    });

    test('saves a state as a file, and sets it again from one of the project', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, PAGE);
      for (const tool of ['browser_cookie_clear', 'browser_localstorage_clear']) await agent.text(tool);
      await agent.text('browser_cookie_set', { name: 'user', value: 'ann', httpOnly: true });
      await agent.text('browser_localstorage_set', { key: 'theme', value: 'dark' });
      // More than code in a page gives back at once.
      await agent.text('browser_localstorage_set', { key: 'cart', value: '"ü\u{1F6D2}'.repeat(20_000) });

      const said = await agent.text('browser_storage_state', { filename: 'signed in.json' });
      const [, file = ''] = /^Saved 1 cookie and 2 entries of localStorage as (.*signed in\.json)$/m.exec(said) ?? [];
      expect(await agent.text('browser_set_storage_state', { filename: 'signed in.json' })).toMatch(/^Set: 1 cookie and 2 entries/);
      copyFileSync(file, path.join(stage.projectDir, 'state.json'));
      await agent.text('browser_cookie_clear');
      await agent.text('browser_localstorage_set', { key: 'theme', value: 'light' });
      expect(await agent.text('browser_set_storage_state', { filename: 'state.json' })).toMatch(
        /^Set: 1 cookie and 2 entries of localStorage\./,
      );

      expect(await agent.text('browser_cookie_list')).toMatch(/- user=ann .*httpOnly/);
      expect(await agent.text('browser_localstorage_get', { key: 'theme' })).toContain('\ndark\n');
      expect(await agent.text('browser_evaluate', { function: '() => localStorage.cart === "\\"ü\\u{1F6D2}".repeat(20_000)' })).toContain(
        '\ntrue\n',
      );
      expect(agent.asked.at(-4)?.detail).toContain('Gives away the file: ');
      writeFileSync(path.join(stage.projectDir, 'state.json'), 'none');
      expect(await agent.error('browser_set_storage_state', { filename: 'state.json' })).toMatch(/"filename" is no storage state/);
      expect(await agent.error('browser_set_storage_state', { filename: '/etc/passwd' })).toMatch(/^FILE_OUTSIDE_PROJECT/);
    });

    test('knows cookies that are kept apart by the site around a page', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, PAGE);
      await agent.text('browser_evaluate', {
        function: `() => { document.cookie = 'apart=3; Secure; Path=/; SameSite=None; Partitioned'; }`,
      });
      expect(await agent.text('browser_cookie_get', { name: 'apart' })).toMatch(/- apart=3 .*partitioned/);
      await agent.text('browser_storage_state', { filename: 'apart.json' });
      await agent.text('browser_cookie_delete', { name: 'apart' });
      expect(await agent.text('browser_cookie_get', { name: 'apart' })).toBe('There is no such cookie.');
      await agent.text('browser_set_storage_state', { filename: 'apart.json' });
      expect(await agent.text('browser_cookie_get', { name: 'apart' })).toMatch(/^1 cookie\..*- apart=3 .*partitioned/s);
      await agent.text('browser_cookie_delete', { name: 'apart' });
    });
  },
);

describeTabs(
  (how) => `the set network in a ${how} tab`,
  ({ open }) => {
    test('blocks requests, answers them, and lets them go to their server again', async ({ stage }) => {
      const agent = await open(stage, PAGE);
      const ask = `async () => { try { const a = await fetch('/says?text=server'); return a.status + ' ' + (await a.text()); } catch { return 'failed'; } }`;
      expect(await agent.text('browser_evaluate', { function: ask })).toContain('200 server');

      await agent.text('browser_route', {
        pattern: '*/says?text=*',
        status: 418,
        body: 'ours äöü',
        contentType: 'text/plain; charset=utf-8',
      });
      expect(await agent.text('browser_evaluate', { function: ask })).toContain('418 ours äöü');
      await agent.text('browser_navigate', { url: `${stage.otherUrl}/surroundings.html` });
      expect(await agent.text('browser_evaluate', { function: ask })).toContain('200 server');
      await agent.text('browser_navigate', { url: `${stage.url}/surroundings.html` });
      expect(await agent.text('browser_evaluate', { function: ask })).toContain('418 ours äöü');
      await agent.text('browser_route', { pattern: '*/says?text=*', action: 'block' });
      expect(await agent.text('browser_evaluate', { function: ask })).toContain('failed');
      expect(await agent.text('browser_route_list')).toBe('- */says?text=*: blocked');
      await agent.text('browser_navigate', { url: `${stage.url}/surroundings.html?again` });
      expect(await agent.text('browser_evaluate', { function: ask })).toContain('failed');

      await agent.text('browser_route', { pattern: '**/says?text={other,server}', status: 201, body: 'both' });
      expect(await agent.text('browser_evaluate', { function: ask })).toContain('201 both');
      expect(await agent.text('browser_unroute')).toBe('2 taken back, 0 left.');
      expect(await agent.text('browser_evaluate', { function: ask })).toContain('200 server');
      expect(await agent.text('browser_unroute')).toMatch(/no such pattern/);
      await agent.text('browser_network_state_set', { state: 'offline' });
      expect(await agent.text('browser_evaluate', { function: ask })).toContain('failed');
      expect(await agent.text('browser_network_state_set', { state: 'online' })).toMatch(/is online/);
      expect(await agent.text('browser_evaluate', { function: ask })).toContain('200 server');
    });

    test('sends requests on with other headers', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, PAGE);

      await agent.text('browser_route', { pattern: '**/headers', headers: ['X-Added: yes'], removeHeaders: 'Accept-Language' });

      const ask = `async () => (await fetch('/headers', { headers: { 'accept-language': 'de', 'x-kept': '1' } })).json()`;
      const heard = await agent.text('browser_evaluate', { function: ask });
      expect(heard).toContain('"x-added":"yes"');
      expect(heard).toContain('"x-kept":"1"');
      expect(heard).not.toContain('"accept-language":"de"');
      expect(await agent.text('browser_route_list')).toBe('- **/headers: sent on with other headers');
      expect(await agent.error('browser_route', { pattern: '*', headers: ['nothing'] })).toMatch(/is not "Name: value"/);
      expect(await agent.error('browser_route', { pattern: '*', body: 'x', headers: { 'x-a': '1\r\nx-b: 2' } })).toMatch(/is no header/);
    });

    test('makes a request as the person, and asks with all of it', async ({ stage }) => {
      const agent = await open(stage, PAGE);

      const text = await agent.text('browser_request', { url: `${stage.url}/says?text=mine`, method: 'POST', body: 'x=1' });

      expect(text).toMatch(
        /^Answer:\n<\w{7} untrusted .*>\n200 OK\n[\s\S]*content-type: text\/html; charset=utf-8\n[\s\S]*\n\nmine\n<\/\w{7}>/,
      );
      expect(agent.asked[0]).toMatchObject({ detail: expect.stringMatching(/Request: .*\/says\?text=mine\nBody: x=1/) });
      expect(await agent.error('browser_request', { url: 'file:///etc/passwd' })).toMatch(/^TOOL_ARGUMENTS/);
      expect(await agent.error('browser_request', { url: `${stage.otherUrl}/says?text=theirs` })).toMatch(
        /no answer that this page may read.*Open a page of /,
      );
    });
  },
);

describeTabs(
  (how) => `the set pdf in a ${how} tab`,
  ({ open }) => {
    test('saves the page among the downloads, under a name without a folder', async ({ stage }) => {
      const agent = await open(stage, PAGE);

      const said = await agent.text('browser_pdf_save', { filename: '../../other/The page.pdf' });

      const [, bytes = '', file = ''] = /^Saved (\d+) bytes as (.*\.pdf)$/m.exec(said) ?? [];
      expect(statSync(file).size).toBe(Number(bytes));
      expect(file).toMatch(/downloads.other The page\.pdf$/);
      expect(readFileSync(file, 'latin1')).toMatch(/^%PDF-/);
      expect(agent.asked).toHaveLength(1);
    });

    test('has nothing of what secret fields hold, and of frames of closed sites', async ({ stage }) => {
      const frame = `<iframe src="${stage.otherUrl}/says?text=${encodeURIComponent('ⅧⅨ')}"></iframe>`;
      const html = `<meta charset="utf-8"><p>ΩΨ</p><input name="pin" aria-label="PIN" value="ЖЩЮ"><input aria-label="City" value="ŁŐ">${frame}`;
      const agent = await open(stage, `says?text=${encodeURIComponent(html)}`);
      // A frame of another site loads in a process of its own, after the page.
      await expect.poll(() => agent.text('browser_snapshot')).toContain('ⅧⅨ');
      const print = async (): Promise<string> => {
        const said = await agent.text('browser_pdf_save');
        return charactersIn(/ as (.*\.pdf)$/m.exec(said)?.[1] ?? '');
      };

      expect(await print()).toMatch(/^(?=.*Ω)(?=.*Ψ)(?=.*Ł)(?=.*Ⅷ)/);
      stage.sites.set('localhost', 'never');
      try {
        const closed = await print();
        expect(closed).toMatch(/^(?=.*Ω)(?=.*Ł)/);
        expect(closed).not.toMatch(/[ЖЩЮⅧⅨ]/);
      } finally {
        stage.sites.remove('localhost');
      }
      expect(await agent.text('browser_snapshot')).not.toContain('ЖЩЮ');
    });

    test('is not needed for a picture, or a text, that the call itself saves once it was allowed', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, PAGE);
      const fileIn = (said: string): string => /^Saved \d+ bytes as (.*)$/m.exec(said)?.[1] ?? '';

      const pictured = await agent.text('browser_take_screenshot', { filename: '../shot.png' });
      const told = await agent.text('browser_snapshot', { filename: 'tree', depth: 1 });
      const written = await agent.text('browser_snapshot', { filename: 'tree.txt', depth: 1 });

      expect(fileIn(pictured)).toMatch(/downloads.shot\.png$/);
      expect(readFileSync(fileIn(pictured), 'latin1')).toMatch(/^.PNG/);
      expect(told).toMatch(/^Saved \d+ bytes as .*tree\.md$/);
      expect(readFileSync(fileIn(told), 'utf8')).toMatch(/^<\w{7} untrusted /);
      expect(written).toMatch(/^Saved \d+ bytes as .*tree\.txt$/);
      expect(agent.asked.map(({ detail }) => detail)).toEqual(
        ['../shot.png', 'tree', 'tree.txt'].map((name) => expect.stringContaining(`Saved among your downloads as: ${name}`)),
      );
    });
  },
);

describeTabs(
  (how) => `the look of a page in a ${how} tab`,
  ({ open }) => {
    test('is told one by one, and given back one by one', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, PAGE);
      const looks = `['(prefers-color-scheme: dark)', '(prefers-contrast: more)', 'print'].map((query) => matchMedia(query).matches)`;

      await agent.text('browser_emulate_media', { colorScheme: 'dark' });
      await agent.text('browser_emulate_media', { contrast: 'more', media: 'print' });
      expect(await agent.text('browser_evaluate', { function: looks })).toContain('[true,true,true]');
      await agent.text('browser_emulate_media', { media: null, contrast: null });
      expect(await agent.text('browser_evaluate', { function: looks })).toContain('[true,false,false]');
      expect(await agent.text('browser_emulate_media', { colorScheme: null })).toMatch(/sees the real ones again/);
    });
  },
);

describeTabs(
  (how) => `a place of its own in a ${how} tab`,
  ({ open }) => {
    test('is what a page is told that may know it', { tags: 'whole' }, async ({ stage }) => {
      const agent = await open(stage, PAGE);
      await agent.text('browser_emulate', { geolocation: { latitude: 52.5, longitude: 13.4 } });

      const where = `() => new Promise((resolve) => navigator.geolocation.getCurrentPosition(({ coords }) => resolve([coords.latitude, coords.longitude]), ({ message }) => resolve(message)))`;
      expect(await agent.text('browser_evaluate', { function: where })).toContain('[52.5,13.4]');
      expect(await agent.error('browser_emulate', { geolocation: { latitude: 95, longitude: 0 } })).toMatch(/geolocation\.latitude/);
      expect(await agent.text('browser_emulate')).toMatch(/real surroundings/);
    });
  },
);

describe('what needs a right of the browser', () => {
  test('says how the person gives it, and its card names the right', async ({ stage }) => {
    const agent = stage.agent();

    expect(await agent.error('browser_clipboard', { action: 'write', text: 'Hello' })).toMatch(/^BROWSER_PERMISSION: .*presses "Allow"/);
    expect(await agent.error('browser_history', { text: 'shop' })).toMatch(/^BROWSER_PERMISSION/);
    expect(await agent.error('browser_bookmarks', { action: 'search' })).toMatch(/^BROWSER_PERMISSION/);
    expect(await agent.error('browser_bookmarks', { action: 'delete', url: 'https://a.example/' })).toMatch(/^BROWSER_PERMISSION/);
    expect(agent.asked.at(-1)?.detail).toContain('Bookmark: https://a.example/');

    expect(agent.asked.map(({ title, permissions }) => ({ title, permissions }))).toEqual([
      { title: 'Use your clipboard: “write”', permissions: ['clipboardRead', 'clipboardWrite'] },
      { title: 'Search your browsing history for “shop”', permissions: ['history'] },
      { title: 'Use your bookmarks: “search”', permissions: ['bookmarks'] },
      { title: 'Use your bookmarks: “delete” “https://a.example/”', permissions: ['bookmarks'] },
    ]);
    expect(agent.asked[0]?.detail).toContain('Text: Hello');
  });
});
