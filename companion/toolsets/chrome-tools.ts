/**
 * The tools of mcp-chrome by its names and arguments, each as calls of the `browser_*` tools: the same code runs, and the same consent is asked. What has
 * no counterpart is not listed.
 */
import * as z from 'zod';
import { type Alias, type Step, defineAlias, ofNoEffect, refuse } from './alias.ts';
import { targetFromXPath } from './xpath.ts';

const tabId = z.number().optional().describe('Tab from get_windows_and_tabs; default: the current tab');
const windowId = z.number().optional().describe('Where there is no tabId: the tab that this window shows');
const ofNoWindow = ofNoEffect(z.number(), 'Of no effect: pages open in your own tabs, and a tab is named by tabId');
const background = ofNoEffect(z.boolean(), 'As always: tabs are worked in without being shown; chrome_switch_tab shows one', {
  always: true,
});
const selector = z.string().optional().describe('CSS selector');
const selectorType = z.enum(['css', 'xpath']).optional().describe('Default css; of XPath, paths of elements, attributes, places and texts');
const ref = z.string().optional().describe('Ref of chrome_read_page');
const coordinates = z.object({ x: z.number(), y: z.number() }).optional().describe('Place in the last screenshot');
const frameId = z.number().optional().describe('With a ref not needed: it contains its frame');

/** Our targets are refs and CSS selectors alike. A selector means the page itself, where another element may fit than in the frame. */
const targetOf = (args: {
  ref?: string | undefined;
  selector?: string | undefined;
  selectorType?: string | undefined;
  frameId?: number | undefined;
}): string | undefined => {
  if (args.ref !== undefined) return args.ref;
  if (args.selector !== undefined && (args.frameId ?? 0) !== 0)
    throw refuse('A selector is looked for in the page itself, not in a frame: give a ref of chrome_read_page, which contains its frame.');
  return args.selector !== undefined && args.selectorType === 'xpath' ? fromXPath(args.selector) : args.selector;
};

const fromXPath = (xpath: string): string => {
  const target = targetFromXPath(xpath);
  if (target !== null) return target;
  throw refuse(`This XPath says more than is read here: "${xpath.slice(0, 200)}". Give a CSS selector, or a ref of chrome_read_page.`);
};

const needed = (target: string | undefined): string => {
  if (target === undefined) throw refuse('Give "ref" or "selector".');
  return target;
};

/** What was not given is left out. */
const only = (args: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));

const one = (name: string, args: Record<string, unknown> = {}): Step[] => [{ name, args: only(args) }];

const MODIFIERS = [
  ['altKey', 'Alt'],
  ['ctrlKey', 'Control'],
  ['metaKey', 'Meta'],
  ['shiftKey', 'Shift'],
] as const;
const modifiers = z
  .object({
    altKey: z.boolean().optional(),
    ctrlKey: z.boolean().optional(),
    metaKey: z.boolean().optional(),
    shiftKey: z.boolean().optional(),
  })
  .optional()
  .describe('Keys held down');
const heldKeys = (held: z.infer<typeof modifiers>): string[] | undefined => {
  const keys = MODIFIERS.filter(([name]) => held?.[name] === true).map(([, key]) => key);
  return keys.length === 0 ? undefined : keys;
};

const KEY_NAMES = new Map([
  ['ctrl', 'Control'],
  ['control', 'Control'],
  ['cmd', 'Meta'],
  ['command', 'Meta'],
  ['meta', 'Meta'],
  ['option', 'Alt'],
  ['alt', 'Alt'],
  ['shift', 'Shift'],
  ['esc', 'Escape'],
  ['return', 'Enter'],
  ['del', 'Delete'],
  ['space', 'Space'],
  ['up', 'ArrowUp'],
  ['down', 'ArrowDown'],
  ['left', 'ArrowLeft'],
  ['right', 'ArrowRight'],
]);
const keyOf = (chord: string): string =>
  chord
    .split('+')
    .map((key) => key.trim())
    .map((key) => KEY_NAMES.get(key.toLowerCase()) ?? (key.length > 1 ? key.charAt(0).toUpperCase() + key.slice(1) : key))
    .join('+');

const MAX_KEYS = 20;
const LONGEST_WAIT_S = 30;
const SCROLL_TICK_PX = 100;
const LONGEST_PAUSE_S = 1;
const DEFAULT_WIDTH_PX = 1280;
const DEFAULT_HEIGHT_PX = 720;

const COMPUTER_ACTIONS = [
  'left_click',
  'right_click',
  'double_click',
  'triple_click',
  'left_click_drag',
  'scroll',
  'scroll_to',
  'type',
  'key',
  'fill',
  'fill_form',
  'hover',
  'wait',
  'resize_page',
  'screenshot',
  'zoom',
] as const;

const Computer = z.object({
  action: z.enum(COMPUTER_ACTIONS).describe('What to do'),
  tabId,
  background,
  ref,
  selector,
  coordinates,
  startRef: z.string().optional().describe('Where a drag begins'),
  startCoordinates: coordinates.describe('Where a drag begins, in the last screenshot'),
  scrollDirection: z.enum(['up', 'down', 'left', 'right']).optional().describe('Default down'),
  scrollAmount: z.number().optional().describe('In steps of 100 pixels'),
  text: z.string().optional().describe('To type; the keys; the text to wait for'),
  repeat: z.number().optional().describe('How often a key is pressed'),
  modifiers,
  value: z.union([z.string(), z.number(), z.boolean()]).optional().describe('For fill'),
  elements: z
    .array(z.object({ ref: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) }))
    .optional()
    .describe('For fill_form'),
  width: z.number().optional().describe('For resize_page'),
  height: z.number().optional().describe('For resize_page'),
  region: z
    .object({ x0: z.number(), y0: z.number(), x1: z.number(), y1: z.number() })
    .optional()
    .describe('For zoom: corners in the last screenshot'),
  appear: z.boolean().optional().describe('Whether the text is to come (default) or to go'),
  timeout: z.number().optional().describe('Milliseconds to wait at most'),
  duration: z.number().optional().describe('Seconds to wait'),
});

const pressKeys = (text: string | undefined, repeat: number, more: Record<string, unknown>): Step[] => {
  const chords = (text ?? '').split(/[,\s]+/).filter((chord) => chord !== '');
  if (chords.length === 0) throw refuse('Give the keys, such as "Enter" or "ctrl+a".');
  const keys = Array.from({ length: Math.max(1, Math.round(repeat)) }, () => chords).flat();
  if (keys.length > MAX_KEYS) throw refuse(`These are ${keys.length} keys; a call presses ${MAX_KEYS}.`);
  return keys.flatMap((key) => one('browser_press_key', { key: keyOf(key), ...more }));
};

interface Placed {
  readonly ref?: string | undefined;
  readonly selector?: string | undefined;
  readonly selectorType?: string | undefined;
  readonly frameId?: number | undefined;
  readonly coordinates?: { readonly x: number; readonly y: number } | undefined;
}

/** What is pointed at: an element, or a place of the last screenshot. */
const placeOf = (args: Placed): Record<string, unknown> => {
  const target = targetOf(args);
  if (target === undefined && args.coordinates === undefined) throw refuse('Give "ref", "selector" or "coordinates".');
  return target === undefined ? { ...args.coordinates } : { target };
};

const click = (args: z.infer<typeof Computer>, more: Record<string, unknown>): Step[] =>
  one('browser_click', { ...placeOf(args), modifiers: heldKeys(args.modifiers), tabId: args.tabId, ...more });

const drag = ({ startRef, startCoordinates: start, coordinates: end, tabId: tab, ...args }: z.infer<typeof Computer>): Step[] => {
  const target = targetOf(args);
  if ((startRef === undefined && start === undefined) || (target === undefined && end === undefined))
    throw refuse('A drag needs "startRef" or "startCoordinates", and "ref" or "coordinates".');
  return one('browser_drag', {
    ...(startRef === undefined ? { startX: start?.x, startY: start?.y } : { startTarget: startRef }),
    ...(target === undefined ? { endX: end?.x, endY: end?.y } : { endTarget: target }),
    tabId: tab,
  });
};

const computer = (args: z.infer<typeof Computer>): Step[] => {
  const target = targetOf(args);
  switch (args.action) {
    case 'left_click':
      return click(args, {});
    case 'right_click':
      return click(args, { button: 'right' });
    case 'double_click':
      return click(args, { doubleClick: true });
    case 'triple_click':
      return click(args, { clickCount: 3 });
    case 'left_click_drag':
      return drag(args);
    case 'scroll':
      return one('browser_scroll', {
        ...(target === undefined ? args.coordinates : { target }),
        direction: args.scrollDirection ?? 'down',
        amount: args.scrollAmount === undefined ? undefined : Math.max(1, args.scrollAmount * SCROLL_TICK_PX),
        tabId: args.tabId,
      });
    case 'scroll_to':
      return one('browser_scroll', { ...placeOf(args), tabId: args.tabId });
    case 'type':
      return one('browser_type', { target: target ?? ':focus', text: args.text ?? '', tabId: args.tabId });
    case 'key':
      return pressKeys(args.text, args.repeat ?? 1, { target, tabId: args.tabId });
    case 'fill':
      return one('browser_fill_form', { fields: [{ target: needed(target), value: args.value ?? '' }], tabId: args.tabId });
    case 'fill_form':
      return one('browser_fill_form', {
        fields: (args.elements ?? []).map((element) => ({ target: element.ref, value: element.value })),
        tabId: args.tabId,
      });
    case 'hover':
      return one('browser_hover', { ...placeOf(args), tabId: args.tabId });
    case 'wait':
      return wait(args);
    case 'resize_page':
      return one('browser_resize', { width: args.width, height: args.height, tabId: args.tabId });
    case 'screenshot':
      return one('browser_take_screenshot', { tabId: args.tabId });
    case 'zoom': {
      if (args.region === undefined) throw refuse('zoom needs "region" with x0, y0, x1 and y1.');
      const { x0, y0, x1, y1 } = args.region;
      return one('browser_take_screenshot', { region: [x0, y0, x1, y1], tabId: args.tabId });
    }
  }
};

const wait = ({ text, appear, timeout, duration, tabId: tab }: z.infer<typeof Computer>): Step[] => {
  const seconds = duration ?? (timeout === undefined ? undefined : timeout / 1000);
  const time = seconds === undefined ? undefined : Math.min(LONGEST_WAIT_S, Math.max(0, seconds));
  if (text === undefined) return one('browser_wait_for', { time: time ?? 1, tabId: tab });
  return one('browser_wait_for', { ...(appear === false ? { textGone: text } : { text }), time, tabId: tab });
};

interface WebRequest {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly formData?: unknown;
  readonly timeout?: number | undefined;
}

const FormValues = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const Form = z.union([z.strictObject({ fields: FormValues, files: z.array(z.unknown()).max(0).optional() }), FormValues]);

const formCode = (given: unknown): string => {
  const form = Form.safeParse(given);
  if (!form.success) throw refuse('"formData" takes texts by their names; a file goes to a page with chrome_upload_file.');
  const fields = FormValues.safeParse(form.data['fields']).data ?? FormValues.parse(form.data);
  const entries = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return `${JSON.stringify(entries)}.reduce((form, [name, value]) => (form.append(name, value), form), new FormData())`;
};

/** A request as the page itself makes it, with the person's cookies. */
const fetchCode = (request: WebRequest): string => {
  const { url, headers, body, formData, timeout } = request;
  const method = request.method ?? (formData === undefined ? 'GET' : 'POST');
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const init = JSON.stringify(only({ method, headers, body: text, credentials: 'include' }));
  const more = [
    ...(timeout === undefined ? [] : [`signal: AbortSignal.timeout(${Math.max(1, Math.round(timeout))})`]),
    ...(formData === undefined ? [] : [`body: ${formCode(formData)}`]),
  ];
  return `async () => { const answer = await fetch(${JSON.stringify(url)}, { ...${[init, ...more].join(', ')} }); return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() }; }`;
};

/** In mcp-chrome's order. */
export const chromeTools: readonly Alias[] = [
  // Both names are in use.
  ...['get_windows_and_tabs', 'chrome_get_windows_and_tabs'].map((name) =>
    defineAlias({
      name,
      description: 'List the open tabs.',
      input: z.object({}),
      like: 'browser_tabs',
      steps: () => one('browser_tabs', { action: 'list' }),
    }),
  ),
  defineAlias({
    name: 'chrome_navigate',
    description: 'Open an address, go back or forward, or load the page again.',
    input: z.object({
      url: z.string().optional().describe('The address, or "back" or "forward"'),
      newWindow: z.boolean().optional().describe('Open a new tab'),
      refresh: z.boolean().optional().describe('Load the page again'),
      width: z.number().optional().describe('The size that the page is laid out in, default 1280 where there is a height'),
      height: z.number().optional().describe('See width; default 720'),
      tabId,
      windowId: ofNoWindow,
      background,
    }),
    like: 'browser_navigate',
    steps: ({ url, newWindow, refresh, width, height, tabId: tab }) => {
      if (refresh === true) return one('browser_reload', { tabId: tab });
      if (url === undefined) throw refuse('Give "url", or "refresh".');
      if (url === 'back' || url === 'forward') return one(`browser_navigate_${url}`, { tabId: tab });
      const opened = newWindow === true ? one('browser_tabs', { action: 'new', url }) : one('browser_navigate', { url, tabId: tab });
      if (width === undefined && height === undefined) return opened;
      const size = { width: width ?? DEFAULT_WIDTH_PX, height: height ?? DEFAULT_HEIGHT_PX };
      return [...opened, ...one('browser_resize', { ...size, tabId: newWindow === true ? undefined : tab })];
    },
  }),
  defineAlias({
    name: 'chrome_switch_tab',
    description: 'Show a tab and make it the current one.',
    input: z.object({ tabId: z.number().describe('Tab from get_windows_and_tabs'), windowId: ofNoWindow }),
    like: 'browser_tabs',
    steps: ({ tabId: tab }) => one('browser_tabs', { action: 'select', tabId: tab }),
  }),
  defineAlias({
    name: 'chrome_close_tabs',
    description: 'Close tabs; without tabIds the current one.',
    // What else was to limit it is refused: it would close another one.
    input: z.strictObject({
      tabIds: z.array(z.number()).max(MAX_KEYS).optional().describe('Tabs from get_windows_and_tabs'),
      url: z.string().optional().describe('Or your own tabs at this address or below it; * stands for anything'),
    }),
    like: 'browser_close',
    steps: ({ tabIds = [], url }) =>
      tabIds.length === 0 ? one('browser_close', { url }) : tabIds.flatMap((tab) => one('browser_close', { tabId: tab })),
  }),
  defineAlias({
    name: 'chrome_read_page',
    description: 'Read the page as a tree with refs of what can be operated.',
    input: z.object({
      filter: ofNoEffect(z.string(), 'Of no effect: what can be operated has a ref, and the text around it is shown with it'),
      depth: z.number().optional().describe('How many levels'),
      refId: z.string().optional().describe('Only this part'),
      tabId,
      windowId,
    }),
    like: 'browser_snapshot',
    steps: ({ refId, depth, tabId: tab }) => one('browser_snapshot', { target: refId, depth: atMost(depth, 1000), tabId: tab }),
  }),
  defineAlias({
    name: 'chrome_get_web_content',
    description: 'Read the text of the page, or its HTML.',
    input: z.object({
      url: z.string().optional().describe('Opened first'),
      htmlContent: z.boolean().optional().describe('HTML instead of text'),
      textContent: ofNoEffect(z.boolean(), 'Text, which is the default', { always: true }),
      selector: z.string().optional().describe('Only this part'),
      tabId,
      background,
    }),
    like: 'browser_read',
    also: ['browser_navigate', 'browser_evaluate'],
    steps: ({ url, htmlContent, selector: part, tabId: tab }) => [
      ...(url === undefined ? [] : one('browser_navigate', { url, tabId: tab })),
      ...(htmlContent === true
        ? one('browser_evaluate', { function: '(element) => (element ?? document.documentElement).outerHTML', target: part, tabId: tab })
        : one('browser_read', { target: part, tabId: tab })),
    ],
  }),
  defineAlias({
    name: 'chrome_computer',
    description: 'Use mouse and keyboard, fill fields, wait, or take a picture.',
    input: Computer,
    like: 'browser_click',
    steps: computer,
  }),
  defineAlias({
    name: 'chrome_click_element',
    description: 'Click an element by ref, selector or coordinates.',
    input: z.object({
      selector,
      selectorType,
      ref,
      coordinates,
      double: z.boolean().optional().describe('Click twice'),
      button: z.enum(['left', 'right', 'middle']).optional().describe('Default left'),
      modifiers,
      waitForNavigation: ofNoEffect(z.boolean(), 'As always: what a click leads to is waited for', { always: true }),
      timeout: ofNoEffect(z.number(), 'Of no effect: an element that comes late is waited for as long as it may come'),
      tabId,
      windowId,
      frameId,
    }),
    like: 'browser_click',
    steps: (args) =>
      one('browser_click', {
        ...placeOf(args),
        doubleClick: args.double,
        button: args.button,
        modifiers: heldKeys(args.modifiers),
        tabId: args.tabId,
      }),
  }),
  defineAlias({
    name: 'chrome_fill_or_select',
    description: 'Fill a field, tick a box or choose an option.',
    input: z.object({
      value: z.union([z.string(), z.number(), z.boolean()]).describe('The text, the option, or true and false'),
      selector,
      selectorType,
      ref,
      tabId,
      windowId,
      frameId,
    }),
    like: 'browser_fill_form',
    steps: (args) => one('browser_fill_form', { fields: [{ target: needed(targetOf(args)), value: args.value }], tabId: args.tabId }),
  }),
  defineAlias({
    name: 'chrome_keyboard',
    description: 'Press keys, in an element or in what has the focus.',
    input: z.object({
      keys: z.string().describe('Enter, Ctrl+C; several with commas'),
      selector,
      selectorType,
      delay: z.number().optional().describe('Milliseconds between two keys, at most 1000'),
      tabId,
      windowId,
      frameId,
    }),
    like: 'browser_press_key',
    steps: (args) => {
      const presses = pressKeys(args.keys, 1, { target: targetOf(args), tabId: args.tabId });
      const pause = one('browser_wait_for', { time: Math.min(LONGEST_PAUSE_S, Math.max(0, (args.delay ?? 0) / 1000)), tabId: args.tabId });
      return presses.flatMap((press, index) => (index === 0 || (args.delay ?? 0) <= 0 ? [press] : [...pause, press]));
    },
  }),
  defineAlias({
    name: 'chrome_screenshot',
    description: 'Take a picture of the page or of an element.',
    input: z.object({
      name: z.string().optional().describe('For savePng; default screenshot'),
      selector,
      fullPage: z.boolean().optional().describe('The whole page'),
      storeBase64: ofNoEffect(z.boolean(), 'As always: the picture is in the answer', { always: true }),
      savePng: z.boolean().optional().describe("Also save it among the user's downloads"),
      width: ofNoEffect(z.number(), 'Of no effect: resize_page of chrome_computer lays the page out in another size'),
      height: ofNoEffect(z.number(), 'See width'),
      tabId,
      windowId,
      background,
    }),
    like: 'browser_take_screenshot',
    steps: ({ name, selector: part, fullPage, savePng, tabId: tab }) => {
      const saving = savePng === true ? { type: 'png', filename: name ?? 'screenshot' } : {};
      return one('browser_take_screenshot', { target: part, fullPage, ...saving, tabId: tab });
    },
  }),
  defineAlias({
    name: 'chrome_javascript',
    description: 'Run JavaScript in the page; what it returns is the result.',
    input: z.object({
      code: z.string().describe('The body of an async function'),
      timeoutMs: z.number().optional().describe('Until it is given up'),
      maxOutputBytes: ofNoEffect(z.number(), 'Of no effect: of a long result the beginning is shown'),
      tabId,
    }),
    like: 'browser_evaluate',
    steps: ({ code, timeoutMs, tabId: tab }) => one('browser_evaluate', { function: scriptCode(code, timeoutMs), tabId: tab }),
  }),
  defineAlias({
    name: 'chrome_console',
    description: 'Read the console of the page.',
    input: z.object({
      url: z.string().optional().describe('Opened first'),
      onlyErrors: z.boolean().optional().describe('Errors alone'),
      tabId,
      windowId,
      background,
      mode: ofNoEffect(z.string(), 'As always: what the page wrote since it was loaded is kept', { always: 'buffer' }),
      buffer: ofNoEffect(z.boolean(), 'See mode', { always: true }),
      clear: z.boolean().optional().describe('Forget the messages first'),
      clearAfterRead: z.boolean().optional().describe('Forget them once they are read'),
      includeExceptions: ofNoEffect(z.boolean(), 'As always: they are included', { always: true }),
      maxMessages: z.number().optional().describe('Only the newest'),
      pattern: z.string().optional().describe('A part of the text; .* stands for anything, | for or'),
      limit: z.number().optional().describe('See maxMessages'),
    }),
    like: 'browser_console_messages',
    also: ['browser_navigate'],
    steps: ({ url, onlyErrors, pattern, maxMessages, limit, clear, clearAfterRead, tabId: tab }) => [
      ...(url === undefined ? [] : one('browser_navigate', { url, tabId: tab })),
      ...one('browser_console_messages', {
        level: onlyErrors === true ? 'error' : undefined,
        filter: pattern,
        limit: atMost(limit ?? maxMessages, 10_000),
        clear: clear === true ? 'before' : clearAfterRead === true ? 'after' : undefined,
        tabId: tab,
      }),
    ],
  }),
  defineAlias({
    name: 'chrome_network_capture',
    description: 'List what the tab asked for; requests are kept from the first call in it on.',
    input: z.object({
      action: z.enum(['start', 'stop']).describe('start opens the address, if any; stop lists'),
      url: z.string().optional().describe('Opened by start'),
      includeStatic: z.boolean().optional().describe('Also pictures, fonts, styles and scripts'),
      needResponseBody: ofNoEffect(z.boolean(), 'Of no effect: chrome_network_request makes a request with its answer', { always: false }),
      maxCaptureTime: ofNoEffect(z.number(), 'Of no effect: the newest are kept, however long it takes'),
      inactivityTimeout: ofNoEffect(z.number(), 'See maxCaptureTime'),
      tabId,
    }),
    like: 'browser_network_requests',
    also: ['browser_navigate'],
    steps: ({ action, url, includeStatic, tabId: tab }) =>
      action === 'start' && url !== undefined
        ? one('browser_navigate', { url, tabId: tab })
        : one('browser_network_requests', { static: includeStatic, tabId: tab }),
  }),
  defineAlias({
    name: 'chrome_network_request',
    description: "Make a request from the page, with the user's cookies.",
    input: z.object({
      url: z.string().describe('The address'),
      method: z.string().optional().describe('Default GET'),
      headers: z.record(z.string(), z.string()).optional().describe('Headers'),
      body: z
        .union([z.string(), z.record(z.string(), z.unknown())])
        .optional()
        .describe('Text, or an object as JSON'),
      formData: z.unknown().optional().describe('Texts by their names, sent as a form'),
      timeout: z.number().optional().describe('Milliseconds until it is given up'),
      tabId,
    }),
    like: 'browser_evaluate',
    steps: (args) => one('browser_evaluate', { function: fetchCode(args), tabId: args.tabId }),
  }),
  defineAlias({
    name: 'chrome_upload_file',
    description: 'Hand a file of the project to a file field.',
    input: z.object({
      selector: z.string().describe('The file field, or what opens the file dialog'),
      filePath: z.string().optional().describe('Path, from the project'),
      fileUrl: z
        .string()
        .optional()
        .describe(
          'Or its address: file:, or data: for what is in it; save what is on the web in the project first, for nobody was asked about its site',
        ),
      base64Data: z.string().optional().describe('Or what is in the file, as base64'),
      fileName: z.string().optional().describe('Of base64Data and data:, default uploaded-file'),
      multiple: ofNoEffect(z.boolean(), 'Of no effect: one file is handed over', { always: false }),
      tabId,
      windowId,
    }),
    like: 'browser_file_upload',
    steps: ({ selector: field, filePath, fileUrl, base64Data, fileName, tabId: tab }) => {
      const given = [filePath, fileUrl, base64Data].filter((way) => way !== undefined);
      if (given.length !== 1) throw refuse('Give either "filePath", "fileUrl" or "base64Data".');
      const { path = filePath, base64 = base64Data } = fileUrl === undefined ? {} : fileAt(fileUrl);
      if (path !== undefined && fileName !== undefined)
        throw refuse('"fileName" goes with "base64Data": a file of the project keeps its name.');
      const file = path === undefined ? { paths: [], made: [{ name: fileName ?? 'uploaded-file', base64 }] } : { paths: [path] };
      return one('browser_file_upload', { target: field, ...file, tabId: tab });
    },
  }),
  defineAlias({
    name: 'chrome_handle_dialog',
    description: 'Answer the native dialog of the page.',
    input: z.object({
      action: z.enum(['accept', 'dismiss']).describe('OK, or Cancel'),
      promptText: z.string().optional().describe('The answer to a prompt'),
      tabId,
    }),
    like: 'browser_handle_dialog',
    steps: ({ action, promptText, tabId: tab }) => one('browser_handle_dialog', { accept: action === 'accept', promptText, tabId: tab }),
  }),
  defineAlias({
    name: 'chrome_handle_download',
    description: 'List the files that your calls downloaded, with path and state.',
    input: z.object({
      filenameContains: z.string().optional().describe('Only those with this in their name'),
      timeoutMs: ofNoEffect(z.number(), 'Of no effect: a call waits for what it downloads'),
      waitForComplete: ofNoEffect(z.boolean(), 'As always: a call waits for what it downloads', { always: true }),
    }),
    like: 'browser_downloads',
    steps: ({ filenameContains }) => one('browser_downloads', { filter: filenameContains }),
  }),
  defineAlias({
    name: 'chrome_tabs_context',
    description: 'List the tabs, and which of them are yours.',
    input: z.object({
      createIfEmpty: ofNoEffect(z.boolean(), 'Of no effect: a navigation opens the first tab', { always: false }),
      background,
    }),
    like: 'browser_tabs',
    steps: () => one('browser_tabs', { action: 'list' }),
  }),
  defineAlias({
    name: 'chrome_tabs_create',
    description: 'Open a tab of your own.',
    input: z.object({ url: z.string().optional().describe('The address'), background }),
    like: 'browser_tabs',
    steps: ({ url }) => one('browser_tabs', { action: 'new', url }),
  }),
  defineAlias({
    name: 'chrome_tabs_adopt',
    description: "Ask for tabs of the user's and work in them.",
    input: z.object({ tabIds: z.array(z.number()).min(1).max(20).describe('Tabs from get_windows_and_tabs') }),
    like: 'browser_tabs',
    steps: ({ tabIds }) => tabIds.flatMap((adopted) => one('browser_tabs', { action: 'select', tabId: adopted })),
  }),
  defineAlias({
    name: 'chrome_history',
    description: 'Find pages that the user has visited.',
    input: z.object({
      text: z.string().optional().describe('Words of title or address; without it all'),
      startTime: z.string().optional().describe('2026-05-01, "2 weeks ago"; default a day ago'),
      endTime: z.string().optional().describe('The same; default now'),
      maxResults: z.number().optional().describe('Default 100'),
      excludeCurrentTabs: z.boolean().optional().describe('Without what is open now'),
    }),
    like: 'browser_history',
    steps: (args) => one('browser_history', { ...args, maxResults: atMost(args.maxResults, 1000) }),
  }),
  defineAlias({
    name: 'chrome_bookmark_search',
    description: "Find bookmarks of the user's.",
    input: z.object({
      query: z.string().optional().describe('Words of name or address; without it the newest'),
      maxResults: z.number().optional().describe('Default 50'),
      folderPath: z.string().optional().describe('Only in this folder: its id, name or path'),
    }),
    like: 'browser_bookmarks',
    steps: ({ query, maxResults, folderPath: folder }) =>
      one('browser_bookmarks', { action: 'search', query, maxResults: atMost(maxResults, 500), folder }),
  }),
  defineAlias({
    name: 'chrome_bookmark_add',
    description: 'Add a bookmark.',
    input: z.object({
      url: z.string().optional().describe('The address'),
      title: z.string().optional().describe('Its name'),
      parentId: z.string().optional().describe('The id, name or path of its folder'),
      createFolder: z.boolean().optional().describe('Makes the folder where there is none'),
    }),
    like: 'browser_bookmarks',
    steps: ({ url, title, parentId: folder, createFolder }) => {
      if (url === undefined) throw refuse('Give "url": the page in front of the user is not taken for it.');
      return one('browser_bookmarks', { action: 'add', url, title, folder, createFolder });
    },
  }),
  defineAlias({
    name: 'chrome_bookmark_delete',
    description: 'Delete a bookmark.',
    input: z.object({
      bookmarkId: z.string().optional().describe('From chrome_bookmark_search'),
      url: z.string().optional().describe('Its address, where there is no id'),
      title: ofNoEffect(z.string(), 'Of no effect: names are not unique'),
    }),
    like: 'browser_bookmarks',
    steps: ({ bookmarkId: id, url }) => {
      if (id === undefined && url === undefined) throw refuse('Give "bookmarkId" or "url".');
      return one('browser_bookmarks', { action: 'delete', id, url: id === undefined ? url : undefined });
    },
  }),
];

/** Code that is given up after a time, where one is said. */
const scriptCode = (code: string, timeoutMs: number | undefined): string => {
  const whole = `async () => {\n${code}\n}`;
  if (timeoutMs === undefined) return whole;
  const limitMs = Math.max(1, Math.round(timeoutMs));
  return `() => Promise.race([(${whole})(), new Promise((_, reject) => setTimeout(() => reject(new Error("It took longer than ${limitMs} ms.")), ${limitMs}))])`;
};

/** The file that an address names, or what is in it. What lies elsewhere is not fetched: no page and no person would have asked for it. */
const fileAt = (address: string): { readonly path?: string; readonly base64?: string } => {
  const url = URL.parse(address);
  const [, coding, data] = /^data:[^,;]*(?:;(?!base64,)[^,;]*)*(;base64)?,(.*)$/is.exec(address) ?? [];
  try {
    if (url?.protocol === 'file:' && url.host === '') return { path: decodeURIComponent(url.pathname).replace(/^\/(?=[a-z]:)/i, '') };
    const text = data === undefined ? null : decodeURIComponent(data);
    if (text !== null) return { base64: coding === undefined ? Buffer.from(text).toString('base64') : text };
  } catch {
    throw refuse(`"fileUrl" is no whole address: "${address.slice(0, 200)}".`);
  }
  throw refuse('"fileUrl" is taken of "file:" and "data:": save any other in the project first, and give "filePath".');
};

/** A number as the `browser_*` tools take it: whole, and not above a limit. */
const atMost = (given: number | undefined, limit: number): number | undefined =>
  given === undefined ? undefined : Math.min(Math.max(1, Math.round(given)), limit);

/** How a model of this set knows our tools, for texts that name one. */
export const chromeNames: ReadonlyMap<string, string> = new Map([
  ['browser_bookmarks', 'chrome_bookmark_search'],
  ['browser_click', 'chrome_click_element'],
  ['browser_close', 'chrome_close_tabs'],
  ['browser_console_messages', 'chrome_console'],
  ['browser_downloads', 'chrome_handle_download'],
  ['browser_drag', 'chrome_computer'],
  ['browser_evaluate', 'chrome_javascript'],
  ['browser_file_upload', 'chrome_upload_file'],
  ['browser_fill_form', 'chrome_fill_or_select'],
  ['browser_find', 'chrome_read_page'],
  ['browser_handle_dialog', 'chrome_handle_dialog'],
  ['browser_history', 'chrome_history'],
  ['browser_hover', 'chrome_computer'],
  ['browser_navigate', 'chrome_navigate'],
  ['browser_navigate_back', 'chrome_navigate'],
  ['browser_navigate_forward', 'chrome_navigate'],
  ['browser_network_requests', 'chrome_network_capture'],
  ['browser_press_key', 'chrome_keyboard'],
  ['browser_read', 'chrome_get_web_content'],
  ['browser_reload', 'chrome_navigate'],
  ['browser_resize', 'chrome_computer'],
  ['browser_scroll', 'chrome_computer'],
  ['browser_select_option', 'chrome_fill_or_select'],
  ['browser_snapshot', 'chrome_read_page'],
  ['browser_tabs', 'get_windows_and_tabs'],
  ['browser_take_screenshot', 'chrome_screenshot'],
  ['browser_type', 'chrome_fill_or_select'],
  ['browser_wait_for', 'chrome_computer'],
]);
