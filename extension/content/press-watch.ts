/** What a real press meets. A press that would meet something else than what it is meant for is kept from the page, so that it can be made again. */
import type { Point, PressMet } from './api.ts';
import { elementAt } from './composed.ts';
import { textOf } from './name.ts';
import { plain } from './plain.ts';
import { isMeantBy } from './ready.ts';

const TYPES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu', 'dblclick'] as const;

/** The press comes where it was aimed, but for the part of a pixel; a person may press elsewhere meanwhile. */
const NEAR_PX = 1;
/** One that was given up does not come any more. */
const AIMED_MS = 10_000;

interface Watched {
  readonly element: Element;
  /** What was drawn of it where it is pressed. */
  readonly hit: Element;
  readonly said: string;
  readonly point: Point;
  readonly aimedAt: number;
  /** Null until the press has come. */
  met: PressMet | null;
  pressed: EventTarget | null;
  isLetGoElsewhere: boolean;
}

let watched: Watched | null = null;

/** From now on the real press at this place is meant for the element. */
export const watchPress = (element: Element, point: Point, hit: Element): void => {
  endWatch();
  watched = { element, hit, said: textOf(hit), point, aimedAt: performance.now(), met: null, pressed: null, isLetGoElsewhere: false };
  for (const type of TYPES) addEventListener(type, hear, { capture: true, passive: false });
};

/** It is aimed anew. */
export const aimPress = (point: Point): void => {
  if (watched !== null) watched = { ...watched, point, aimedAt: performance.now(), met: null };
};

/** What the press has met by now; null where none was heard of. The one that follows is aimed anew. */
export const pressMet = (): PressMet | null => {
  if (watched === null) return null;
  const { met, pressed, isLetGoElsewhere } = watched;
  const isReplaced = pressed instanceof Element && !plain(pressed).isConnected;
  return met === 'pressed' && !isLetGoElsewhere && !isReplaced ? 'clicked' : met;
};

export const endWatch = (): void => {
  for (const type of TYPES) removeEventListener(type, hear, { capture: true });
  watched = null;
};

const hear = (event: Event): void => {
  if (watched === null || !(event instanceof MouseEvent) || !event.isTrusted || !isAimed(event, watched)) return;
  if (watched.met === null && event.type === 'pointerdown') {
    watched.pressed = event.composedPath()[0] ?? null;
    watched.met = isMeant(event, watched) ? 'pressed' : 'another';
  }
  if (watched.met === 'another') {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (watched.met === 'pressed' && event.type === 'pointerup') watched.isLetGoElsewhere = !isMeant(event, watched);
  else if (watched.met === 'pressed' && event.type === 'click' && isMeant(event, watched)) watched.met = 'clicked';
};

const isAimed = ({ clientX, clientY, timeStamp }: MouseEvent, { point, aimedAt }: Watched): boolean =>
  Math.hypot(clientX - point.x, clientY - point.y) <= NEAR_PX && timeStamp - aimedAt < AIMED_MS;

/** Of a closed tree the event tells the host alone. */
const isMeant = (event: MouseEvent, { element, hit, said }: Watched): boolean =>
  [event.composedPath()[0], elementAt(event.clientX, event.clientY)].some((met) => {
    if (!(met instanceof Element)) return false;
    if (plain(element).isConnected) return met === hit || isMeantBy(met, element);
    // Some pages draw an element anew when the pointer comes over it.
    return met.localName === hit.localName && textOf(met) === said;
  });
