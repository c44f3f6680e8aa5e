/** What fields hold: a page may change that without a change of the document, which nothing else would tell of. */
import { isOwn } from './own.ts';
import { isVisible } from './visibility.ts';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Each field with what it held. */
export type Held = ReadonlyMap<Field, string>;

/** In a page with more the first ones are looked at: this comes before every action. */
const MAX_FIELDS = 1_000;
const MAX_TOLD = 5;

export const heldByFields = (roots: Iterable<Document | ShadowRoot>): Held => {
  const held = new Map<Field, string>();
  for (const root of roots)
    for (const field of root.querySelectorAll<Field>('input:not([type="hidden"]), select, textarea')) {
      if (held.size === MAX_FIELDS) return held;
      if (!isOwn(field)) held.set(field, heldBy(field));
    }
  return held;
};

/** Those but `element` that hold something else now; of radio buttons the one that was chosen says it all. */
export const otherFields = (before: Held, element: Element): Field[] => {
  const changed: Field[] = [];
  for (const [field, held] of before) {
    if (isMeant(field, element) || !field.isConnected || heldBy(field) === held) continue;
    if (field instanceof HTMLInputElement && field.type === 'radio' && !field.checked) continue;
    // Some components keep a field for the form behind what a person sees.
    if (isVisible(field) && field.closest('[aria-hidden="true"]') === null) changed.push(field);
    if (changed.length === MAX_TOLD) break;
  }
  return changed;
};

/** Whether any of them holds something else now. */
export const holdOther = (before: Held): boolean => {
  for (const [field, held] of before) if (heldBy(field) !== held) return true;
  return false;
};

/** What is told of an element is told of the field that it labels. */
const isMeant = (field: Field, element: Element): boolean =>
  field === element || [...(field.labels ?? [])].some((label) => label.contains(element));

const heldBy = (field: Field): string => {
  if (field instanceof HTMLSelectElement) return [...field.selectedOptions].map(({ index }) => index).join();
  const isChecked = field instanceof HTMLInputElement && field.checked;
  return `${isChecked ? 'on' : ''} ${field.value}`;
};
