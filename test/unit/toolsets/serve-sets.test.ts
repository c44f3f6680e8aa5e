import { describe, expect, test } from 'vitest';
import { TOOL_CLASS_META, TOOL_SET_META, type ToolInfo, type ToolResult } from '#protocol/browser.ts';
import { readToolSets, type ToolSet } from '#protocol/tool-sets.ts';
import { chromeTools } from '#companion/toolsets/chrome-tools.ts';
import { argumentFault } from '#companion/mcp/call-arguments.ts';
import { meantArguments } from '#companion/mcp/meant-arguments.ts';
import { inWordsOf, serveSets } from '#companion/toolsets/serve-sets.ts';
import { listTools } from '#installer/tools-list.ts';

const built = listTools();

/** What our own tools are asked when a client of these sets calls one. */
const open = (sets: readonly ToolSet[], answer: (name: string) => ToolResult = () => said('done')) => {
  const calls: { name: string; args: Record<string, unknown> }[] = [];
  const served = serveSets<null>(sets, {
    tools: () => built,
    call: (name, args) => {
      calls.push({ name, args });
      return Promise.resolve(answer(name));
    },
  });
  return { served, calls, call: (name: string, args: Record<string, unknown> = {}) => served.call(name, args, null) };
};

const namesOf = (sets: readonly ToolSet[]): string[] =>
  open(sets)
    .served.tools()
    .map(({ name }) => name);

const said = (text: string, isError = false): ToolResult => ({ content: [{ type: 'text', text }], ...(isError ? { isError } : {}) });

/**
 * What mcp-chrome's tools take (packages/shared/src/tools.ts of version 1.6 and its forks), each with a call it goes with and a value that asks
 * for something else than what is done without it.
 */
const theirs: readonly (readonly [name: string, args: Record<string, unknown>, fields: Record<string, unknown>])[] = [
  ['chrome_navigate', {}, { url: 'https://a.example' }],
  [
    'chrome_navigate',
    { url: 'https://a.example' },
    { newWindow: true, tabId: 3, windowId: 1, background: false, width: 400, height: 300, refresh: true },
  ],
  ['chrome_switch_tab', { tabId: 3 }, { tabId: 4, windowId: 1 }],
  ['chrome_close_tabs', {}, { tabIds: [3], url: 'https://a.example' }],
  ['chrome_read_page', {}, { filter: 'interactive', depth: 3, refId: 'e5', tabId: 3, windowId: 1 }],
  [
    'chrome_get_web_content',
    {},
    { url: 'https://a.example', tabId: 3, background: false, htmlContent: true, textContent: false, selector: 'main' },
  ],
  [
    'chrome_computer',
    { action: 'left_click', ref: 'e5' },
    { action: 'hover', tabId: 3, background: false, modifiers: { altKey: true }, ref: 'e6' },
  ],
  ['chrome_computer', { action: 'left_click' }, { selector: '#a', coordinates: { x: 1, y: 2 } }],
  ['chrome_computer', { action: 'left_click_drag', ref: 'e5' }, { startRef: 'e6', startCoordinates: { x: 1, y: 2 } }],
  ['chrome_computer', { action: 'scroll' }, { scrollDirection: 'up', scrollAmount: 3 }],
  ['chrome_computer', { action: 'key', text: 'a' }, { text: 'b', repeat: 2 }],
  ['chrome_computer', { action: 'fill', ref: 'e5' }, { value: 'x' }],
  ['chrome_computer', { action: 'fill_form' }, { elements: [{ ref: 'e5', value: 'x' }] }],
  ['chrome_computer', { action: 'resize_page' }, { width: 400, height: 300 }],
  ['chrome_computer', { action: 'zoom' }, { region: { x0: 1, y0: 2, x1: 3, y1: 4 } }],
  ['chrome_computer', { action: 'wait', text: 'a' }, { appear: false, timeout: 2000, duration: 3 }],
  [
    'chrome_click_element',
    { ref: 'e5' },
    { ref: 'e6', double: true, button: 'right', modifiers: { altKey: true }, waitForNavigation: false, timeout: 1, tabId: 3, windowId: 1 },
  ],
  ['chrome_click_element', { selector: '//a' }, { selector: '#b', selectorType: 'xpath', frameId: 7 }],
  ['chrome_click_element', {}, { coordinates: { x: 1, y: 2 } }],
  [
    'chrome_fill_or_select',
    { value: 'x', selector: '//a' },
    { value: 'y', selector: '#b', selectorType: 'xpath', ref: 'e5', tabId: 3, windowId: 1, frameId: 7 },
  ],
  [
    'chrome_keyboard',
    { keys: 'a,b', selector: '//a' },
    { keys: 'c', selector: '#b', selectorType: 'xpath', delay: 50, tabId: 3, windowId: 1, frameId: 7 },
  ],
  ['chrome_screenshot', { savePng: true }, { name: 'home' }],
  [
    'chrome_screenshot',
    {},
    {
      selector: '#a',
      tabId: 3,
      windowId: 1,
      background: false,
      width: 400,
      height: 300,
      storeBase64: false,
      fullPage: true,
      savePng: true,
    },
  ],
  ['chrome_javascript', { code: 'return 1' }, { code: 'return 2', tabId: 3, timeoutMs: 5, maxOutputBytes: 5 }],
  [
    'chrome_console',
    {},
    { url: 'https://a.example', tabId: 3, windowId: 1, background: false, includeExceptions: false, maxMessages: 5, mode: 'snapshot' },
  ],
  ['chrome_console', {}, { buffer: false, clear: true, clearAfterRead: true, pattern: 'a', onlyErrors: true, limit: 5 }],
  ['chrome_network_capture', { action: 'start', url: 'https://a.example' }, { action: 'stop', url: 'https://b.example' }],
  ['chrome_network_capture', { action: 'stop' }, { needResponseBody: true, maxCaptureTime: 5, inactivityTimeout: 5, includeStatic: true }],
  ['chrome_network_request', { url: '/a' }, { url: '/b', method: 'PUT', headers: { a: 'b' }, body: 'x', timeout: 5, formData: { a: 'b' } }],
  [
    'chrome_upload_file',
    { selector: '#f', filePath: 'a' },
    { selector: '#g', tabId: 3, windowId: 1, filePath: 'b', fileUrl: 'x', multiple: true },
  ],
  ['chrome_upload_file', { selector: '#f', base64Data: 'eA==' }, { base64Data: 'eQ==', fileName: 'a' }],
  ['chrome_handle_dialog', { action: 'accept' }, { action: 'dismiss', promptText: 'x' }],
  ['chrome_handle_download', {}, { filenameContains: 'a', timeoutMs: 5, waitForComplete: false }],
  ['chrome_history', {}, { text: 'a', startTime: 'today', endTime: 'now', maxResults: 5, excludeCurrentTabs: true }],
  ['chrome_bookmark_search', {}, { query: 'a', maxResults: 5, folderPath: 'a' }],
  ['chrome_bookmark_add', { url: 'https://a.example' }, { url: 'https://b.example', title: 'a', parentId: '1', createFolder: true }],
  ['chrome_bookmark_delete', { url: 'https://a.example' }, { bookmarkId: '1', url: 'https://b.example', title: 'a' }],
  [
    'chrome_request_element_selection',
    { requests: [{ name: 'a' }] },
    { requests: [{ name: 'b' }], timeoutMs: 5000, tabId: 3, windowId: 1 },
  ],
  [
    'chrome_gif_recorder',
    { action: 'start' },
    { action: 'stop', tabId: 3, fps: 3, durationMs: 500, maxFrames: 5, width: 50, height: 50, maxColors: 5 },
  ],
  [
    'chrome_gif_recorder',
    { action: 'auto_start' },
    { filename: 'a', captureDelayMs: 5, frameDelayCs: 5, annotation: 'a', enhancedRendering: true },
  ],
  ['chrome_gif_recorder', { action: 'export' }, { download: false, coordinates: { x: 1, y: 2 }, ref: 'e5', selector: '#a' }],
  ['chrome_tabs_context', {}, { createIfEmpty: true, background: false }],
  ['chrome_tabs_create', {}, { url: 'https://a.example', background: false }],
  ['chrome_tabs_adopt', { tabIds: [3] }, { tabIds: [4] }],
  ['performance_start_trace', {}, { reload: true, autoStop: true, durationMs: 500 }],
  ['performance_stop_trace', {}, { saveToDownloads: false, filenamePrefix: 'a' }],
  ['performance_analyze_insight', {}, { insightName: 'Network', timeoutMs: 5 }],
];

const ofTheirs = theirs.flatMap(([name, args, fields]) =>
  Object.entries(fields).map(([field, value]) => [field, name, args, value] as const),
);

describe('the sets of tools', () => {
  test('are those that were named; without any it is the default one', () => {
    expect(namesOf(['default'])).toEqual(built.filter(({ _meta }) => _meta[TOOL_SET_META] === undefined).map(({ name }) => name));
    const five = ['list', 'get', 'set', 'delete', 'clear'];
    const ofStorage = ['cookie', 'localstorage', 'sessionstorage'].flatMap((kept) => five.map((action) => `browser_${kept}_${action}`));
    expect(namesOf(['storage', 'pdf'])).toEqual([
      ...[...ofStorage, 'browser_storage_state', 'browser_set_storage_state'].toSorted(),
      'browser_pdf_save',
    ]);
    expect(namesOf(['network'])).toEqual([
      'browser_network_state_set',
      'browser_request',
      'browser_route',
      'browser_route_list',
      'browser_unroute',
    ]);
    expect(namesOf(['bookmarks', 'history'])).toEqual(['browser_bookmarks', 'browser_history']);
    expect(namesOf(['emulation'])).toEqual(['browser_emulate', 'browser_emulate_media']);
    expect(
      open(['chrome'])
        .served.tools()
        .every(({ name }) => /^(chrome_|get_windows|performance_)/.test(name)),
    ).toBe(true);
    expect(
      open(['default', 'chrome'])
        .served.tools()
        .map(({ name }) => name),
    ).toEqual(expect.arrayContaining(['browser_click', 'chrome_computer']));
    expect(readToolSets(' chrome, default,chrome')).toEqual(['default', 'chrome']);
    expect(() => readToolSets('chrom,toString')).toThrow(
      'chrom, toString is no set of tools; there are default, chrome, emulation, storage, network, pdf, bookmarks, history',
    );
    expect(() => readToolSets('')).toThrow('No set of tools is named');
    expect(() => readToolSets('crome', 'CLI_USAGE')).toThrow(expect.objectContaining({ code: 'CLI_USAGE' }));
  });

  test('are the same list as long as the tools are the same', () => {
    expect(open(['chrome']).served.tools()).toBe(open(['chrome']).served.tools());
    expect(open(['chrome']).served.tools()).not.toBe(open(['default']).served.tools());
  });
});

describe("mcp-chrome's tools", () => {
  test.for([
    ['get_windows_and_tabs', {}, 'browser_tabs', { action: 'list' }],
    ['chrome_get_windows_and_tabs', {}, 'browser_tabs', { action: 'list' }],
    [
      'chrome_navigate',
      { url: 'https://a.example', tabId: 3, background: true },
      'browser_navigate',
      { url: 'https://a.example', tabId: 3 },
    ],
    ['chrome_navigate', { url: 'back' }, 'browser_navigate_back', {}],
    ['chrome_navigate', { refresh: true, tabId: 3 }, 'browser_reload', { tabId: 3 }],
    ['chrome_navigate', { url: 'https://a.example', newWindow: true }, 'browser_tabs', { action: 'new', url: 'https://a.example' }],
    ['chrome_switch_tab', { tabId: 3, windowId: 1 }, 'browser_tabs', { action: 'select', tabId: 3 }],
    ['chrome_close_tabs', { tabIds: [3] }, 'browser_close', { tabId: 3 }],
    ['chrome_close_tabs', { tabId: '3' }, 'browser_close', { tabId: 3 }],
    ['chrome_close_tabs', { tab_ids: '[3]' }, 'browser_close', { tabId: 3 }],
    ['chrome_computer', { action: 'left_click', coordinate: [1, 2] }, 'browser_click', { x: 1, y: 2 }],
    [
      'chrome_computer',
      { action: 'fill_form', elements: '[{"ref":"e5","value":"x"}]' },
      'browser_fill_form',
      { fields: [{ target: 'e5', value: 'x' }] },
    ],
    ['chrome_close_tabs', { url: 'https://a.example' }, 'browser_close', { url: 'https://a.example' }],
    ['chrome_read_page', { filter: 'interactive', refId: 'e5', depth: 3 }, 'browser_snapshot', { target: 'e5', depth: 3 }],
    ['chrome_get_web_content', { selector: 'main' }, 'browser_read', { target: 'main' }],
    [
      'chrome_click_element',
      { ref: 'e5', double: true, modifiers: { ctrlKey: true } },
      'browser_click',
      { target: 'e5', doubleClick: true, modifiers: ['Control'] },
    ],
    ['chrome_click_element', { coordinates: { x: 5, y: 6 } }, 'browser_click', { x: 5, y: 6 }],
    ['chrome_fill_or_select', { selector: '#a', value: true }, 'browser_fill_form', { fields: [{ target: '#a', value: true }] }],
    ['chrome_keyboard', { keys: 'Ctrl+Shift+a', selector: '#a' }, 'browser_press_key', { key: 'Control+Shift+a', target: '#a' }],
    ['chrome_screenshot', { fullPage: true, name: 'x', storeBase64: true }, 'browser_take_screenshot', { fullPage: true }],
    ['chrome_javascript', { code: 'return 1' }, 'browser_evaluate', { function: 'async () => {\nreturn 1\n}' }],
    ['chrome_console', { onlyErrors: true }, 'browser_console_messages', { level: 'error' }],
    ['chrome_console', { clear: true }, 'browser_console_messages', { clear: 'before' }],
    ['chrome_console', { clearAfterRead: true }, 'browser_console_messages', { clear: 'after' }],
    ['chrome_console', { pattern: 'api', limit: 5, mode: 'buffer' }, 'browser_console_messages', { filter: 'api', limit: 5 }],
    [
      'chrome_screenshot',
      { savePng: true, name: 'home', selector: '#a' },
      'browser_take_screenshot',
      { target: '#a', type: 'png', filename: 'home' },
    ],
    ['chrome_click_element', { ref: 'f7e5', frameId: 7 }, 'browser_click', { target: 'f7e5' }],
    ['chrome_network_capture', { action: 'stop', includeStatic: true }, 'browser_network_requests', { static: true }],
    ['chrome_upload_file', { selector: '#f', filePath: 'a.txt' }, 'browser_file_upload', { target: '#f', paths: ['a.txt'] }],
    [
      'chrome_upload_file',
      { selector: '#f', base64Data: 'eA==', fileName: 'a.txt' },
      'browser_file_upload',
      { target: '#f', paths: [], made: [{ name: 'a.txt', base64: 'eA==' }] },
    ],
    [
      'chrome_upload_file',
      { selector: '#f', fileUrl: 'file:///srv/a%20b.txt' },
      'browser_file_upload',
      { target: '#f', paths: ['/srv/a b.txt'] },
    ],
    [
      'chrome_upload_file',
      { selector: '#f', fileUrl: 'data:text/plain;charset=utf-8;base64,eA==', fileName: 'a.txt' },
      'browser_file_upload',
      { target: '#f', paths: [], made: [{ name: 'a.txt', base64: 'eA==' }] },
    ],
    [
      'chrome_upload_file',
      { selector: '#f', fileUrl: 'data:,caf%C3%A9, two' },
      'browser_file_upload',
      { target: '#f', paths: [], made: [{ name: 'uploaded-file', base64: Buffer.from('café, two').toString('base64') }] },
    ],
    ['chrome_handle_dialog', { action: 'dismiss' }, 'browser_handle_dialog', { accept: false }],
    ['chrome_computer', { action: 'right_click', ref: 'e5' }, 'browser_click', { target: 'e5', button: 'right' }],
    ['chrome_computer', { action: 'left_click_drag', startRef: 'e5', ref: 'e6' }, 'browser_drag', { startTarget: 'e5', endTarget: 'e6' }],
    [
      'chrome_computer',
      { action: 'left_click_drag', startCoordinates: { x: 1, y: 2 }, coordinates: { x: 3, y: 4 } },
      'browser_drag',
      { startX: 1, startY: 2, endX: 3, endY: 4 },
    ],
    [
      'chrome_computer',
      { action: 'left_click_drag', startRef: 'e5', coordinates: { x: 3, y: 4 } },
      'browser_drag',
      { startTarget: 'e5', endX: 3, endY: 4 },
    ],
    ['chrome_computer', { action: 'double_click', ref: 'e5' }, 'browser_click', { target: 'e5', doubleClick: true }],
    [
      'chrome_computer',
      { action: 'triple_click', coordinates: { x: 1, y: 2 }, modifiers: { shiftKey: true } },
      'browser_click',
      { x: 1, y: 2, clickCount: 3, modifiers: ['Shift'] },
    ],
    ['chrome_computer', { action: 'hover', coordinates: { x: 1, y: 2 } }, 'browser_hover', { x: 1, y: 2 }],
    [
      'chrome_computer',
      { action: 'scroll', coordinates: { x: 1, y: 2 }, scrollDirection: 'up' },
      'browser_scroll',
      { x: 1, y: 2, direction: 'up' },
    ],
    ['chrome_computer', { action: 'scroll', scrollAmount: 3 }, 'browser_scroll', { direction: 'down', amount: 300 }],
    ['chrome_computer', { action: 'scroll_to', ref: 'e5' }, 'browser_scroll', { target: 'e5' }],
    ['chrome_computer', { action: 'type', text: 'hello' }, 'browser_type', { target: ':focus', text: 'hello' }],
    ['chrome_computer', { action: 'key', text: 'cmd+a' }, 'browser_press_key', { key: 'Meta+a' }],
    [
      'chrome_computer',
      { action: 'fill_form', elements: [{ ref: 'e5', value: 'x' }] },
      'browser_fill_form',
      { fields: [{ target: 'e5', value: 'x' }] },
    ],
    ['chrome_computer', { action: 'hover', ref: 'e5' }, 'browser_hover', { target: 'e5' }],
    ['chrome_computer', { action: 'wait', text: 'Done', timeout: 2000, appear: false }, 'browser_wait_for', { textGone: 'Done', time: 2 }],
    ['chrome_computer', { action: 'wait', duration: 90 }, 'browser_wait_for', { time: 30 }],
    ['chrome_computer', { action: 'wait', duration: '2', tabId: null }, 'browser_wait_for', { time: 2 }],
    ['chrome_read_page', { depth: '2', tabId: '7', refId: '' }, 'browser_snapshot', { depth: 2, tabId: 7 }],
    ['chrome_click_element', { coordinates: [20, '60'] }, 'browser_click', { x: 20, y: 60 }],
    ['chrome_click_element', { selector: '#a', ref: '', double: 'true' }, 'browser_click', { target: '#a', doubleClick: true }],
    ['chrome_click_element', { ref: 'e5', modifiers: 'ctrl+shift' }, 'browser_click', { target: 'e5', modifiers: ['Control', 'Shift'] }],
    ['chrome_click_element', { ref: 'e5', modifiers: ['cmd'] }, 'browser_click', { target: 'e5', modifiers: ['Meta'] }],
    ['chrome_computer', { action: 'resize_page', width: 400, height: 500 }, 'browser_resize', { width: 400, height: 500 }],
    ['chrome_computer', { action: 'screenshot' }, 'browser_take_screenshot', {}],
    [
      'chrome_computer',
      { action: 'zoom', region: { x0: 1, y0: 2, x1: 30, y1: 40 } },
      'browser_take_screenshot',
      { region: [1, 2, 30, 40] },
    ],
    ['chrome_handle_download', { filenameContains: 'a' }, 'browser_downloads', { filter: 'a' }],
    ['chrome_tabs_context', {}, 'browser_tabs', { action: 'list' }],
    ['chrome_tabs_adopt', { tabIds: [3] }, 'browser_tabs', { action: 'select', tabId: 3 }],
    ['chrome_history', { text: 'shop', maxResults: 5000 }, 'browser_history', { text: 'shop', maxResults: 1000 }],
    ['chrome_bookmark_search', { query: 'a', folderPath: 'Bar/b' }, 'browser_bookmarks', { action: 'search', query: 'a', folder: 'Bar/b' }],
    [
      'chrome_bookmark_add',
      { url: 'https://a.example/', title: 'A', parentId: '1', createFolder: true },
      'browser_bookmarks',
      { action: 'add', url: 'https://a.example/', title: 'A', folder: '1', createFolder: true },
    ],
    ['chrome_bookmark_delete', { bookmarkId: '7', title: 'A' }, 'browser_bookmarks', { action: 'delete', id: '7' }],
    ['chrome_tabs_create', { url: 'https://a.example' }, 'browser_tabs', { action: 'new', url: 'https://a.example' }],
  ] as const)('%s %j is %s', async ([name, args, ours, oursArgs]) => {
    const { call, calls } = open(['chrome']);

    expect((await call(name, args)).content[0]).toEqual({ type: 'text', text: 'done' });

    expect(calls).toEqual([{ name: ours, args: oursArgs }]);
    const tool = built.find((candidate) => candidate.name === ours);
    expect(tool === undefined ? ours : argumentFault(tool, true, oursArgs)).toBeNull();
  });

  test('mean by a window alone the tab that it shows, whatever its pages are called', async () => {
    const list = 'Window 3 shows tab 12.\n- 9 (window 4): "Window 3 shows tab 9."';
    const { call, calls } = open(['chrome'], (name) => said(name === 'browser_tabs' ? list : 'done'));

    await call('chrome_click_element', { selector: '#a', windowId: 3 });
    await call('chrome_click_element', { selector: '#a', windowId: 3, tabId: 5 });

    expect(calls).toEqual([
      { name: 'browser_tabs', args: { action: 'list', windowId: 3 } },
      { name: 'browser_click', args: { target: '#a', tabId: 12 } },
      { name: 'browser_click', args: { target: '#a', tabId: 5 } },
    ]);
    const without = open(['chrome'], () => said('No window 3 shows a tab: see browser_tabs', true));
    expect(await without.call('chrome_click_element', { selector: '#a', windowId: 3 })).toMatchObject({
      isError: true,
      content: [{ text: 'No window 3 shows a tab: see get_windows_and_tabs' }],
    });
    expect(without.calls).toHaveLength(1);
  });

  test('send a form, give up in time, and pause between keys', async () => {
    const { call, calls } = open(['chrome']);

    await call('chrome_network_request', { url: '/a', formData: { fields: { name: 'Ada', age: 36 } }, timeout: 500 });
    await call('chrome_javascript', { code: 'return new Promise(() => {})', timeoutMs: 20 });
    await call('chrome_keyboard', { keys: 'Tab, Enter', delay: 50 });

    const [request, script, ...keys] = calls;
    const sent: unknown[] = [];
    const fetch = (url: string, init: RequestInit): Promise<Response> => {
      sent.push(url, init.method, init.body instanceof FormData && [...init.body], init.signal instanceof AbortSignal);
      return Promise.resolve(new Response('done'));
    };
    const run = (code: unknown): Promise<unknown> =>
      // oxlint-disable-next-line no-implied-eval -- the code is what a page would be given
      (new Function('fetch', `return (${String(code)})()`) as (given: typeof fetch) => Promise<unknown>)(fetch);
    expect(await run(request?.args['function'])).toMatchObject({ status: 200, body: 'done' });
    expect(sent).toEqual([
      '/a',
      'POST',
      [
        ['name', 'Ada'],
        ['age', '36'],
      ],
      true,
    ]);
    await expect(run(script?.args['function'])).rejects.toThrow('longer than 20 ms');
    expect(keys.map(({ name, args }) => [name, args['key'] ?? args['time']])).toEqual([
      ['browser_press_key', 'Tab'],
      ['browser_wait_for', 0.05],
      ['browser_press_key', 'Enter'],
    ]);
  });

  test('do several things one after the other, and stop at the first that fails', async () => {
    const well = open(['chrome']);
    await well.call('chrome_get_web_content', { url: 'https://a.example', htmlContent: true });
    expect(well.calls.map(({ name }) => name)).toEqual(['browser_navigate', 'browser_evaluate']);
    await well.call('chrome_navigate', { url: 'https://a.example', width: 400, height: 300, tabId: 7 });
    expect(well.calls.at(-1)).toEqual({ name: 'browser_resize', args: { width: 400, height: 300, tabId: 7 } });
    const ill = open(['chrome'], () => said('TAB_NOT_FOUND: List the tabs with browser_tabs.', true));
    expect(await ill.call('chrome_close_tabs', { tabIds: [3, 4] })).toEqual(
      said('TAB_NOT_FOUND: List the tabs with get_windows_and_tabs.', true),
    );
    expect(ill.calls).toHaveLength(1);
  });

  test('say in words what is wrong, and call nothing', async () => {
    const { call, calls } = open(['chrome']);
    const told = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const result = await call(name, args);
      return `${result.isError === true} ${String(result.content[0]?.['text'])}`;
    };

    expect(await told('chrome_switch_tab', { tabId: 'x' })).toMatch(
      /^true INPUT_INVALID: .*"tabId".*Expected arguments: tabId, windowId\?/,
    );
    expect(await told('chrome_click_element', { selector: '//a/@href', selectorType: 'xpath' })).toMatch(
      /XPath says more than is read here.*chrome_read_page/,
    );
    expect(await told('chrome_close_tabs', { title: 'Old page' })).toMatch(/INPUT_INVALID: .*"title".*Expected arguments: tabIds\?, url\?/);
    expect(await told('chrome_click_element', {})).toContain('Give "ref", "selector" or "coordinates"');
    expect(await told('chrome_computer', { action: 'fly' })).toContain('"action"');
    expect(await told('chrome_computer', { action: 'zoom' })).toContain('zoom needs "region"');
    expect(await told('chrome_computer', { action: 'key', text: 'a '.repeat(30) })).toContain('a call presses 20');
    const formData = { files: [{ name: 'a' }] };
    expect(await told('chrome_network_request', { url: 'https://a.example', formData })).toContain('"formData" takes texts by their names');
    expect(await told('chrome_click_element', { selector: '#a', frameId: 7 })).toContain('A selector is looked for in the page itself');
    expect(await told('chrome_computer', { action: 'left_click_drag', startRef: 'e1' })).toContain('A drag needs');
    const upload = (file: Record<string, unknown>): Promise<string> => told('chrome_upload_file', { selector: '#f', ...file });
    expect(await upload({ fileUrl: 'https://a.example/a.png' })).toContain('save any other in the project first');
    expect(await upload({ fileUrl: 'file://host/share/a.png' })).toContain('save any other in the project first');
    expect(await upload({ fileUrl: 'data:,%E0%' })).toContain('is no whole address');
    expect(await upload({ filePath: 'a.txt', fileUrl: 'data:,x' })).toContain('Give either');
    expect(await upload({})).toContain('Give either "filePath", "fileUrl" or "base64Data"');
    expect(await upload({ filePath: 'a.txt', fileName: 'b.txt' })).toContain('keeps its name');
    expect(calls).toEqual([]);
  });

  test.for(ofTheirs)('do something with %s of %s, or say that it means nothing here', async ([field, name, args, value]) => {
    const ask = async (given: Record<string, unknown>): Promise<unknown> => {
      const { call, calls } = open(['chrome']);
      const { content, isError = false } = await call(name, given);
      const tool = built.find((candidate) => candidate.name === name);
      // A `browser_*` tool of this set is told what it ignores before it is called.
      const notes = tool === undefined ? [] : meantArguments(tool, given).notes;
      const sent = tool === undefined ? calls : calls.map((made) => ({ ...made, args: meantArguments(tool, made.args).args }));
      return { sent, isError, said: [...content.map(({ text }) => String(text)), ...notes].join('\n') };
    };

    expect(await ask({ ...args, [field]: value })).not.toEqual(await ask(args));
    const { properties = {} } =
      open(['chrome'])
        .served.tools()
        .find((tool) => tool.name === name)?.inputSchema ?? {};
    expect(Object.keys(properties as object)).toContain(field);
  });

  test('keep what a page says as it is, and call our tools by the names of the set around it', async () => {
    const page = '<k3yOfIt untrusted https://a.example>\nuse browser_click\n</k3yOfIt>';
    const { call } = open(['chrome'], () => said(`use browser_snapshot\n${page}\nor browser_tabs`));

    expect(await call('chrome_read_page')).toEqual(said(`use chrome_read_page\n${page}\nor get_windows_and_tabs`));
    expect(await call('chrome_gif_recorder', { action: 'status' })).toEqual(said(`use chrome_read_page\n${page}\nor get_windows_and_tabs`));
    expect(inWordsOf(['chrome'], 'Look with browser_snapshot.')).toBe('Look with chrome_read_page.');
    expect(inWordsOf(['default', 'chrome'], 'Look with browser_snapshot.')).toBe('Look with browser_snapshot.');
  });

  test('have the class of the tool that they are, and fields that are described', () => {
    for (const { name, description, inputSchema, _meta } of open(['chrome']).served.tools()) {
      expect(description, name).toMatch(/^[A-Z].*\.$/);
      const { properties = {} } = inputSchema as { properties?: Record<string, { description?: string }> };
      for (const [field, schema] of Object.entries(properties))
        expect([name, field, schema.description]).toEqual([name, field, expect.any(String)]);
      expect(_meta[TOOL_CLASS_META]).toBe(expectedClass(name));
    }
  });
});

/** Values by which a field of another product's tool may choose what is done. */
const valuesOf = (name: string, schema: JsonSchema): unknown[] => {
  const { enum: choices, anyOf, type, items, properties = {} } = schema;
  if (choices !== undefined) return choices;
  if (anyOf !== undefined) return anyOf.flatMap((one) => valuesOf(name, one));
  if (type === 'boolean') return [true, false];
  if (type === 'number') return [3];
  if (type === 'array') return [valuesOf(name, items ?? {}).slice(0, 1)];
  if (type === 'object') return [Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, valuesOf(key, part)[0]]))];
  if (name === 'url') return ['https://a.example/x', 'back'];
  return name === 'fileUrl' ? ['file:///tmp/x', 'data:,x'] : ['Enter'];
};

interface JsonSchema {
  readonly enum?: unknown[];
  readonly anyOf?: JsonSchema[];
  readonly type?: string;
  readonly items?: JsonSchema;
  readonly properties?: Record<string, JsonSchema>;
}

/** Arguments with each pair of values that a tool's fields can have, alone and beside all others. */
const manyArguments = ({ properties = {} }: JsonSchema): Record<string, unknown>[] => {
  const fields = Object.entries(properties).flatMap(([name, schema]) => valuesOf(name, schema).map((value) => ({ [name]: value })));
  const all = Object.assign({}, ...fields.toReversed()) as Record<string, unknown>;
  return [
    {},
    all,
    ...fields.flatMap((one) =>
      fields.flatMap((other) => [
        { ...one, ...other },
        { ...all, ...one, ...other },
      ]),
    ),
  ];
};

describe('each tool of the other product', () => {
  const listed = open(['chrome']).served.tools();
  const classOf = (tools: readonly ToolInfo[], name: string): number =>
    ['read', 'navigate', 'write', 'sensitive'].indexOf(tools.find((tool) => tool.name === name)?._meta[TOOL_CLASS_META] ?? 'unknown');

  test.each(chromeTools.map((alias) => [alias.name, alias] as const))(
    '%s is listed as what it may do at most, and does nothing but call our own tools, each of which is decided about by itself',
    (name, { inputSchema, toSteps }) => {
      const steps = manyArguments(inputSchema as JsonSchema).flatMap((args) => {
        try {
          return toSteps(args);
        } catch {
          // Such arguments mean nothing together.
          return [];
        }
      });

      const classes = [...new Set(steps.map((step) => step.name))].map((step) => classOf(built, step));
      expect(Math.min(...classes)).toBeGreaterThanOrEqual(0);
      expect([name, classOf(listed, name)]).toEqual([name, Math.max(...classes)]);
      const readOnly = listed.find((tool) => tool.name === name)?.annotations?.['readOnlyHint'];
      expect(readOnly).toBe(Math.max(...classes) === 0);
    },
  );
});

const READING = ['chrome_read_page', 'chrome_screenshot', 'chrome_handle_download', 'performance_analyze_insight'];

const expectedClass = (name: string): ToolInfo['_meta'][typeof TOOL_CLASS_META] => {
  if (/^chrome_(?:javascript|get_web_content|network_request|upload_file|history|bookmark_\w+|gif_recorder)$|^performance_stop/.test(name))
    return 'sensitive';
  if (READING.includes(name)) return 'read';
  return /tabs|^chrome_(?:navigate|console|network_capture)$|^chrome_switch_tab$/.test(name) ? 'navigate' : 'write';
};
