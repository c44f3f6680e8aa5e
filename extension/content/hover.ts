/** The pointer over an element, and what that brings to light. */
import type { Aimed, Change, NotReady, Point, SnapNode, Target } from './api.ts';
import { beginChange, changeOf } from './changes.ts';
import { aimedAt, arrive, handAt, readyFor, refuseFrame } from './click.ts';
import { contains, elementAt, elementsOfBody } from './composed.ts';
import { FaultError } from './fault.ts';
import { nextFrame } from './frames.ts';
import { shorten, textOf } from './name.ts';
import { bringBack } from './pictured-parts.ts';
import { plain } from './plain.ts';
import { elementOf } from './refs.ts';
import { isOperable, roleOf } from './roles.ts';
import { describe } from './snapshot.ts';
import { findTarget } from './target.ts';

/** In a larger page only what its own scripts change is told. */
const MAX_WATCHED = 8_000;
const MAX_SHOWN = 10;

/** What the last hover was about. */
interface Hover {
  readonly target: Element;
  readonly point: Point;
  readonly seenBefore: ReadonlySet<Element>;
  isReached: boolean;
}

let last: Hover | null = null;

/** Says where the pointer has to go, or why it cannot yet; without a real one, the page is told that it has come. */
export const hover = async (target: Target, isReal: boolean): Promise<Aimed | NotReady> => {
  await bringBack(target);
  const element = findTarget(target);
  refuseFrame(element);
  const ready = await readyFor(target, element);
  if ('notReady' in ready) return ready;
  beginChange();
  const begun: Hover = { target: element, point: ready.point, seenBefore: new Set(seenNow()), isReached: false };
  const reach = ({ isTrusted }: Event): void => void (begun.isReached ||= isTrusted);
  element.addEventListener('pointerover', reach, { capture: true, once: true, passive: true });
  last = begun;
  if (!isReal) arrive(ready.hit, handAt(ready.point));
  return aimedAt(ready);
};

export const isReached = (): boolean => last?.isReached === true || last?.target.matches(':hover') === true;

/** What changed since then. A menu that a style shows is no change of the document, so what is seen is compared. */
export const hovered = async (): Promise<Change> => {
  if (last === null) throw new FaultError('TOOL_FAILED', 'The page was loaded anew.');
  const { target, point, seenBefore } = last;
  await nextFrame();
  const element = target.isConnected ? target : (elementAt(point.x, point.y) ?? document.documentElement);
  const change = changeOf(element, null);
  const shown = seenNow().filter((candidate) => !seenBefore.has(candidate));
  const buttons = shown.filter((candidate) => isOperable(roleOf(candidate)));
  const operable = buttons.map(describe);
  const outermost = shown.filter((candidate) => !shown.some((other) => other !== candidate && contains(other, candidate)));
  const appeared = operable.length > 0 ? operable : outermost.map(toMessage).filter(({ value }) => value !== '');
  const isTold = ({ ref }: SnapNode): boolean => {
    const region = ref === undefined ? null : elementOf(ref);
    return region !== null && buttons.some((button) => contains(region, button));
  };
  // A message with buttons that have come in it says no more than these.
  return { ...change, appeared: [...change.appeared.filter((node) => !isTold(node)), ...appeared].slice(0, MAX_SHOWN) };
};

const seenNow = (): Element[] => {
  const all = elementsOfBody();
  return all.length > MAX_WATCHED ? [] : all.filter(isSeen);
};

const isSeen = (element: Element): boolean => {
  const own = plain(element);
  const { width, height } = own.getBoundingClientRect();
  return width > 0 && height > 0 && own.checkVisibility({ visibilityProperty: true, opacityProperty: true });
};

const toMessage = (element: Element): SnapNode => ({ role: roleOf(element) || 'text', value: shorten(textOf(element)) });
