import { describe, expect, it } from 'vitest';
import { argumentFault } from '#companion/mcp/call-arguments.ts';
import { meantArguments } from '#companion/mcp/meant-arguments.ts';
import { tools } from '#extension/tools/index.ts';

const infoOf = (name: string) => {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.info;
};

const control = process.platform === 'darwin' ? 'Meta' : 'Control';

describe('arguments are taken as meant', () => {
  it.for([
    ['browser_click', { ref: 'e7' }, { target: 'e7' }],
    ['browser_click', { uid: 'e7', dblClick: 'true' }, { target: 'e7', doubleClick: true }],
    ['browser_click', { uid: 'e7', double: true }, { target: 'e7', doubleClick: true }],
    ['browser_click', { ref: 'e7', num_clicks: 3 }, { target: 'e7', clickCount: 3 }],
    ['browser_click', { coordinate: '[20, 30]' }, { x: 20, y: 30 }],
    ['browser_hover', { position: '20,30' }, { x: 20, y: 30 }],
    ['browser_click', { target: 'f7e12', x: 20, y: 30 }, { target: 'f7e12', x: 20, y: 30 }],
    ['browser_click', { coordinate: '{"x": 20, "y": 30}' }, { x: 20, y: 30 }],
    ['browser_drag', { from: '#a, #b', to: '3,4' }, { startTarget: '#a, #b', endX: 3, endY: 4 }],
    ['browser_page_tool', { name: 'add', a: 4, b: null, tab: '7' }, { name: 'add', arguments: { a: 4, b: null }, tabId: 7 }],
    ['browser_page_tool', { tool: 'add', args: { a: 4 } }, { name: 'add', arguments: { a: 4 } }],
    ['browser_page_tool', { name: 'add' }, { name: 'add', arguments: {} }],
    ['browser_resize', { size: '800x600' }, { width: 800, height: 600 }],
    ['browser_resize', { viewport: { width: 800, height: '600' } }, { width: 800, height: 600 }],
    ['browser_handle_dialog', { dismiss: 'true' }, { accept: false }],
    ['browser_handle_dialog', { accept: true, text: 'Ann' }, { accept: true, promptText: 'Ann' }],
    ['browser_ask_human', { prompt: 'Which?', choices: ['A', 'B'] }, { message: 'Which?', options: ['A', 'B'] }],
    ['browser_batch', { commands: [{ method: 'browser_reload', params: {} }] }, { calls: [{ name: 'browser_reload', arguments: {} }] }],
    ['browser_drag', { source: 'e1', destination: 'e2' }, { startTarget: 'e1', endTarget: 'e2' }],
    ['browser_drag', { source: 'e1', target: 'e2' }, { startTarget: 'e1', endTarget: 'e2' }],
    ['browser_press_key', { key: 'a', modifiers: ['Control', 'shift'] }, { key: 'Control+shift+a' }],
    ['browser_press_key', { keys: 'a', modifiers: 'ctrl', target: null }, { key: 'ctrl+a' }],
    ['browser_press_key', { key: 'a', modifiers: null }, { key: 'a' }],
    ['browser_click', { selector: '#go', tab_id: '12', DoubleClick: false }, { target: '#go', tabId: 12, doubleClick: false }],
    ['browser_click', { target: 'e7', modifiers: 'ControlOrMeta' }, { target: 'e7', modifiers: [control] }],
    [
      'browser_click',
      { target: 'e7', modifiers: ['ControlOrMeta', 'shift'], button: 'Left' },
      { target: 'e7', modifiers: [control, 'Shift'], button: 'left' },
    ],
    ['browser_click', { x: '10', y: '-2.5', target: null }, { x: 10, y: -2.5 }],
    ['browser_emulate_media', { contrast: null, tabId: null }, { contrast: null }],
    ['browser_type', { ref: 'e7', value: 42, submit: 'false' }, { target: 'e7', text: '42', submit: false }],
    ['browser_select_option', { target: 'e7', values: '["a","b"]' }, { target: 'e7', values: ['a', 'b'] }],
    ['browser_select_option', { target: 'e7', value: 'a' }, { target: 'e7', values: ['a'] }],
    ['browser_drag', { startRef: 'e1', endRef: 'e2' }, { startTarget: 'e1', endTarget: 'e2' }],
    ['browser_evaluate', { script: '1' }, { function: '1' }],
    ['browser_click', { coordinate: [20, '30'] }, { x: 20, y: 30 }],
    ['browser_hover', { coordinates: { x: 1, y: 2 } }, { x: 1, y: 2 }],
    ['browser_click', { target: { ref: 'e7' } }, { target: 'e7' }],
    ['browser_click', { target: { selector: '#go' }, button: 'left' }, { target: '#go', button: 'left' }],
    ['browser_click', { target: { coordinate: [20, 30] } }, { x: 20, y: 30 }],
    ['browser_click', { role: 'button', name: 'Go' }, { target: 'role=button[name="Go"]' }],
    ['browser_click', { element_ref: 'e7', modifiers: 'ctrl+shift' }, { target: 'e7', modifiers: ['Control', 'Shift'] }],
    ['browser_click', { xpath: '//button[@id="go"]', modifiers: ['cmd'] }, { target: 'button[id="go"]', modifiers: ['Meta'] }],
    ['browser_drag', { startTarget: { ref: 'e1' }, endTarget: { ref: 'e2' } }, { startTarget: 'e1', endTarget: 'e2' }],
    ['browser_drag', { start_coordinate: [1, 2], coordinate: [3, 4] }, { startX: 1, startY: 2, endX: 3, endY: 4 }],
    ['browser_drag', { from: { x: 1, y: 2 }, to: { x: 3, y: 4 } }, { startX: 1, startY: 2, endX: 3, endY: 4 }],
    ['browser_select_option', { target: 'e7', values: [{ label: 'Dog' }] }, { target: 'e7', values: ['Dog'] }],
    ['browser_select_option', { target: 'e7', options: ['Dog'] }, { target: 'e7', values: ['Dog'] }],
    ['browser_select_option', { target: 'e7', label: 'Dog' }, { target: 'e7', values: ['Dog'] }],
    ['browser_fill_form', { fields: [{ target: '#k', values: ['a', 'b'] }] }, { fields: [{ target: '#k', value: ['a', 'b'] }] }],
    [
      'browser_history',
      { from: '2 weeks ago', until: '2026-05-01', limit: '5' },
      { startTime: '2 weeks ago', endTime: '2026-05-01', maxResults: 5 },
    ],
    ['browser_evaluate', { text: '1 + 1' }, { function: '1 + 1' }],
    ['browser_evaluate', { function: '(e) => e.id', args: ['e7'] }, { function: '(e) => e.id', target: 'e7' }],
    ['browser_evaluate', { function: '(e) => e.id', args: [{ uid: 'e7' }] }, { function: '(e) => e.id', target: 'e7' }],
    ['browser_type', { target: 'e7', text: 'x', submitKey: 'Enter' }, { target: 'e7', text: 'x', submit: true }],
    ['browser_type', { text: 'x', submitKey: 'Enter' }, { target: ':focus', text: 'x', submit: true }],
    ['browser_handle_dialog', { action: 'dismiss' }, { accept: false }],
    ['browser_handle_dialog', { action: 'accept', promptText: 'x' }, { accept: true, promptText: 'x' }],
    ['browser_console_messages', { types: ['error'] }, { level: 'error' }],
    ['browser_console_messages', { types: ['warn', 'error', 'assert'] }, { level: 'warning' }],
    ['browser_console_messages', { types: ['error', 'log'] }, { level: 'info' }],
    ['browser_console_messages', { types: [] }, { level: 'debug' }],
    ['browser_network_request', { reqid: 3 }, { index: 3 }],
    ['browser_emulate', { networkConditions: 'Slow 4G' }, { network: 'fast-3g' }],
    ['browser_emulate', { networkConditions: 'No emulation' }, { network: 'online' }],
    ['browser_emulate', { networkConditions: 'Fast 4G' }, { network: 'fast-4g' }],
    ['browser_emulate', { networkConditions: 'Slow 3G', cpuThrottlingRate: 4 }, { network: 'slow-3g', cpuSlowdown: 4 }],
    [
      'browser_emulate',
      { geolocation: '52.5x-13.4', timezoneId: 'Asia/Tokyo' },
      { geolocation: { latitude: 52.5, longitude: -13.4 }, timezone: 'Asia/Tokyo' },
    ],
    ['browser_emulate', { prefersReducedMotion: 'reduce', forcedColors: 'none' }, { reducedMotion: true, forcedColors: false }],
    ['browser_emulate_media', { prefersReducedMotion: 'reduce', prefersContrast: null }, { reducedMotion: 'reduce', contrast: null }],
    ['browser_clipboard', { operation: 'read' }, { action: 'read' }],
    ['browser_ask_human', { question: 'Which?', choices: ['a', 'b'] }, { message: 'Which?', options: ['a', 'b'] }],
    ['browser_take_screenshot', { region: { x0: 1, y0: 2, x1: 3, y1: 4 } }, { region: [1, 2, 3, 4] }],
    ['browser_take_screenshot', { clip: { x: 1, y: 2, width: 3, height: 4 } }, { region: [1, 2, 4, 6] }],
    ['browser_take_screenshot', { region: '1, 2, 3, 4' }, { region: [1, 2, 3, 4] }],
    [
      'browser_batch',
      { calls: [{ tool_name: 'browser_click', target: 'e7' }] },
      { calls: [{ name: 'browser_click', arguments: { target: 'e7' } }] },
    ],
    [
      'browser_batch',
      { calls: [{ name: 'browser_click', arguments: '{"target":"e7"}' }] },
      { calls: [{ name: 'browser_click', arguments: { target: 'e7' } }] },
    ],
    ['browser_batch', { calls: ['browser_snapshot'] }, { calls: [{ name: 'browser_snapshot', arguments: {} }] }],
    ['browser_batch', { calls: [{ name: 'browser_snapshot' }] }, { calls: [{ name: 'browser_snapshot', arguments: {} }] }],
    ['browser_snapshot', { maxTokens: 10_000_000, depth: 0, page: 0 }, { maxTokens: 100_000, depth: 1, page: 1 }],
    ['browser_read', { maxTokens: '1' }, { maxTokens: 200 }],
    ['browser_press_key', { text: 'Enter' }, { key: 'Enter' }],
    ['browser_history', { query: 'news' }, { text: 'news' }],
    ['browser_find', { query: 'Price' }, { text: 'Price' }],
    ['browser_bookmarks', { action: 'search', query: 'news' }, { action: 'search', query: 'news' }],
    ['browser_click', { text: 'Submit' }, { target: 'text=Submit' }],
    ['browser_click', { selector: '`button.go`' }, { target: 'button.go' }],
    ['browser_console_messages', { level: 'warn' }, { level: 'warning' }],
    ['browser_console_messages', { level: 'log' }, { level: 'info' }],
    ['browser_fill_form', { fields: [{ target: '#k', checked: false }] }, { fields: [{ target: '#k', value: false }] }],
    ['browser_press_key', { keys: ['Control', 'a'] }, { key: 'Control+a' }],
    ['browser_press_key', { key: ['Control', 'a'] }, { key: 'Control+a' }],
    ['browser_wait_for', { text: ['Done'] }, { text: 'Done' }],
    ['browser_wait_for', { text: ['Done', 'Failed'] }, { texts: ['Done', 'Failed'] }],
    ['browser_wait_for', { seconds: 2 }, { time: 2 }],
    ['browser_wait_for', { request: '/orders' }, { response: '/orders' }],
    ['browser_wait_for', { response_url: '/orders' }, { response: '/orders' }],
    ['browser_wait_for', { urlPattern: '**/orders' }, { response: '**/orders' }],
    ['browser_route', { url_pattern: '**/orders', action: 'block' }, { pattern: '**/orders', action: 'block' }],
    ['browser_route', { urlPattern: '**/ads', block: true }, { pattern: '**/ads', action: 'block' }],
    ['browser_route', { pattern: '**/ads', abort: 'true' }, { pattern: '**/ads', action: 'block' }],
    ['browser_route', { pattern: '**/ads', action: 'abort' }, { pattern: '**/ads', action: 'block' }],
    ['browser_scroll', { to: 'bottom' }, { direction: 'bottom' }],
    ['browser_scroll', { scroll_direction: 'down', scroll_amount: 3 }, { direction: 'down', amount: 300 }],
    ['browser_scroll', { deltaY: -250 }, { direction: 'up', amount: 250 }],
    ['browser_drag', { from: 'e1', to: 'e2' }, { startTarget: 'e1', endTarget: 'e2' }],
    ['browser_drag', { startTarget: 'E1', endTarget: 'css=#to' }, { startTarget: 'e1', endTarget: '#to' }],
    ['browser_fill_form', { fields: [{ target: 'id=mail', value: 'x' }] }, { fields: [{ target: '[id="mail"]', value: 'x' }] }],
    ['browser_fill_form', { elements: [{ uid: 'e2', value: 'x' }] }, { fields: [{ target: 'e2', value: 'x' }] }],
    ['browser_fill_form', { fields: [{ name: 'Full name', value: 'x' }] }, { fields: [{ target: 'label="Full name"i', value: 'x' }] }],
    [
      'browser_fill_form',
      { fields: { 'Full name': 'x', '#age': 7, e5: true } },
      {
        fields: [
          { target: 'label="Full name"i', value: 'x' },
          { target: '#age', value: 7 },
          { target: 'e5', value: true },
        ],
      },
    ],
    ['browser_fill_form', { fields: '{"Name":"x"}' }, { fields: [{ target: 'label="Name"i', value: 'x' }] }],
    ['browser_fill_form', { fields: { ref: 'e1', value: 'x' } }, { fields: [{ target: 'e1', value: 'x' }] }],
    ['browser_fill_form', { fields: { name: 'Full name', value: 'x' } }, { fields: [{ target: 'label="Full name"i', value: 'x' }] }],
    ['browser_file_upload', { uid: 'e2', filePath: 'plan.pdf' }, { target: 'e2', paths: ['plan.pdf'] }],
    ['browser_console_messages', { onlyErrors: true }, { level: 'error' }],
  ] as const)('%s %j', ([name, given, meant]) => {
    const info = infoOf(name);

    const { args, notes } = meantArguments(info, given);

    expect(args).toEqual(meant);
    expect(notes).toEqual([]);
    expect(argumentFault(info, true, args)).toBeNull();
  });

  it.for([
    ['F2E12', 'f2e12'],
    ['Go', 'text=Go'],
    ['Sign in', 'text=Sign in'],
    ['VAT', 'text=VAT'],
    ['SIGN IN', 'text=SIGN IN'],
    ['UL LI', 'UL LI'],
    ['H1', 'H1'],
    ['E12', 'e12'],
    ['登录', 'text=登录'],
    ['😀', 'text=😀'],
    ['× Remove', 'text=× Remove'],
    ['BUTTON', 'BUTTON'],
    ['my-element button', 'my-element button'],
    ['e1 button "Go now"', 'e1'],
    ['[e1 button "Go now"]', 'e1'],
    ['css=li:nth-child(2) button', 'li:nth-child(2) button'],
    ['xpath=//button[@id="go"]', 'button[id="go"]'],
    ['//button[text()="Go"]', 'text="Go"'],
    ['data-testid=go', '[data-testid="go"]'],
    ['placeholder="Your name"', '[placeholder="Your name"]'],
    ["getByTestId('go')", '[data-testid="go"]'],
    ['getByPlaceholder("you")', 'placeholder="you"i'],
    ["page.getByText('Go now', { exact: true })", 'text="Go now"'],
    ['getByText(/go (now|later)/i)', 'text=/go (now|later)/i'],
    ["page.getByRole('button', { name: 'Go now' })", 'role=button[name="Go now"i]'],
    ["getByRole('button', { name: /^go$/i, exact: true })", 'role=button[name=/^go$/i]'],
    ['get_by_role("button", name="Go now", exact=True)', 'role=button[name="Go now"]'],
    ['getByRole("dialog")', 'role=dialog'],
    ["getByLabel('Your \\'name\\'')", `label="Your 'name'"i`],
    ['get_by_label("Mail").first', 'label="Mail"i >> nth=0'],
    ["getByAltText('Logo').last()", 'alt="Logo"i >> nth=-1'],
    ["getByTitle('Close')", 'title="Close"i'],
    ["page.locator('css=#go')", '#go'],
    ["page.locator('li').filter({ hasText: 'Ada' }).getByRole('button').nth(1)", 'li >> has-text="Ada" >> role=button >> nth=1'],
    ["await page.locator('tr', { hasText: /ada/ }).getByText('Edit').click();", 'tr >> has-text=/ada/ >> text="Edit"i'],
    ["locator('//ul/li').nth(-2)", 'ul > li >> nth=-2'],
    ['link "Terms"', 'role=link[name="Terms"]'],
    // These are arguments of the tool, or of none.
    ['e12', 'e12'],
    ['text=//', 'text=//'],
    ['role=button[name="Go"]', 'role=button[name="Go"]'],
    [`button 'Say "hi"'`, String.raw`role=button[name="Say \"hi\""]`],
    [String.raw`button "Bob's \"x\""`, String.raw`role=button[name="Bob's \"x\""]`],
    ['a[href="/x"]', 'a[href="/x"]'],
    ['em', 'em'],
    ['#e1', '#e1'],
    ['li:has-text("B") button', 'li:has-text("B") button'],
    ['button:has-text("Go now")', 'button:has-text("Go now")'],
    ['text=/go/i >> nth=0', 'text=/go/i >> nth=0'],
    ["getByText('Go').or(x)", "getByText('Go').or(x)"],
    ['first', 'first'],
    ['//a[contains(., "x")]/@b', '//a[contains(., "x")]/@b'],
    ['.//a[contains(., "x")]/../b', 'a:has-text("x") >> .. >> > b'],
    [`(//button[text()="Go"])[2]`, 'text="Go" >> nth=1'],
    ['- button "Go now" [ref=e3]', 'e3'],
    ['internal:role=button[name="Go"i]', 'role=button[name="Go"i]'],
    ['internal:testid=[data-testid="go"s]', '[data-testid="go"]'],
    [`document.querySelector("#go")`, '#go'],
    [`$('.card > button')`, '.card > button'],
    [`document.getElementById('go')`, '[id="go"]'],
    ['button:contains("Go")', 'button:has-text("Go")'],
    [`page.frameLocator('#pay').getByRole('button', { name: 'Go' })`, '#pay >> internal:control=enter-frame >> role=button[name="Go"i]'],
    [`page.locator('iframe').contentFrame().locator('#go')`, 'iframe >> internal:control=enter-frame >> #go'],
  ] as const)('a target written as %s means %s', ([given, meant]) => {
    expect(meantArguments(infoOf('browser_click'), { target: given }).args).toEqual({ target: meant });
  });

  /** Calls as models of other products write them: playwright-mcp, chrome-devtools-mcp, Claude in Chrome. */
  it.for([
    ['browser_navigate', { url: 'https://a.example' }, {}],
    ['browser_navigate_back', {}, {}],
    ['browser_tabs', { action: 'list' }, {}],
    ['browser_tabs', { action: 'new', url: 'https://a.example' }, {}],
    ['browser_tabs', { action: 'create', url: 'https://a.example' }, { action: 'new' }],
    ['browser_tabs', { action: 'switch', index: 1 }, { action: 'select' }],
    ['browser_tabs', { action: 'close', index: 1 }, {}],
    ['browser_tabs', { action: 'select', index: '0' }, { index: 0 }],
    ['browser_tabs', { action: 'select', pageId: 7 }, { tabId: 7 }, ['pageId']],
    ['browser_snapshot', { target: 'e3', depth: 4, filename: 'page.md' }, {}],
    ['browser_find', { regex: 'a.c', filename: 'found.md' }, {}],
    [
      'browser_click',
      { element: 'Save', ref: 'e7', doubleClick: true, button: 'right', modifiers: ['ControlOrMeta', 'Shift'] },
      { target: 'e7', modifiers: [control, 'Shift'] },
      ['ref'],
    ],
    ['browser_click', { uid: 'e7', dblClick: true }, { target: 'e7', doubleClick: true }, ['uid', 'dblClick']],
    ['browser_click', { ref: 'e7', clickCount: 3 }, { target: 'e7' }, ['ref']],
    ['browser_hover', { element: 'Menu', ref: 'e7' }, { target: 'e7' }, ['ref']],
    ['browser_hover', { x: 10, y: 20 }, {}],
    ['browser_scroll', { x: 10, y: 20, direction: 'down' }, {}],
    [
      'browser_drag',
      { startElement: 'Card', startRef: 'e1', endElement: 'List', endRef: 'e2' },
      { startTarget: 'e1', endTarget: 'e2' },
      ['startRef', 'endRef'],
    ],
    ['browser_drag', { from_uid: 'e1', to_uid: 'e2' }, { startTarget: 'e1', endTarget: 'e2' }, ['from_uid', 'to_uid']],
    ['browser_drag', { startX: 1, startY: '2', endX: 3, endY: 4 }, { startY: 2 }],
    ['browser_drop', { ref: 'e1', element: 'Zone', data: { 'text/plain': 'a' } }, { target: 'e1' }, ['ref']],
    ['browser_type', { element: 'Name', ref: 'e7', text: 'Ada', submit: true, slowly: true }, { target: 'e7' }, ['ref']],
    [
      'browser_fill_form',
      {
        fields: [
          { name: 'Name', type: 'textbox', ref: 'e1', value: 'Ada' },
          { name: 'Agree', type: 'checkbox', target: 'e2', value: 'true' },
          { element: 'Age', uid: 'e3', text: '36' },
        ],
      },
      {
        fields: [
          { target: 'e1', value: 'Ada' },
          { target: 'e2', value: 'true' },
          { target: 'e3', value: '36' },
        ],
      },
    ],
    ['browser_select_option', { element: 'Fruit', ref: 'e7', values: ['a'] }, { target: 'e7' }, ['ref']],
    ['browser_press_key', { key: 'Control+A' }, {}],
    ['browser_file_upload', { paths: ['/w/a.txt'] }, {}],
    ['browser_file_upload', { uid: 'e1', filePaths: ['/w/a.txt'] }, { target: 'e1', paths: ['/w/a.txt'] }, ['uid', 'filePaths']],
    ['browser_handle_dialog', { accept: 'true', promptText: 'Ada' }, { accept: true }],
    ['browser_wait_for', { time: '2' }, { time: 2 }],
    ['browser_wait_for', { text: 'Done', textGone: 'Wait', time: 5 }, {}],
    ['browser_take_screenshot', { type: 'png', scale: 'css', fullPage: true, filename: 'a.png' }, {}],
    ['browser_take_screenshot', { type: 'webp', element: 'Chart', ref: 'e7' }, { type: 'jpeg', target: 'e7' }, ['ref']],
    ['browser_take_screenshot', { format: 'jpg', uid: 'e7' }, { type: 'jpeg', target: 'e7' }, ['format', 'uid']],
    ['browser_console_messages', { level: 'error', filename: 'log.md' }, {}],
    ['browser_console_messages', { pattern: 'api', limit: '5' }, { filter: 'api', limit: 5 }, ['pattern']],
    ['browser_network_requests', { includeStatic: false, filter: '/api' }, { static: false }, ['includeStatic']],
    ['browser_network_request', { index: '3', part: 'response-body', filename: 'body.md' }, { index: 3 }],
    ['browser_evaluate', { function: '() => 1', element: 'Save', ref: 'e7', filename: 'value.md' }, { target: 'e7' }, ['ref']],
    ['browser_resize', { width: '800', height: 600 }, { width: 800 }],
    ['browser_close', {}, {}],
    [
      'browser_batch',
      { actions: [{ tool: 'browser_reload', args: {} }] },
      { calls: [{ name: 'browser_reload', arguments: {} }] },
      ['actions'],
    ],
  ] as const satisfies readonly (readonly [string, object, object, (readonly string[])?])[])(
    'as another product has them: %s %j',
    ([name, given, changed, gone = []]) => {
      const info = infoOf(name);

      const { args, notes } = meantArguments(info, given);

      const kept = Object.entries(given).filter(([key]) => !(gone as readonly string[]).includes(key));
      expect(args).toEqual({ ...Object.fromEntries(kept), ...changed });
      expect(notes).toEqual([]);
      expect(argumentFault(info, true, args)).toBeNull();
    },
  );

  it('says what of a field means nothing, and passes over what only describes it', () => {
    const fields = [{ ref: 'e1', value: 'Ada', name: 'Name', frobnicate: 1 }];

    expect(meantArguments(infoOf('browser_fill_form'), { fields, element: 'The form' })).toEqual({
      args: { fields: [{ target: 'e1', value: 'Ada' }] },
      notes: ['Ignored, for it means nothing here: frobnicate.'],
    });
  });

  it('leaves out what has no meaning, and says so', () => {
    const { args, notes } = meantArguments(infoOf('browser_navigate'), { url: 'https://a.example', waitUntil: 'load', intent: 'x' });

    expect(args).toEqual({ url: 'https://a.example' });
    expect(notes).toEqual(['Ignored, for it means nothing here: waitUntil, intent.']);
    expect(meantArguments(infoOf('browser_tabs'), { action: 'select', pageId: 7, bringToFront: true })).toEqual({
      args: { action: 'select', tabId: 7 },
      notes: ['Ignored, for it means nothing here: bringToFront.'],
    });
  });

  it('says of a place beside an element that it means nothing', () => {
    expect(meantArguments(infoOf('browser_click'), { target: 'e7', position: { x: 1, y: 2 } })).toEqual({
      args: { target: 'e7' },
      notes: ['Ignored, for it means nothing here: x, y.'],
    });
  });

  it.for([
    ['browser_type', { target: 'e7', text: 'x', append: true }, /give the whole text/],
    ['browser_type', { target: 'e7', text: 'x', clear: 'false' }, /give the whole text/],
    ['browser_resize', { preset: 'phone' }, /unknown: preset.*Expected arguments: width\?, height\?/],
  ] as const)('passes over nothing without which something else would be done: %s %j', ([name, given, words]) => {
    const info = infoOf(name);

    expect(argumentFault(info, true, meantArguments(info, given).args)?.message).toMatch(words);
  });

  it('passes over nothing where the call would then be about all, or about another tab', () => {
    const fault = (name: string, given: Record<string, unknown>): string | undefined => {
      const info = infoOf(name);
      return argumentFault(info, true, meantArguments(info, given).args)?.message;
    };

    expect(fault('browser_emulate', { viewport: '390x844' })).toContain('unknown: viewport');
    expect(fault('browser_close', { title: 'Old page' })).toContain('unknown: title');
    expect(fault('browser_tabs', { action: 'close', name: 'Old page' })).toContain('unknown: name');
    expect(meantArguments(infoOf('browser_tabs'), { action: 'list', verbose: true })).toMatchObject({ args: { action: 'list' } });
    expect(fault('browser_unroute', { url: '**/*.png' })).toContain('unknown: url');
    expect(fault('browser_cookie_clear', { domain: 'a.example' })).toContain('unknown: domain');
    expect(fault('browser_localstorage_clear', { prefix: 'cart' })).toContain('unknown: prefix');
    expect(meantArguments(infoOf('browser_close'), { tab: '7' })).toEqual({ args: { tabId: 7 }, notes: [] });
  });

  it('guesses nothing: what is misspelt, doubled or of a wrong type is refused by its name', () => {
    const fault = (name: string, given: Record<string, unknown>): string | undefined => {
      const info = infoOf(name);
      return argumentFault(info, true, meantArguments(info, given).args)?.message;
    };

    expect(fault('browser_type', { target: 'e1', text: 'a', submitt: true })).toContain('unknown: submitt');
    expect(fault('browser_click', { target: 'e1', modifier: ['Alt'] })).toContain('unknown: modifier');
    expect(meantArguments(infoOf('browser_click'), { target: 'e1', ref: 'e2' })).toEqual({
      args: { target: 'e1' },
      notes: ['Ignored, for it means nothing here: ref.'],
    });
    expect(fault('browser_click', { target: 'e1', x: 'ten' })).toContain('"x"');
    expect(fault('browser_evaluate', { function: '(a, b) => a', args: ['e1', 'e2'] })).toMatch(
      /unknown: args.*"target" gives the function/,
    );
    expect(fault('browser_emulate', { viewport: '390x844x3,mobile' })).toMatch(/unknown: viewport.*browser_resize/);
    expect(fault('browser_emulate', { extraHttpHeaders: {} })).toMatch(/unknown: extraHttpHeaders.*browser_route/);
    for (const given of [{ url: 'back' }, { type: 'reload' }]) expect(fault('browser_navigate', given)).toContain('browser_navigate_back');
    expect(fault('browser_navigate', { type: 'url', url: 'https://back.example' })).toBeUndefined();
    expect(fault('browser_type', { text: 'a', element: 'Name' })).toContain('"target"');
    expect(fault('browser_type', { text: 'a', fieldName: 'Name' })).toContain('"target"');
    expect(fault('browser_type', { target: 'e1', text: { deep: 1 } })).toContain('"text"');
    expect(
      meantArguments(infoOf('browser_click'), JSON.parse('{"__proto__":{"x":1},"target":"e1"}') as Record<string, unknown>).args,
    ).toEqual({
      target: 'e1',
    });
  });
});
