/** Elements by what they are. */
import { mayBeSaid } from './component-says.ts';
import { queryAll } from './composed.ts';
import { plain } from './plain.ts';
import { roleOf } from './roles.ts';

/** Those with one of the roles, of an attribute or as components say without one, and those that fit to `selector`; also in the slots of an element. */
export const withRole = (roles: readonly string[], within: Document | Element = document, selector = ''): Element[] => {
  const known = [...roles.map((role) => `[role="${role}"]`), ...(selector === '' ? [] : [selector])].join(', ');
  const isMeant = (element: Element): boolean => {
    const own = plain(element);
    return own.matches(known) || (own.localName.includes('-') && roles.includes(roleOf(element)));
  };
  const find = (place: Document | Element): Element[] => (mayBeSaid() ? queryAll('*', place).filter(isMeant) : queryAll(known, place));
  const slotted = within instanceof Element ? queryAll('slot', within).flatMap(assignedTo) : [];
  return [...new Set([...find(within), ...slotted.flatMap((element) => [...(isMeant(element) ? [element] : []), ...find(element)])])];
};

const assignedTo = (slot: Element): Element[] => (slot instanceof HTMLSlotElement ? slot.assignedElements() : []);
