/** Finds the element a call means. */
import type { Target } from './api.ts';
import { queryAll } from './composed.ts';
import { FaultError } from './fault.ts';
import { byRef } from './refs.ts';
import { probeIn } from './selector.ts';
import { describe } from './snapshot.ts';
import { isVisible } from './visibility.ts';

/** The one element of a ref or selector; of several matches the one that can be seen, when it is only one. */
export const findTarget = (target: Target): Element => {
  if ('ref' in target) return byRef(target.ref);
  const found = select(target.selector);
  const [first] = found;
  if (first === undefined) throw new FaultError('TARGET_NOT_FOUND', `Nothing matches the selector "${target.selector}".`);
  if (found.length === 1) return first;
  const seen = found.filter(isVisible);
  const [only] = seen;
  if (only !== undefined && seen.length === 1) return only;
  const names = found.slice(0, 3).map((element) => {
    const { ref, role, name } = describe(element);
    return `e${ref} ${role} "${name ?? ''}"`;
  });
  const detail = `The selector "${target.selector}" matches ${found.length} elements; use the ref of one.`;
  throw new FaultError('TARGET_NOT_FOUND', detail, names.join(', '));
};

const select = (selector: string): Element[] => {
  const probe = probeIn(selector);
  if (probe !== null) {
    const detail = `"target" asks for values by ${probe}, which may not be read: take a ref from browser_snapshot, or a selector by tag, id, class, name, type or role.`;
    throw new FaultError('TOOL_ARGUMENTS', detail);
  }
  try {
    return queryAll(selector);
  } catch {
    throw new FaultError('TOOL_ARGUMENTS', `"target" is neither a ref like e12 nor a valid CSS selector: "${selector}".`);
  }
};
