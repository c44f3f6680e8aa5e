/** What the worker may ask of a page. The code behind it is bundled into `content-page.js` and injected; everything here is serialisable. */
import type { ErrorCode } from '#protocol/errors.ts';

/** A node of a snapshot: text, or an element that means something. */
export interface SnapNode {
  /** An ARIA role, or one of our own: clickable, file, hidden. */
  readonly role: string;
  readonly name?: string;
  /** Number of the element's ref in its frame. */
  readonly ref?: number;
  readonly states?: readonly string[];
  readonly value?: string;
  /** Where a link leads. */
  readonly url?: string;
  /** Index of the frame inside, among the page's frames. */
  readonly frame?: number;
  /** Stands in a line of text rather than on its own. */
  readonly isInline?: boolean;
  readonly children?: readonly SnapChild[];
}

/** `null` is a line break. */
export type SnapChild = SnapNode | string | null;

export interface FrameSnapshot {
  readonly url: string;
  readonly title: string;
  /** Which of its parent's frames this is; -1 for the page itself and where it cannot be told. */
  readonly index: number;
  readonly children: readonly SnapChild[];
}

/** A ref's number, or a CSS selector. */
export type Target = { readonly ref: number } | { readonly selector: string };

/** What the page looked like around an action, for its receipt. */
export interface Change {
  /** The element acted on, as a snapshot shows it. */
  readonly element: SnapNode;
  /** DOM changes since the action began. */
  readonly mutations: number;
  readonly title: string;
  /** Dialogs and messages that were not there before, or say something else now. */
  readonly appeared: readonly SnapNode[];
  /** The focused element, when the focus moved. */
  readonly focused: SnapNode | null;
  /** An address the click wanted opened in a new tab, which a page may not do by itself. */
  readonly opens: string | null;
  /** The page began to load another one. */
  readonly isLeaving: boolean;
  /** What a field holds now; null where there is none or it is secret. */
  readonly value: string | null;
}

/** An action happened, or could not happen yet and may be tried again. */
export type Outcome = { readonly done: Change } | NotReady;

export interface NotReady {
  /** Why, in our own words. */
  readonly notReady: string;
  /** What of the page is in the way. */
  readonly fromPage?: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface ClickOptions {
  readonly target: Target;
  readonly button: 'left' | 'right' | 'middle';
  readonly isDouble: boolean;
  readonly modifiers: readonly Modifier[];
}

export type Modifier = 'Alt' | 'Control' | 'Meta' | 'Shift';

export interface TypeOptions {
  readonly target: Target;
  readonly text: string;
  readonly isSlow: boolean;
  readonly submits: boolean;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** In CSS pixels; `scale` of the screen's make one. */
export interface ViewSize {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly fullWidth: number;
  readonly fullHeight: number;
  readonly scrollX: number;
  readonly scrollY: number;
}

/** What the user has marked in a frame; empty when nothing is. */
export interface SelectedText {
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

/** An element the user has pointed at. */
export interface PickedElement {
  readonly url: string;
  readonly title: string;
  readonly selector: string;
  /** Its ARIA role, or its tag where it has none. */
  readonly role: string;
  readonly name: string;
  readonly text: string;
  /** Without the values of secret fields, at most 20 kB. */
  readonly html: string;
}

/** The calls a page answers. */
export interface PageMethods {
  /** One element, as a snapshot shows it. */
  describe: { options: { target: Target }; result: SnapNode };
  /** Without a target: the whole frame. (Chrome drops null fields on the way.) */
  snapshot: { options: { target?: Target; urls: boolean }; result: FrameSnapshot };
  activity: { options: null; result: { quietMs: number; mutations: number; isLoading: boolean } };
  click: { options: ClickOptions; result: Outcome };
  type: { options: TypeOptions; result: Outcome };
  /** Answers when something happened that may have made an element ready, or after `limitMs`. */
  waitForSomething: { options: { limitMs: number }; result: void };
  /** Answers when the page has had its time to react to the last action. */
  reaction: { options: null; result: void };
  /** Where a trusted click has to go; starts the receipt as `click` does. */
  aim: { options: { target: Target }; result: { readonly point: Point } | NotReady };
  /** What changed since the last click, type or aim. */
  receipt: { options: { target: Target }; result: Change };
  box: { options: { target: Target }; result: Box & { readonly isInView: boolean } };
  size: { options: null; result: ViewSize };
  /** Hides what secret fields show; `hidden` says whether there was any. */
  mask: { options: null; result: { hidden: boolean } };
  unmask: { options: null; result: void };
  back: { options: null; result: void };
  selection: { options: null; result: SelectedText };
  /** Answers when the user has clicked an element; null when they would rather not. */
  pick: { options: null; result: PickedElement | null };
  document: { options: null; result: { url: string; title: string; status: number; isReady: boolean } };
}

export type PageMethod = keyof PageMethods;

export type PageApi = {
  [N in PageMethod]: (
    options: PageMethods[N]['options'],
    signal: AbortSignal,
  ) => PageMethods[N]['result'] | Promise<PageMethods[N]['result']>;
};

/** A fault inside the page, on its way to the worker. */
export interface PageFault {
  readonly code: ErrorCode;
  /** In our own words. */
  readonly detail: string;
  /** In the page's. */
  readonly fromPage: string;
}

export type PageAnswer<N extends PageMethod = PageMethod> = { readonly value: PageMethods[N]['result'] } | { readonly fault: PageFault };

/** What `content-page.js` leaves in the page's isolated world. */
export interface PageDoor {
  readonly version: string;
  /** `refBase`: where the refs of a new document begin, so that no old ref of the tab ever means a new element. */
  answer<N extends PageMethod>(
    name: N,
    options: PageMethods[N]['options'],
    envelope: { readonly askId: string; readonly refBase: number },
  ): Promise<{ readonly answer: PageAnswer<N>; readonly refTop: number }>;
  /** A cancelled question does nothing more to the page. */
  cancel(askId: string): void;
}

declare global {
  var pilotfishPage: PageDoor | undefined;
}
