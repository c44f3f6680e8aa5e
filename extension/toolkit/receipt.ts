/** The consequences of an action in a few lines; the page itself is sent only when it is asked for. */
import type { ToolResult } from '#protocol/browser.ts';
import type { Change, SnapNode } from '#extension/content/api.ts';
import type { Acted, FrameLoad, Loaded, PageAsk } from './page.ts';
import { pageResult, withSurprise } from './result.ts';
import { renderDialogs } from './page-error.ts';
import { inQuotes, renderNode, renderParts } from './snapshot-text.ts';
import { counted } from '#protocol/counted.ts';
import { pageHead, shownAddress, shownTitle } from './page-head.ts';

/** As much of what has changed is told with what has changed it. */
const PARTS_TOKENS = 300;

/** `words` say what was done; `url` is where; `elements` are what it was done to, where that is more than one; `first` is what the page says before all else. */
export const receiptResult = (
  words: string,
  url: string,
  frameId: number,
  acted: Acted<Change>,
  elements: readonly SnapNode[] = acted.value === null ? [] : [acted.value.element],
  first: readonly string[] = [],
): ToolResult => {
  const { value, loaded, leadsTo = null, frames = [], isUntold = false } = acted;
  const change = isUntold ? null : value;
  // The page may have gone before it could say so.
  const own = [
    value === null && loaded === null && leadsTo === null && !isDialogOpen(acted) && acted.isClosed !== true
      ? `${words} ${frameId === 0 ? 'The page' : 'Its frame'} went away meanwhile: look whether it happened before.`
      : words,
  ];
  const said = [...first];
  if (isUntold) own.push(UNTOLD);
  else for (const element of elements) said.push(`target: ${renderNode(element, frameId)}`);
  const outcome = outcomeOf(acted, url);
  own.push(...outcome.own);
  said.push(...outcome.said);
  // A move within the page keeps its content; a new page has nothing to compare with.
  if (change !== null && acted.isClosed !== true && (loaded === null || loaded.status === 0)) {
    if (acted.isReplaced === true) own.push('The page has put other content in the place of all it had: browser_snapshot shows it.');
    else if (change.mutations > 0 || (leadsTo === null && frames.length === 0 && !showsOther(change)))
      own.push(describeChange(change, acted.changedFrames ?? 0));
    const { refused = [] } = change;
    if (refused.length > 0) own.push(wordsForRefused(refused.length));
    for (const { field, why } of refused.slice(0, MAX_REFUSED))
      said.push(`refused: ${renderNode(field, frameId)}${why === '' ? '' : ` ${why}`}`);
    if (change.asksForFiles !== null || acted.asksForFiles) own.push('The page asks for files: use browser_file_upload.');
    if (change.asksForFiles !== null) {
      said.push(`file field: ${renderNode(change.asksForFiles, frameId)}`);
    }
    if (change.value !== null) said.push(`value: "${change.value}"`);
    for (const node of change.fields) said.push(`changed: ${renderNode(node, frameId)}`);
    const parts = renderParts(change.parts, frameId, PARTS_TOKENS);
    for (const node of change.appeared) {
      const isInParts = parts.isWhole && node.ref !== undefined && change.inParts?.includes(node.ref) === true;
      const shown = isInParts ? withoutText(node) : node;
      if (shown !== null) said.push(`appeared: ${renderNode(shown, frameId)}`);
    }
    if (change.focused !== null) said.push(`focus: ${renderNode(change.focused, frameId)}`);
    for (const text of change.said) said.push(`said: ${inQuotes(text)}`);
    if (change.gone.texts.length > 0) said.push(wordsForGone(change.gone));
    if (change.title !== null && loaded === null) said.push(`title: ${shownTitle(change.title)}`);
    if (parts.text !== '') said.push(`now:\n${parts.text}`);
    if (!parts.isWhole || change.hasMoreParts) own.push('More has changed than is told here: browser_snapshot shows it.');
  }
  const result = pageResult(own.join(' '), loaded?.url ?? url, said.join('\n'));
  return withSurprise(result, surpriseIn(acted) ?? surpriseOf(value));
};

/** What an action has led to beside what it changed in the page at `url`: in Pilotfish's words, and in those of pages. */
export const outcomeOf = (acted: Acted<unknown>, url: string): { readonly own: string[]; readonly said: string[] } => {
  const { loaded, leadsTo = null, unfulfilled = null, frames = [] } = acted;
  const own: string[] = [];
  const said: string[] = [];
  if (isDialogOpen(acted)) own.push('The page shows a dialog and stands still until it is answered: use browser_handle_dialog.');
  own.push(...acted.asks.flatMap(wordsForAsk));
  said.push(...renderDialogs(acted.dialogs));
  for (const tab of acted.newTabs) {
    own.push(`It opened tab ${tab.tabId}; use it with tabId ${tab.tabId} or browser_tabs select.`);
    said.push(`new tab ${tab.tabId}: ${shownAddress(tab.url)}`);
  }
  for (const tab of acted.ledTabs ?? []) {
    own.push(`Tab ${tab.tabId}, which the page had opened, loads another page: use it with tabId ${tab.tabId}.`);
    said.push(`tab ${tab.tabId}: ${shownAddress(tab.url)}`);
  }
  if (frames.length > 0) {
    own.push(wordsForFrames(frames));
    said.push(...frames.map(({ url: address }) => `frame: ${shownAddress(address)}`));
  }
  if (acted.isClosed === true) own.push('The tab was closed then.');
  // A page may write into its history without leaving its address.
  if (loaded !== null && (loaded.status !== 0 || loaded.url !== url)) {
    own.push(describeLoad(loaded));
    said.push(pageHead(loaded));
  }
  if (leadsTo !== null) {
    own.push(
      'It leads to a page whose server has not answered yet: wait for it with browser_wait_for, for done again it may be done twice.',
    );
    said.push(`leads to: ${shownAddress(leadsTo)}`);
  }
  if (unfulfilled !== null) {
    own.push('What it led to gave no page, so this one stays: an answer without content, a download, or a load that was stopped.');
    said.push(`led to: ${shownAddress(unfulfilled)}`);
  }
  return { own, said };
};

/** Whether it shows something else without a change of the document, as what a style or the browser opens and closes. */
const showsOther = ({ appeared, fields, parts, gone }: Change): boolean =>
  [appeared, fields, parts, gone.texts].some((told) => told.length > 0);

/** Null where nothing else is known of it. */
const withoutText = ({ role, ref, name }: SnapNode): SnapNode | null => {
  if (role === 'message' && name === undefined) return null;
  return { role, ...(ref === undefined ? {} : { ref }), ...(name === undefined ? {} : { name }) };
};

const isDialogOpen = ({ dialogs }: Acted<unknown>): boolean => dialogs.some(({ answer }) => answer === null);

/** Nobody can ask the frame. */
const UNTOLD =
  'What has changed is not told: a frame of the page hangs, or there are too many of them, and the page may tell what its secret fields hold. browser_reload loads it again.';

const wordsForFrames = (frames: readonly FrameLoad[]): string => {
  const which = frames.length === 1 ? 'A frame of the page' : `${frames.length} frames of the page`;
  return frames.every(({ hasArrived }) => hasArrived)
    ? `${which} loaded another page: browser_snapshot shows it.`
    : `${which} will show another page, whose server has not answered yet: wait for it with browser_wait_for.`;
};

const MAX_REFUSED = 5;

const wordsForRefused = (count: number): string =>
  count === 1
    ? '1 field is not valid, and its form is not sent with it.'
    : `${count > MAX_REFUSED ? `More than ${MAX_REFUSED}` : count} fields are not valid, and their form is not sent with them.`;

/** What the person is asked for stands in the browser, not in the page. */
const wordsForAsk = ({ what, state }: PageAsk): string[] => {
  if (what === 'print') return ['The page wanted to be printed, which was not done: browser_pdf_save (set pdf) saves it, or ask the user.'];
  if (state === 'given') return [];
  if (what === 'tab') return ['The browser blocked a tab that the page wanted to open.'];
  const instead = what === 'the location' ? ', or give it one with browser_emulate (set emulation)' : '';
  return state === 'waiting'
    ? [
        `The page waits until the user lets it use ${what}: show the tab with browser_tabs select and ask them with browser_ask_human${instead}.`,
      ]
    : [`The page asked for ${what} and did not get it: only the user can allow that${instead}.`];
};

/** What the next call may not fit to. */
export const surpriseIn = (acted: Acted<unknown>): string | null => {
  const { value, loaded, leadsTo = null, isReplaced, isClosed, newTabs, ledTabs = [], frames = [], dialogs, asks } = acted;
  if (isDialogOpen(acted)) return 'the page shows a dialog';
  if (isClosed === true) return 'the tab was closed';
  if (isReplaced === true) return 'the page has put other content in its place';
  if (asks.some(({ state }) => state === 'waiting')) return 'the page waits for the user';
  if (loaded !== null && loaded.status !== 0) return 'a page was loaded';
  if (leadsTo !== null) return 'a page is still waited for';
  if (newTabs.length > 0) return 'a tab was opened';
  if (ledTabs.length > 0) return 'another tab loads a page';
  if (frames.length > 0) return 'a frame loaded another page';
  // What was to follow may not have been meant for what it says.
  if (dialogs.some(({ type }) => type === 'alert')) return 'the page showed a message';
  return value === null && loaded === null ? 'the page went away' : null;
};

const surpriseOf = (change: Change | null): string | null => {
  if (change?.refused !== undefined) return 'a form was not sent';
  return change?.kept !== undefined && change.kept !== 'whole' && change.kept !== 'keys' ? 'the page did not take it as it was' : null;
};

/** The change of an element that is left as it is, because it is right already. */
export const unchanged = (element: SnapNode): Change => ({
  element,
  mutations: 0,
  title: null,
  parts: [],
  hasMoreParts: false,
  appeared: [],
  focused: null,
  opens: null,
  isLeaving: false,
  fields: [],
  asksForFiles: null,
  gone: { texts: [], more: 0 },
  said: [],
  mayDraw: false,
  value: null,
});

const wordsForGone = ({ texts, more }: Change['gone']): string =>
  `gone: ${texts.map(inQuotes).join(', ')}${more === 0 ? '' : ` and ${more} more`}`;

const describeChange = ({ mutations, element, mayDraw }: Change, changedFrames: number): string => {
  if (mutations > 0) return `The page changed in ${counted(mutations, 'place')}.`;
  if (changedFrames > 0)
    return `The page itself did not change, but ${counted(changedFrames, 'frame')} in it did: browser_snapshot shows it.`;
  // What is drawn in it is no part of the document.
  return element.role === 'canvas' || mayDraw
    ? 'What a canvas shows now only browser_take_screenshot tells; nothing else changed on the page.'
    : 'Nothing else changed on the page.';
};

/** Where a tab is after it was led somewhere. */
export const loadedResult = (tabId: number, loaded: Loaded): ToolResult =>
  withSurprise(pageResult(`Tab ${tabId}: ${describeLoad(loaded)}`, loaded.url, pageHead(loaded)), surpriseInLoad(loaded));

/** A page was asked for, but not one that says that there is none. */
export const surpriseInLoad = ({ status, brokenBy = null }: Loaded): string | null => {
  if (brokenBy !== null) return 'the page broke off';
  return status >= 400 ? `the server answered HTTP ${status}` : null;
};

/** Whether and how a page was loaded. */
export const describeLoad = ({ status, isReady, brokenBy = null }: Loaded): string =>
  [
    status === 0 ? 'The address changed.' : `A page was loaded (HTTP ${status}).`,
    isReady ? '' : 'It is still loading; browser_snapshot shows what is there.',
    brokenBy === null
      ? ''
      : `It broke off (${brokenBy}): browser_snapshot shows what had come by then, and no more comes; browser_reload loads it again.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
