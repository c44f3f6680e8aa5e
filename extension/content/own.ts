/** The elements that the extension itself has put into the page: nothing that is read of the page, or done in it, is about them. */

const own = new WeakSet<Element>();

export const addOwn = (element: Element): void => void own.add(element);

export const isOwn = (element: EventTarget | null): boolean => element instanceof Element && own.has(element);
