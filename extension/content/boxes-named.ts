/** The boxes of a group that words mean: each by what it is called, else by its value. */
import { queryAll } from './composed.ts';
import { FaultError } from './fault.ts';
import { clean, nameOf } from './name.ts';
import { plain } from './plain.ts';
import { roleOf } from './roles.ts';

interface Named {
  readonly box: Element;
  readonly name: string;
  readonly isNamed: boolean;
}

const MAX_NAMED = 30;

/**
 * All boxes of a group, and whether a line of the words means them; null where it is no group of several, or where other fields are in it, too,
 * and a line means none of the boxes.
 */
export const boxesNamed = (group: Element, words: string): Named[] | null => {
  const isComponent = plain(group).localName.includes('-');
  if (roleOf(group) !== 'group' && !isComponent) return null;
  const boxes = queryAll(BOXES, group).map((box) => ({ box, name: nameOf(box, roleOf(box)) }));
  if (boxes.length < 2) return null;
  const lines = words.split('\n').map(clean);
  const called = (line: string): readonly { readonly box: Element }[] => {
    const byName = boxes.filter(({ name }) => name.toLowerCase() === line.toLowerCase());
    return byName.length > 0 ? byName : boxes.filter(({ box }) => plain(box).getAttribute('value') === line);
  };
  const meant = lines.map(called);
  const wrong = lines.find((_, index) => meant[index]?.length !== 1);
  if (wrong !== undefined) {
    if (queryAll(OTHERS, group).length > 0) return null;
    const names = boxes.slice(0, MAX_NAMED).map(({ name }) => `"${name}"`);
    throw new FaultError('TOOL_ARGUMENTS', `The group has no box "${wrong}", or several.`, `boxes: ${names.join(', ')}`);
  }
  const isNamed = new Set(meant.flat().map(({ box }) => box));
  return boxes.map(({ box, name }) => ({ box, name, isNamed: isNamed.has(box) }));
};

const BOXES = 'input[type="checkbox"], [role="checkbox"], [role="switch"]';
const OTHERS = 'input:not([type="checkbox"], [type="hidden"]), select, textarea, [role="combobox"], [role="textbox"], [role="radio"]';
