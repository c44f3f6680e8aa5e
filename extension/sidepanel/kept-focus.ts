/** Where a person is who works by keys: whatever is taken off the page, or cannot be pressed for a while, does not send them to its beginning. */

/** One of the elements in which the focus was, from the innermost, with what stands after and before it. */
interface Place {
  readonly element: Element;
  readonly next: Element | null;
  readonly previous: Element | null;
}

const FOCUSABLE = ':is(button, input, select, textarea, summary, a[href], [tabindex="0"]):not(:disabled)';

/** Gives the focus to the nearest neighbour of what had it when that goes, and back to what was disabled only for a while. */
export const keepFocus = (page: Document): void => {
  let places: readonly Place[] = [];
  page.addEventListener('focusin', ({ target }) => {
    places = target instanceof Element ? placesOf(target) : [];
  });
  // A click beside everything takes the focus away on purpose.
  page.addEventListener('pointerdown', () => void (places = []), { capture: true });
  const restore = (): void => {
    if (places.length > 0 && page.activeElement === page.body) nearest(places)?.focus({ preventScroll: true });
  };
  new MutationObserver(restore).observe(page.body, { subtree: true, childList: true, attributeFilter: ['disabled'] });
};

const placesOf = (target: Element): Place[] => {
  const places: Place[] = [];
  for (let element: Element | null = target; element !== null; element = element.parentElement)
    places.push({ element, next: element.nextElementSibling, previous: element.previousElementSibling });
  return places;
};

const nearest = (places: readonly Place[]): HTMLElement | null => {
  for (const { element, next, previous } of places) {
    // What is disabled may be pressed again soon.
    if (element.matches(':disabled') && element.isConnected) return null;
    const found = fieldsIn(element)[0] ?? fieldsIn(next)[0] ?? fieldsIn(previous).at(-1);
    if (found !== undefined) return found;
  }
  return null;
};

/** What can have the focus in an element that is on the page, itself included. */
const fieldsIn = (element: Element | null): HTMLElement[] => {
  if (element?.isConnected !== true) return [];
  return [element, ...element.querySelectorAll(FOCUSABLE)]
    .filter((each) => each instanceof HTMLElement)
    .filter((each) => each.matches(FOCUSABLE));
};
