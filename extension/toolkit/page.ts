/** A page as tools see it; the background implements it with `chrome.*`. */
import type { HeldGrant } from '#protocol/link.ts';
import type {
  Box,
  KeyWay,
  PageMethod,
  PageMethods,
  Passed,
  PickedElement,
  Point,
  Region,
  SoughtText,
  Target,
} from '#extension/content/api.ts';
import type { Chord, Modifier } from '#extension/shared/keys.ts';
import type { FramePart } from './snapshot-text.ts';

/** A target with the frame it is in. */
export interface Aim {
  readonly frameId: number;
  readonly target: Target;
}

/** The result of loading a page. */
export interface Loaded {
  readonly url: string;
  readonly title: string;
  /** HTTP status; 0 when there is none, as after a move within the page. */
  readonly status: number;
  /** False when the page was still loading at the end of the wait. */
  readonly isReady: boolean;
  /** The error with which it broke off before it was there whole. */
  readonly brokenBy?: string | null;
}

/** An action's value, and the page it led to, if any; `value` is null when the page went away before it could answer. */
export interface Acted<T> {
  readonly value: T | null;
  readonly loaded: Loaded | null;
  /** The address of a page that it leads to, and whose server has not answered yet. */
  readonly leadsTo?: string | null;
  /** An address that it led to, and that gave no page: the one that was there stays. */
  readonly unfulfilled?: string | null;
  /** Changes of the document from the beginning of the action until it came to rest; 0 where that is not known. */
  readonly mutations?: number;
  /** The page has put another document in the place of its own, so that no change can be told. */
  readonly isReplaced?: boolean;
  /** What has changed may tell what a frame holds that hangs, and that nobody knows. */
  readonly isUntold?: boolean;
  /** A field holds something else than when the receipt was written, or something has come to the end of its animation since. */
  readonly looksOther?: boolean;
  readonly newTabs: readonly { readonly tabId: number; readonly url: string }[];
  /** Tabs that the page had opened before, and that have begun to load another page. */
  readonly ledTabs?: readonly { readonly tabId: number; readonly url: string }[];
  /** Pages that are loaded in frames which were there before. */
  readonly frames?: readonly FrameLoad[];
  /** How many frames have changed in which nothing was done itself. */
  readonly changedFrames?: number;
  /** Those that were shown meanwhile; the last one may still be open. */
  readonly dialogs: readonly Dialog[];
  /** Whether the page opened a file dialog, which nobody was shown. */
  readonly asksForFiles: boolean;
  /** The tab was closed after the action, as a window that has done its work closes itself. */
  readonly isClosed?: boolean;
  readonly asks: readonly PageAsk[];
}

/** A page that is loaded in a frame. */
export interface FrameLoad {
  readonly url: string;
  /** Its server has answered. */
  readonly hasArrived: boolean;
}

/** What a page asked the person for in the browser's own words: to print, to open a tab, or to use something of theirs. */
export interface PageAsk {
  readonly what: string;
  readonly state: 'waiting' | 'given' | 'refused';
}

/** A native dialog of the page. */
export interface Dialog {
  /** No other dialog has it, also not one with the same words. */
  readonly id: string;
  readonly type: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  /** In the page's words. */
  readonly message: string;
  /** Null while it is open. */
  readonly answer: 'accepted' | 'dismissed' | null;
}

/** What of a page is pictured: one element, all of it, or the part that is in view. */
export interface Pictured {
  readonly type: 'png' | 'jpeg';
  readonly target: Target | null;
  readonly fullPage: boolean;
  /** Corners of a part of the last picture, which is shown larger. */
  readonly region?: Region | null;
  /** A part of the view, in CSS pixels. */
  readonly box?: Box | null;
  /** Whether the refs of what can be operated are drawn in. */
  readonly hasRefs?: boolean;
  /** At most a pixel for each CSS pixel, or as many as the screen has; both within what a model can see. */
  readonly scale?: 'css' | 'device';
  /** Rather no picture than one by the debugger, with its bar. */
  readonly withoutDebugger?: boolean;
}

/** Why frames are not drawn in a picture: one is of a closed site, shows what a secret field of another site holds, does not answer, or comes and goes. */
export type WhyUndrawn = 'closed' | 'secret' | 'silent' | 'restless';

/** A picture of a page. */
export interface Taken {
  readonly picture: Picture;
  readonly url: string;
  readonly undrawn: readonly WhyUndrawn[];
}

export interface Picture {
  readonly data: string;
  readonly mimeType: string;
}

/** What a page wrote to its console, or the browser about it. */
export interface ConsoleEntry {
  readonly source: 'console' | 'network';
  /** As the console names it: log, info, warning, error, debug, table and others. */
  readonly kind: string;
  readonly text: string;
}

/** What code in the page came to. */
export interface Evaluated {
  readonly json: string;
  /** False when it was too long. */
  readonly isWhole: boolean;
}

/** A request that the tab made. */
export interface RequestEntry {
  /** Counts the tab's requests from 1. */
  readonly index: number;
  readonly method: string;
  readonly url: string;
  readonly type: `${chrome.webRequest.ResourceType}`;
  /** Null while it is under way, and when it failed. */
  readonly status: number | null;
  /** Chrome's name of what went wrong. */
  readonly error: string | null;
  readonly ms: number | null;
  readonly startedAt: number;
  /** When the answer began to come; null before that. */
  readonly answeredAt: number | null;
  /** The origin of what made it, as far as the browser tells. */
  readonly initiator: string | null;
  /** `name: value`, as Chrome tells them without cookies. */
  readonly requestHeaders: readonly string[];
  readonly requestBody: string | null;
  readonly responseHeaders: readonly string[];
}

/** The newest requests of a tab, oldest first. */
export interface KeptRequests {
  /** Since when they are kept. */
  readonly since: number;
  /** When the last call that did something in the tab began; null where none is known. */
  readonly actedAt: number | null;
  readonly entries: readonly RequestEntry[];
}

/** What a server answered. */
export interface ResponseBody {
  /** Null when it is no text. */
  readonly text: string | null;
  readonly sizeBytes: number;
}

/** What a tab can pretend, each with the parameters of the debugger's command for it. */
export interface Emulation {
  readonly size?: (TabSize & Readonly<Record<string, unknown>>) | null;
  readonly media?: Record<string, unknown> | null;
  readonly timezone?: Record<string, unknown> | null;
  readonly locale?: Record<string, unknown> | null;
  readonly agent?: Record<string, unknown> | null;
  readonly network?: Record<string, unknown> | null;
  readonly cpu?: Record<string, unknown> | null;
  readonly geolocation?: Record<string, unknown> | null;
  readonly routes?: { readonly patterns: unknown; readonly routes: readonly Route[] } | null;
}

/** Requests of a tab that do not go to their server as they are. */
export interface Route {
  /** Of their addresses; `*` stands for anything. */
  readonly pattern: string;
  readonly way: RouteWay;
  /** Whose pages it is for: it is heard by no other that the tab shows later. */
  readonly origin: string;
  /** The permission that it ends with; null for one that was given for a single call. */
  readonly grant: HeldGrant | null;
}

/** What becomes of them. */
export type RouteWay =
  | { readonly type: 'block' }
  | { readonly type: 'answer'; readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, string>> }
  /** They go to their server with other headers. */
  | { readonly type: 'continue'; readonly set: Readonly<Record<string, string>>; readonly remove: readonly string[] };

/** Commands of the debugger that tools give by themselves. */
export type PageCommand = 'Network.getCookies' | 'Network.setCookie' | 'Network.deleteCookies';

/** The size of what a tab shows, in CSS pixels. */
export interface TabSize {
  readonly width: number;
  readonly height: number;
}

/** How a place is pressed. */
export interface Press {
  readonly button: 'left' | 'right' | 'middle';
  /** How often, at most three times. */
  readonly count: number;
  readonly modifiers: readonly Modifier[];
  /** What is to be pressed there, so that the press can follow it. */
  readonly place?: MovingPlace;
  /** It moves from the beginning. */
  readonly isMoving?: boolean;
}

/** How real keys replace the text of a field. */
export interface Replacing {
  readonly way: KeyWay;
  /** The keys that mark all are pressed first, for the page to hear of it. */
  readonly marksByKey: boolean;
  /** Whether the focus is still where it was put. */
  isHeld(): Promise<boolean>;
}

/** Where a hand that drags stands still. */
export interface DragPauses {
  /** Before it moves: some pages give a thing into the hand only after a while. */
  grip(): Promise<void>;
  /** Before it lets go; resolves with whether the browser's own drag and drop has begun. */
  rest(): Promise<boolean>;
}

/** What keeps moving. */
export interface MovingPlace {
  /** Where it is at this moment. */
  now(): Promise<Point>;
  /** Whether the pointer, or the press, has come to it. */
  isReached(): Promise<boolean>;
}

/** Events made by the browser itself, like those of a real mouse. They go to the page itself and not to frames in it. */
export interface Input {
  press(point: Point, options: Press): Promise<void>;
  /** Leaves the pointer at a place, or on what moves. */
  move(point: Point, moving?: MovingPlace): Promise<void>;
  /** Presses at a place and lets go at the last one of a way; an end that is found only then is brought into view when the drag has begun. */
  drag(from: Point, way: readonly Point[] | (() => Promise<Point>), pauses: DragPauses): Promise<void>;
  /** Replaces what is marked in the focused field. */
  replaceText(text: string, how: Replacing): Promise<void>;
  /** Presses a key in whatever has the focus and lets it go after `holdMs`. */
  pressKey(chord: Chord, holdMs: number, isHeld: () => Promise<boolean>): Promise<void>;
  pressEnter(isHeld: () => Promise<boolean>): Promise<void>;
}

/** An element that the person pointed at. */
export interface PickedPlace {
  readonly frameId: number;
  readonly documentId: string;
  /** Of the document. */
  readonly url: string;
  readonly element: PickedElement;
}

export interface Page {
  readonly tabId: number;
  /** Loads a tab again that Chrome has discarded to save memory, and waits for the first page of a new tab; `known` is the tab as it was a moment ago. */
  wake(known?: { readonly tab: chrome.tabs.Tab; readonly frames?: Promise<readonly unknown[]> }): Promise<unknown>;
  /** What has come and gone since the last action, in its order, in the page and in the frames in which the agent has acted. */
  passed(): Promise<(Passed & { readonly frameId: number })[]>;
  /** With a frame, the site of what that shows. */
  info(frameId?: number): Promise<{ url: string; title: string }>;
  /** The address of the document that the call is for, and of no other that the tab shows by now. */
  address(): Promise<string>;
  /** Asks the page or a frame in it. */
  ask<N extends PageMethod>(name: N, options: PageMethods[N]['options'], frameId?: number): Promise<PageMethods[N]['result']>;
  /** Scrolls through lists that draw only the rows in view, until a text shows; false when none does. */
  seek(text: string): Promise<SoughtText>;
  /** The page and all frames in it that can be read, once nothing goes on. */
  read(options: { aim: Aim | null; urls: boolean }): Promise<FramePart[]>;
  /** The same, as they are now. */
  frames(options: { aim: Aim | null; urls: boolean }): Promise<FramePart[]>;
  /** Lets the person point at an element of the page or a frame in it, who reads these words above the page; null when they do not. */
  pick(asked: { words?: string; limitMs?: number }): Promise<PickedPlace | null>;
  /** Where a place of the last picture is in the view of a frame in the page. */
  placeInFrame(point: Point, frameId: number): Promise<Point>;
  /**
   * Runs `action`, then waits until everything that it caused has come to rest: requests, changes, a navigation. `isDone` is one of which the page
   * has heard all when it ends, `isCode` one that only runs code in the page's own document. Behind a dialog nothing begins but what answers it.
   */
  act<T>(
    action: () => Promise<T>,
    how?: { readonly isDone?: boolean; readonly isAnswer?: boolean; readonly isCode?: boolean },
  ): Promise<Acted<T>>;
  /** Within an action: waits until what it has set off so far is over, as timers that fire soon, but no longer than this. */
  calm(limitMs: number): Promise<void>;
  /** Within an action: what is done from now on is waited for as if it were an action by itself. */
  beginPart(): Promise<void>;
  /** The same as `calm` for a part of an action, of which is waited for what it puts off by up to `horizonMs`; `isOver` when it is known that nothing more will come of it. */
  overAfter<T>(part: () => Promise<T>, horizonMs: number, limitMs: number): Promise<{ readonly value: T; readonly isOver: boolean }>;
  /** Waits, shortly, until nothing is going on. */
  rest(): Promise<void>;
  /** Waits a moment in which the page may move on; false when it has not moved for a second. */
  moment(): Promise<boolean>;
  /**
   * Looks at whatever page the tab shows, and again after each change and navigation, and where `hearsAnswers` after each answer to a request;
   * false when `limitMs` passed first.
   */
  until(isMet: (shown: Page) => Promise<boolean>, limitMs: number, how?: { readonly hearsAnswers: boolean }): Promise<boolean>;
  /** The dialog that is open, if any. */
  openDialog(): Dialog | null;
  /** Of the call that is described: it only looks, though its tool may do more. */
  describeAsLook(): void;
  /** The same, for the person who is asked about it: then the call answers no other one. */
  describeDialog(): Dialog | null;
  answerDialog(accepts: boolean, text: string | undefined): Promise<void>;
  open(url: string): Promise<Loaded>;
  back(): Promise<Loaded>;
  forward(): Promise<Loaded>;
  reload(): Promise<Loaded>;
  /** Opens an address that a click asked for in a new tab of the session. */
  openBeside(url: string): Promise<number>;
  /**
   * Runs a press after which the page should open the browser's file dialog, which is not shown; false when it opens none. The field
   * that it is for is then the one for which the page asked last.
   */
  catchFileDialog(press: () => Promise<void>): Promise<boolean>;
  /** Real input through the debugger, which is attached for as long as `task` runs. A file dialog that it opens is not shown. */
  withInput<T>(task: (input: Input) => Promise<T>, frameId?: number): Promise<T>;
  /** Lets the page do for a moment what it may do only when the person presses something: open tabs, copy. */
  activate(): Promise<void>;
  /** Whether the page itself, not a frame in it, looks at who makes a press at this place. */
  looksForTrust(point: Point): Promise<boolean>;
  /** What the browser keeps of the page's console since the page was loaded, oldest first; with `forgets` it keeps none of that. */
  console(forgets: boolean): Promise<ConsoleEntry[]>;
  /** Runs code in the page's own world; with an aim it is given the element. What goes to an agent as it is hides what secret fields hold. */
  evaluate(code: string, aim: Aim | null, hidesSecrets: boolean): Promise<Evaluated>;
  /** Runs code that makes a request, which a server sends on only to sites where the call may go. */
  request(code: string): Promise<Evaluated>;
  /** Of the tab's pages of this one's site. */
  requests(): Promise<KeptRequests>;
  /** The number of the tab's newest request. */
  newestRequest(): number;
  /** Whether the page may begin a download only when a hand has pressed something: the browser lets it begin one without, and asks the user before the next. */
  readonly wantsHand: boolean;
  /** A text as an agent's words may be looked for in it: without what secret fields are known to hold. */
  withoutSecrets(text: string): string;
  /**
   * The body of the answer to the request of this number, which is waited for; `coming` when it is not there whole by then, and null when
   * the browser has not kept it. From now on it keeps them for a while.
   */
  responseBody(index: number): Promise<ResponseBody | 'coming' | null>;
  /** Makes the tab pretend until the session ends; what is null is given back. Resolves with the size that it has then. */
  emulate(emulation: Emulation): Promise<TabSize>;
  /** What the session has made the tab pretend, as it was given. */
  emulated(): Promise<Emulation>;
  /** What other sessions have made it pretend. */
  emulatedByOthers(): Promise<Emulation>;
  /** The session's requests of the tab that do not go to their server as they are, and other ones from now on. */
  routes(): Promise<readonly Route[]>;
  /** For pages of this one's origin, which is told; one with the same pattern is replaced. */
  addRoute(pattern: string, way: RouteWay): Promise<{ readonly origin: string }>;
  setRoutes(routes: readonly Route[]): Promise<void>;
  /** Gives a command about the document that the call is for. */
  command(name: PageCommand, params: Record<string, unknown>): Promise<unknown>;
  /** The page on paper, without frames of closed sites and what secret fields hold, as the debugger gives it. */
  print(params: Record<string, unknown>): Promise<unknown>;
  /** What the page shows once nothing goes on, and its address. */
  picture(what: Pictured): Promise<Taken>;
}
