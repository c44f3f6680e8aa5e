/** Refs: an element keeps its number as long as it lives, and no other element of the tab ever gets it. */
import { FaultError } from './fault.ts';

const numbers = new WeakMap<Element, number>();
const elements = new Map<number, WeakRef<Element>>();
/** A page that is drawn anew for hours gives out millions of them. */
const gone = new FinalizationRegistry<number>((ref) => elements.delete(ref));
let next: number | null = null;
let base = 1;

/** The first call in a document decides where its refs begin. */
export const beginRefs = (refBase: number): void => {
  if (next !== null) return;
  base = refBase;
  next = refBase;
};

/** The ref of an element, a new one when it has none yet. */
export const refOf = (element: Element): number => {
  const known = numbers.get(element);
  if (known !== undefined) return known;
  const ref = next ?? base;
  next = ref + 1;
  numbers.set(element, ref);
  elements.set(ref, new WeakRef(element));
  gone.register(element, ref);
  return ref;
};

/** The element of a ref, also where it is on the page no more. */
export const elementOf = (ref: number): Element | null => elements.get(ref)?.deref() ?? null;

/** Whether it was ever told of. */
export const hasRef = (element: Element): boolean => numbers.has(element);

/** All that have a ref and are still there. */
export const livingRefs = (): { readonly ref: number; readonly element: Element }[] =>
  [...elements].flatMap(([ref, held]) => {
    const element = held.deref();
    return element?.isConnected === true ? [{ ref, element }] : [];
  });

/** Where the refs of the tab's next document begin. */
export const refTop = (): number => next ?? base;

/** The living element of a ref; says why when there is none. */
export const byRef = (ref: number): Element => {
  const element = elements.get(ref)?.deref();
  if (element?.isConnected === true) return element;
  if (ref < base) throw new FaultError('TARGET_NOT_FOUND', `e${ref} was on an earlier page of this tab.`);
  if (ref < refTop()) throw new FaultError('TARGET_NOT_FOUND', `e${ref} was removed from the page.`);
  throw new FaultError('TARGET_NOT_FOUND', `e${ref} was never given out for this page.`);
};
