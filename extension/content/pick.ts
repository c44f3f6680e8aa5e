/** Lets the user point at an element, with the mouse or with the keyboard. While it lasts the page hears of none of that. */
import type { PickedElement } from './api.ts';
import { elementAt, parentOf } from './composed.ts';
import { windowIn } from './frame-window.ts';
import { markupOf, secretsIn, withoutSecrets } from './markup.ts';
import { clean, nameOf, shorten, textOf } from './name.ts';
import { isOwn } from './own.ts';
import { refOf } from './refs.ts';
import { roleOf } from './roles.ts';
import { selectorOf } from './selector.ts';
import { askSource } from './source.ts';
import { TopLayer } from './top-layer.ts';
import { isVisible } from './visibility.ts';

/** A person who walks away finds a page that works. */
const LIMIT_MS = 120_000;

/** The click that follows a released button still belongs to picking; where it comes from a touch, it comes late. */
const CLICK_MS = 100;

/** Takes what a search that is over still has to take; the next one takes it itself, and would else not hear of the person's click. */
let trailing: AbortController | null = null;

const MAX_TEXT = 2_000;

/** The style of the frame around what the pointer is over. */
const OUTLINE =
  'position: fixed; box-sizing: border-box; border: 2px solid #0b6b80; border-radius: 3px; background: rgb(86 194 214 / 20%); display: none;';

/** The style of the words above the page. */
const BANNER =
  'position: fixed; inset: 12px auto auto 50%; transform: translateX(-50%); max-width: 80vw; padding: 8px 14px;' +
  'border-radius: 8px; background: #0b3d4a; color: #fff; font: 14px/1.4 system-ui, sans-serif; white-space: pre-wrap;';

/** Anything that a page may take for a click. */
const SWALLOWED = ['mousedown', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'touchstart', 'touchend'];

/** The element that is clicked; null after Escape, an abort or the limit. */
export const pickElement = async (
  { words, limitMs = LIMIT_MS, sourceKey }: { words?: string; limitMs?: number; sourceKey?: string },
  signal: AbortSignal,
): Promise<PickedElement | null> => {
  const banner = words === undefined ? null : showBanner(words);
  const picked = await pointedAt(limitMs, signal);
  banner?.remove();
  if (picked === null) return null;
  const { element, hasNext } = picked;
  return { ...describePicked(element), hasNext, source: sourceKey === undefined ? '' : askSource(sourceKey, element) };
};

interface Pointed {
  readonly element: Element;
  readonly hasNext: boolean;
}

const pointedAt = (limitMs: number, signal: AbortSignal): Promise<Pointed | null> =>
  new Promise((resolve) => {
    trailing?.abort();
    const outline = new Outline();
    const listening = new AbortController();
    let isOver = false;
    const finish = (element: Element | null, hasNext = false): void => {
      isOver = true;
      clearTimeout(limit);
      outline.remove();
      trailing = listening;
      setTimeout(() => listening.abort(), CLICK_MS);
      signal.removeEventListener('abort', cancel);
      resolve(element === null ? null : { element, hasNext });
    };
    const cancel = (): void => finish(null);
    const limit = setTimeout(cancel, limitMs);
    signal.addEventListener('abort', cancel);
    if (signal.aborted) return cancel();

    const on = <E extends Event>(kind: new (...given: never[]) => E, type: string, hear: (event: E) => void): void =>
      addEventListener(
        type,
        (event) => {
          // A script of the page must not choose for the user.
          if (event.isTrusted && event instanceof kind) hear(event);
        },
        { capture: true, passive: false, signal: listening.signal },
      );
    const swallow = (event: Event): void => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    for (const type of SWALLOWED) on(Event, type, swallow);
    on(PointerEvent, 'pointerdown', swallow);
    on(PointerEvent, 'pointermove', ({ clientX, clientY }) => outline.showAt(clientX, clientY));
    on(PointerEvent, 'pointerout', ({ relatedTarget }) => {
      // In a frame the pointer is that of its own document, which draws around what is under it there.
      if (relatedTarget === null || (relatedTarget instanceof Element && windowIn(relatedTarget) !== null)) outline.show(null);
    });
    for (const type of ['scroll', 'resize']) on(Event, type, () => outline.follow());
    on(PointerEvent, 'pointerup', (event) => {
      swallow(event);
      if (event.button === 0) finish(elementAt(event.clientX, event.clientY), event.shiftKey);
    });
    on(KeyboardEvent, 'keydown', (event) => {
      if (isOver || !KEYS.has(event.key)) return;
      swallow(event);
      if (event.key === 'Escape') cancel();
      else if (event.key !== 'Enter') outline.show(besides(outline.element ?? document.activeElement ?? document.body, event.key), true);
      else if (outline.element !== null) finish(outline.element, event.shiftKey);
    });
    return undefined;
  });

const KEYS = new Set(['Escape', 'Enter', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']);

/** Up is what is around an element, down what is in it; what cannot be seen is passed over. */
const besides = (element: Element, key: string): Element => {
  const steps: Partial<Record<string, (from: Element) => Element | null>> = {
    ArrowUp: parentOf,
    ArrowDown: (from) => from.firstElementChild,
    ArrowLeft: (from) => from.previousElementSibling,
    ArrowRight: (from) => from.nextElementSibling,
  };
  const step = steps[key];
  let next = step?.(element) ?? null;
  const on = key === 'ArrowDown' ? steps['ArrowRight'] : step;
  while (next !== null && !(isVisible(next) && !isOwn(next))) next = on?.(next) ?? null;
  return next ?? element;
};

/** The frame around what the pointer is over, drawn above everything and out of the page's reach. */
class Outline {
  element: Element | null = null;
  /** Where the pointer was that chose it; null when that was done by keys. */
  #pointer: { readonly x: number; readonly y: number } | null = null;
  readonly #box = document.createElement('div');
  readonly #layer: TopLayer;

  constructor() {
    this.#box.style.cssText = OUTLINE;
    this.#layer = new TopLayer(this.#box);
  }

  /** Draws it around what is there. */
  showAt(x: number, y: number): void {
    this.show(elementAt(x, y));
    this.#pointer = { x, y };
  }

  /** The page has moved under a pointer that rests, or under what was chosen by keys. */
  follow(): void {
    if (this.#pointer !== null) this.showAt(this.#pointer.x, this.#pointer.y);
    else if (this.element !== null) this.show(this.element);
  }

  /** Draws the frame around the element; null hides it. */
  show(element: Element | null, isByKey = false): void {
    this.element = element;
    this.#pointer = null;
    if (isByKey) element?.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    if (element === null) {
      this.#box.style.display = 'none';
      return;
    }
    const { x, y, width, height } = element.getBoundingClientRect();
    Object.assign(this.#box.style, { display: 'block', left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  }

  remove(): void {
    this.#layer.remove();
  }
}

const showBanner = (words: string): TopLayer => {
  const banner = document.createElement('div');
  banner.style.cssText = BANNER;
  banner.textContent = words;
  return new TopLayer(banner);
};

const describePicked = (element: Element): Omit<PickedElement, 'source' | 'hasNext'> => {
  const role = roleOf(element);
  const secrets = secretsIn(element);
  return {
    ref: refOf(element),
    url: location.href,
    title: clean(document.title),
    selector: selectorOf(element),
    role: role === '' ? element.localName : role,
    name: shorten(withoutSecrets(nameOf(element, role), secrets)),
    text: shorten(withoutSecrets(textOf(element, MAX_TEXT), secrets), MAX_TEXT),
    html: markupOf(element, secrets),
  };
};
