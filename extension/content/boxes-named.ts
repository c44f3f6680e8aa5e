/** The boxes of a group that words mean: each by what it is called, else by its value. */
import { FaultError } from './fault.ts';
import { nameOf } from './name.ts';
import { namedAmong, namesOf } from './named-among.ts';
import { plain } from './plain.ts';
import { roleOf } from './roles.ts';
import { withRole } from './with-role.ts';

interface Named {
  readonly box: Element;
  readonly name: string;
  readonly isNamed: boolean;
}

/**
 * All boxes of a group, and whether a line of the words means them; null where it is no group of several, or where other fields are in it, too,
 * and a line means none of the boxes.
 */
export const boxesNamed = (group: Element, words: string): Named[] | null => {
  const isComponent = plain(group).localName.includes('-');
  if (roleOf(group) !== 'group' && !isComponent) return null;
  const boxes = withRole(['checkbox', 'switch'], group, BOXES);
  if (boxes.length < 2) return null;
  const lines = words.split('\n');
  const meant = lines.map((line) => namedAmong(boxes, line.trim()));
  const wrong = lines[meant.indexOf(null)];
  if (wrong !== undefined) {
    if (withRole(['combobox', 'textbox', 'radio'], group, OTHERS).length > 0) return null;
    throw new FaultError('TOOL_ARGUMENTS', `The group has no box "${wrong}", or several.`, `boxes: ${namesOf(boxes)}`);
  }
  return boxes.map((box) => ({ box, name: nameOf(box, roleOf(box)), isNamed: meant.includes(box) }));
};

/** Buttons that stay pressed are boxes, too. */
const BOXES = 'input[type="checkbox"], button[aria-pressed]:not([role]), [role="button"][aria-pressed]';
const OTHERS = 'input:not([type="checkbox"], [type="hidden"]), select, textarea';
