/**
 * Where the code of an element stands, as development builds of React, Vue, Svelte and Angular tell in the page's own world. The two worlds
 * of a page share its elements and events, but nothing of what a framework has written on them: the one is asked by the other with events
 * whose name, `key`, the page does not know. What runs in the page's world uses nothing from outside itself.
 */

/** What is told of an element, in the page's words. */
const MAX_CHARS = 500;

/** Asks for the source of an element, once the page's world can answer; empty when nothing tells it. */
export const askSource = (key: string, element: Element): string => {
  let told = '';
  const hear = (event: Event): void => {
    if (event instanceof CustomEvent && typeof event.detail === 'string') told ||= event.detail;
  };
  document.addEventListener(`${key} answer`, hear);
  element.dispatchEvent(new CustomEvent(key, { composed: true }));
  document.removeEventListener(`${key} answer`, hear);
  return told.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_CHARS);
};

/** Answers one question by what React wrote. */
export const answerReact = (key: string): void => {
  type Bag = Record<string, unknown>;
  const isBag = (value: unknown): value is Bag => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const bag = (value: unknown): Bag => (isBag(value) ? value : {});
  const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
  /** Since React 19 a stack is all there is, between React's own function that made the element and its others that ran the component. */
  const placeIn = (stack: string): string => {
    const frames = stack.replace(/\n.*react[-_]stack[-_]bottom[-_]frame[^]*/, '').split('\n');
    const own = frames.slice(2).find((frame) => /:\d+:\d+\)?$/.test(frame) && !/node_modules|react[-_.](?:dom|jsx)/.test(frame));
    return (/\(([^()]+)\)$/.exec(own ?? '')?.[1] ?? own ?? '').replace(/^\s*at\s+/, '').trim();
  };
  const sourceOf = (start: Bag): string => {
    let component = '';
    for (let [fiber, depth] = [start, 0]; depth < 50; [fiber, depth] = [bag(fiber['return']), depth + 1]) {
      const owner = bag(bag(fiber['_debugOwner'])['type']);
      // What Fast Refresh calls a function that has no name.
      component ||= text(owner['displayName']) || text(owner['name']).replace(/^_c\d*$/, '');
      const { fileName, lineNumber, columnNumber } = bag(fiber['_debugSource']);
      const place = [fileName, lineNumber, columnNumber].map(text).filter((part) => part !== '');
      const who = component === '' ? 'React' : `React, ${component}`;
      if (place.length > 0) return `${place.join(':')} (${who})`;
      const built = placeIn(text(bag(fiber['_debugStack'])['stack']));
      if (built !== '') return `${built} (${who}, as built)`;
    }
    return component === '' ? '' : `(React, ${component})`;
  };
  const answer = (event: Event): void => {
    for (const node of event.composedPath()) {
      const name = Object.keys(node).find((own) => /^__react(?:Fiber|InternalInstance)\$/.test(own));
      if (name === undefined) continue;
      const detail = sourceOf(bag(bag(node)[name]));
      document.dispatchEvent(new CustomEvent(`${key} answer`, { detail }));
      return;
    }
  };
  document.addEventListener(key, answer, { capture: true, once: true });
};

/** Answers one question by what Vue, Svelte or Angular wrote. */
export const answerComponents = (key: string): void => {
  type Bag = Record<string, unknown>;
  const isBag = (value: unknown): value is Bag => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const bag = (value: unknown): Bag => (isBag(value) ? value : {});
  const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
  const say = (where: string, ...names: string[]): string => `${where} (${names.filter((name) => name !== '').join(', ')})`.trim();
  const vue = (node: Bag): string => {
    for (
      let [instance, depth] = [bag(node['__vueParentComponent']), 0];
      depth < 20;
      [instance, depth] = [bag(instance['parent']), depth + 1]
    ) {
      const type = bag(instance['type']);
      if (type['__file'] !== undefined) return say(text(type['__file']), 'Vue', text(type['name']) || text(type['__name']));
    }
    // Version 2.
    const options = bag(bag(node['__vue__'])['$options']);
    return options['__file'] === undefined ? '' : say(text(options['__file']), 'Vue', text(options['name']));
  };
  const svelte = (node: Bag): string => {
    const { file, line, column, char } = bag(bag(node['__svelte_meta'])['loc']);
    // Columns are counted from zero, and up to version 4 lines too.
    const first = char === undefined ? 0 : 1;
    return file === undefined ? '' : say(`${text(file)}:${Number(line) + first}:${Number(column) + 1}`, 'Svelte');
  };
  /** A component of a library has no place; then it is asked whose template that stands in. */
  const angular = (start: Element): string => {
    const ng = bag(Reflect.get(globalThis, 'ng'));
    const ask = (name: string, asked: unknown): unknown => {
      const method = ng[name];
      return typeof method === 'function' && isBag(asked) ? Reflect.apply(method, ng, [asked]) : undefined;
    };
    let nearest = '';
    for (let [node, depth]: [Element | null, number] = [start, 0]; node !== null && depth < 200; depth += 1) {
      const owner = ask('getOwningComponent', node);
      for (const component of [ask('getComponent', node), owner]) {
        const type = bag(bag(component)['constructor']);
        const { className, filePath, lineNumber } = bag(bag(type['ɵcmp'])['debugInfo']);
        const where = [filePath, lineNumber].map(text).filter((part) => part !== '');
        // A class may have got another name when it was built.
        const name = text(className) || text(type['name']).replace(/^_/, '');
        if (where.length > 0) return say(where.join(':'), 'Angular', name);
        if (isBag(component)) nearest ||= say('', 'Angular', name);
      }
      // What a component shows above the page stands elsewhere than the component.
      const host = ask('getHostElement', owner);
      node = host instanceof Element && host !== node ? host : node.parentElement;
    }
    return nearest;
  };
  const answer = (event: Event): void => {
    const path = event.composedPath();
    const [target] = path;
    let detail = '';
    for (const node of path) detail ||= node instanceof Element ? svelte(bag(node)) || vue(bag(node)) : '';
    if (detail === '' && target instanceof Element) detail = angular(target);
    document.dispatchEvent(new CustomEvent(`${key} answer`, { detail }));
  };
  document.addEventListener(key, answer, { capture: true, once: true });
};
