/** The field that a target means, by its label, by words that name it, or by what stands on it. */
import { wordsIn } from '#extension/shared/target-steps.ts';
import type { Target } from './api.ts';
import { contains, parentOf, queryAll, treeOf } from './composed.ts';
import { partOf } from './field-part.ts';
import { plain } from './plain.ts';
import { isNamedByContent, isOperable, labelledBy, roleOf } from './roles.ts';
import { select } from './select-elements.ts';
import { findTarget } from './target.ts';
import { isVisible } from './visibility.ts';
import { withRole } from './with-role.ts';

/** What is filled: of words the one field or group that is called so, or that says that they name it, or else what they stand on. */
export const fieldMeant = (target: Target): Element => {
  const words = 'selector' in target ? wordsIn(target.selector) : null;
  const called = words === null ? null : onlyFillable(select(`label=${JSON.stringify(words)}`));
  if (called !== null) return called;
  const meant = findTarget(target);
  const field = labelledBy(meant);
  return words === null || isOperable(roleOf(field)) ? field : (onlyFillable(namedBy(meant)) ?? onlyFillable([pressedBy(meant)]) ?? field);
};

/** The one of them that can be filled, with what stands in it. */
const onlyFillable = (elements: readonly (Element | null)[]): Element | null => {
  const all = elements.filter((element) => element !== null).filter(isFillable);
  // One that only keys reach is not seen.
  const fillable = all.length > 1 ? all.filter(isVisible) : all;
  const [only, ...others] = fillable.filter((element) => !fillable.some((outer) => outer !== element && contains(outer, element)));
  return others.length === 0 ? (only ?? null) : null;
};

const namedBy = (words: Element): readonly Element[] => {
  const { id } = plain(words);
  return id === '' ? [] : queryAll(`[aria-labelledby~="${CSS.escape(id)}"]`).filter((element) => treeOf(element) === treeOf(words));
};

const isFillable = (element: Element): boolean =>
  isOperable(roleOf(element)) || partOf(element) !== element || withRole(PARTS, element, FIELDS).length > 0;

const PARTS = ['checkbox', 'radio', 'switch'];
const FIELDS = 'input:not([type="hidden"]), textarea, select, [contenteditable]';

/** What is pressed with the words in it. */
const pressedBy = (words: Element): Element | null => {
  let around = parentOf(words);
  while (around !== null && !(isOperable(roleOf(around)) && isNamedByContent(roleOf(around)))) around = parentOf(around);
  return around;
};
