/** Elements by what they are. */
import { mayBeSaid } from './component-says.ts';
import { queryAll } from './composed.ts';
import { plain } from './plain.ts';
import { roleOf } from './roles.ts';

/** Those with one of the roles, of an attribute or as components say without one, and those that fit to `selector`. */
export const withRole = (roles: readonly string[], within: Document | Element = document, selector = ''): Element[] => {
  const known = [...roles.map((role) => `[role="${role}"]`), ...(selector === '' ? [] : [selector])].join(', ');
  if (!mayBeSaid()) return queryAll(known, within);
  return queryAll('*', within).filter((element) => {
    const own = plain(element);
    return own.matches(known) || (own.localName.includes('-') && roles.includes(roleOf(element)));
  });
};
