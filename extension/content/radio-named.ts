/** The radio button that a word means: in a group of them, or beside the one that it was said of. */
import { parentOf, queryAll } from './composed.ts';
import { FaultError } from './fault.ts';
import { partOf } from './field-part.ts';
import { isCalled, namedAmong, namesOf } from './named-among.ts';
import { plain } from './plain.ts';
import { isEditingHost, isOperable, roleOf } from './roles.ts';
import { withRole } from './with-role.ts';

/**
 * The one that is called so, else the one with that value; null where the element is neither a radio button nor around several, or a word says of
 * a radio button whether it is on.
 */
export const radioNamed = (element: Element, word: string): Element | null => {
  if (roleOf(element) === 'radio') {
    if (isCalled(element, word)) return element;
    return CLAIM.test(word.trim()) ? null : namedAmong(besideOf(element), word);
  }
  if (isOperable(roleOf(element)) || isEditingHost(element)) return null;
  const radios = radiosIn(element);
  if (radios.length < 2) return null;
  const found = namedAmong(radios, word);
  if (found !== null) return found;
  if (!GROUPS.has(roleOf(element)) && !plain(element).localName.includes('-')) return null;
  // Another field may be the only one that is shown in it.
  if (partOf(element) !== element) return null;
  throw new FaultError('TOOL_ARGUMENTS', `The group has no radio button "${word}", or several.`, `radio buttons: ${namesOf(radios)}`);
};

const GROUPS = new Set(['radiogroup', 'group']);

/** What is said of a box. */
const CLAIM = /^(?:true|false|on|off|checked|unchecked)?$/i;

const radiosIn = (group: Element): Element[] => withRole(['radio'], group, 'input[type="radio"]');

/** Those of which only one can be on together with it, and itself. */
const besideOf = (radio: Element): readonly Element[] => {
  if (radio instanceof HTMLInputElement)
    return queryAll('input[type="radio"]').filter(
      (other) => other instanceof HTMLInputElement && other.name === radio.name && other.form === radio.form && radio.name !== '',
    );
  let around = parentOf(radio);
  while (around !== null && roleOf(around) !== 'radiogroup') around = parentOf(around);
  return around === null ? [] : radiosIn(around);
};
