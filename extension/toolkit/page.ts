/** A page as tools see it; the background implements it with `chrome.*`. */
import type { Box, Modifier, PageMethod, PageMethods, Point, Target } from '#extension/content/api.ts';
import type { FramePart } from './snapshot-text.ts';

/** A target with the frame it is in. */
export interface Aim {
  readonly frameId: number;
  readonly target: Target;
}

/** What loading a page led to. */
export interface Loaded {
  readonly url: string;
  readonly title: string;
  /** HTTP status; 0 when there is none, as after a move within the page. */
  readonly status: number;
  /** False when the page was still loading when we stopped waiting. */
  readonly isReady: boolean;
}

/** An action's value, and the page it led to, if any; `value` is null when the page went away before it could answer. */
export interface Acted<T> {
  readonly value: T | null;
  readonly loaded: Loaded | null;
  readonly newTabs: readonly { readonly tabId: number; readonly url: string }[];
}

export interface Picture {
  readonly data: string;
  readonly mimeType: string;
}

/** How a place is pressed. */
export interface Press {
  readonly button: 'left' | 'right' | 'middle';
  readonly isDouble: boolean;
  readonly modifiers: readonly Modifier[];
}

/** Events that the browser itself makes, as of a hand on the mouse. They go to the page itself and to no frame in it. */
export interface Input {
  press(point: Point, options: Press): Promise<void>;
}

export interface Page {
  readonly tabId: number;
  /** Loads a tab again that Chrome has put away to save memory, and waits for the first page of a new one. */
  wake(): Promise<void>;
  info(): Promise<{ url: string; title: string }>;
  /** Asks the page, or a frame in it. */
  ask<N extends PageMethod>(name: N, options: PageMethods[N]['options'], frameId?: number): Promise<PageMethods[N]['result']>;
  /** The page and all frames in it that can be read. */
  frames(options: { aim: Aim | null; urls: boolean }): Promise<FramePart[]>;
  /** Runs `action`, then waits until what it set off has come to rest: requests, changes, a navigation. */
  act<T>(action: () => Promise<T>): Promise<Acted<T>>;
  /** Waits, shortly, until nothing is going on. */
  rest(): Promise<void>;
  open(url: string): Promise<Loaded>;
  back(): Promise<Loaded>;
  /** Opens what a click asked for in a new tab of the session. */
  openBeside(url: string): Promise<number>;
  /** Real input through the debugger, which is attached for as long as `task` runs. */
  withInput<T>(task: (input: Input) => Promise<T>): Promise<T>;
  capture(options: { type: 'png' | 'jpeg'; box: Box | null; fullPage: boolean }): Promise<Picture>;
}
