/** The labels of fields. A browser looks through all of a page for those of each one, so while it is read they are found once for all. */
import { treeOf } from './composed.ts';
import { isInReading, onceInReading } from './memo.ts';

/** Those of a field that a browser labels, in the order of the page. */
export const labelsFor = (field: Element, labels: NodeList): Element[] => {
  const tree = isInReading() ? treeOf(field) : null;
  return tree === null ? [...labels].filter((label) => label instanceof Element) : (labelsIn(tree).get(field) ?? []);
};

const labelsIn = onceInReading((tree: Document | ShadowRoot): ReadonlyMap<Element, Element[]> => {
  const found = new Map<Element, Element[]>();
  for (const label of tree.querySelectorAll('label'))
    if (label.control !== null) found.set(label.control, [...(found.get(label.control) ?? []), label]);
  return found;
});
