/** A CSS selector that means one element. */

/** As short as it stays unique in its document or shadow root: by id, by test id, or by the way from the nearest of these. */
export const selectorOf = (element: Element): string => {
  const root = element.getRootNode();
  const isUnique = (selector: string): boolean =>
    (root instanceof Document || root instanceof ShadowRoot) && root.querySelectorAll(selector).length === 1;
  const steps: string[] = [];
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const own = ownSelector(at);
    if (own !== null && isUnique(own)) return [own, ...steps].join(' > ');
    steps.unshift(stepOf(at));
    const path = steps.join(' > ');
    if (isUnique(path)) return path;
  }
  return steps.join(' > ');
};

const ownSelector = (element: Element): string | null => {
  const testId = element.getAttribute('data-testid');
  if (element.id !== '') return `#${CSS.escape(element.id)}`;
  return testId === null || testId === '' ? null : `[data-testid="${CSS.escape(testId)}"]`;
};

const stepOf = (element: Element): string => {
  const name = CSS.escape(element.localName);
  const alike = [...(element.parentElement?.children ?? [])].filter(({ localName }) => localName === element.localName);
  return alike.length < 2 ? name : `${name}:nth-of-type(${alike.indexOf(element) + 1})`;
};
