/**
 * Runs in the page's own world, and may use nothing from outside itself: tells what the components of the page say of themselves by ElementInternals,
 * as far as they keep these where others can see them. https://html.spec.whatwg.org/multipage/custom-elements.html#native-accessibility-semantics-map
 */
export const tellInternals = (key: string): void => {
  const names = Object.keys(ElementInternals.prototype).filter((name) => /^(?:role|aria(?!.*Elements?$).*)$/.test(name));
  const internalsOf = (component: EventTarget | undefined): object | undefined => {
    if (!(component instanceof HTMLElement)) return undefined;
    const held = Reflect.ownKeys(component).map((name): unknown => Object.getOwnPropertyDescriptor(component, name)?.value);
    return held.find((value) => value instanceof ElementInternals);
  };
  const saidBy = (internals: object): string =>
    names
      .flatMap((name) => {
        const value: unknown = Reflect.get(internals, name);
        return typeof value === 'string' ? [name.replace(/^aria/, 'aria-').toLowerCase(), value.replaceAll('\n', ' ')] : [];
      })
      .join('\n');
  const tell = (event: Event): void => {
    const internals = internalsOf(event.composedPath()[0]);
    document.dispatchEvent(new CustomEvent(`${key} told`, { detail: internals === undefined ? null : saidBy(internals) }));
  };
  document.addEventListener(key, tell, true);
};
