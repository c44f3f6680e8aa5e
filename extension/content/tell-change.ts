/** Tells a page at once that a text field has another text, which Chrome does when the field loses the focus. */

/** Fields of which the page has heard, so that the browser's own event would be the second one for the same edit. */
const told = new WeakSet<Element>();
const watched = new WeakSet<EventTarget>();

export const tellChange = (field: HTMLInputElement | HTMLTextAreaElement): void => {
  const root = field.getRootNode();
  // The event does not leave a shadow tree.
  watch(root instanceof ShadowRoot ? root : window);
  told.add(field);
  field.dispatchEvent(new Event('change', { bubbles: true }));
};

/** An edit after that has an event of its own. */
const watch = (place: EventTarget): void => {
  if (watched.has(place)) return;
  watched.add(place);
  for (const type of ['input', 'change']) place.addEventListener(type, forget, { capture: true });
};

const forget = (event: Event): void => {
  const [field] = event.composedPath();
  if (event.isTrusted && field instanceof Element && told.delete(field) && event.type === 'change') event.stopImmediatePropagation();
};
