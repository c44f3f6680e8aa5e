/**
 * What an element is by itself. A form has its fields as properties by their names, in place of its own: where one is called `getAttribute`, the
 * form has no attributes any more, and a script that goes up by one called `parentElement` goes round for ever.
 * https://html.spec.whatwg.org/#the-form-element
 */

/** What is asked of elements of any kind. */
const OWN = [
  'assignedSlot',
  'checkVisibility',
  'childElementCount',
  'childNodes',
  'children',
  'closest',
  'contains',
  'dispatchEvent',
  'elements',
  'firstElementChild',
  'focus',
  'getAttribute',
  'getAttributeNames',
  'getBoundingClientRect',
  'getClientRects',
  'getRootNode',
  'hasAttribute',
  'id',
  'isConnected',
  'isContentEditable',
  'localName',
  'matches',
  'nextElementSibling',
  'offsetParent',
  'parentElement',
  'parentNode',
  'previousElementSibling',
  'previousSibling',
  'querySelector',
  'querySelectorAll',
  'requestSubmit',
  'scrollIntoView',
  'scrollLeft',
  'scrollTop',
  'tabIndex',
  'textContent',
] as const satisfies (keyof HTMLFormElement)[];

type Own<E> = Pick<E, keyof E & (typeof OWN)[number]>;

let isHiding = false;

/** Called before a page is asked: hardly any has such a form, and to look at each element for it is dear. */
export const findHiding = (): void => {
  isHiding = [...document.forms].some((form) => OWN.some((name) => Object.hasOwn(form, name)));
};

/** The element, to be asked for a property of its own. */
export const plain = <E extends Node>(element: E): Own<E> =>
  isHiding && element instanceof HTMLFormElement ? new Proxy<E & HTMLFormElement>(element, { get: readOwn }) : element;

const readOwn = (form: HTMLFormElement, name: string | symbol): unknown => {
  for (let at: object | null = HTMLFormElement.prototype; at !== null; at = Object.getPrototypeOf(at)) {
    const own = Object.getOwnPropertyDescriptor(at, name);
    if (own === undefined) continue;
    const value: unknown = own.get === undefined ? own.value : Reflect.apply(own.get, form, []);
    return typeof value === 'function' ? value.bind(form) : value;
  }
  return undefined;
};
