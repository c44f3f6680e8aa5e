/**
 * Links and forms whose address is a script, `javascript:…`, as old pages have them. The browser runs it for a hand and for the page itself, but not
 * for a press that this extension makes: the rules of an extension forbid it in the world where our script lives. So it is only noticed here, and run from outside.
 * https://developer.chrome.com/docs/extensions/develop/concepts/content-scripts#security-considerations
 */
import type { ScriptAddress } from './api.ts';
import { parentOf } from './composed.ts';
import { plain } from './plain.ts';

interface Led {
  readonly event: Event;
  readonly script: string;
}

let wanted: string | null = null;

/** The address that a press led to, and whose it is; told once. */
export const takeScript = (): ScriptAddress | null => {
  const taken = wanted;
  wanted = null;
  return taken === null ? null : { address: taken, origins: [location.origin, origin] };
};

/** Whether the press of this call led to one. */
export const wantsScript = (): boolean => wanted !== null;

/** Runs `press`, which dispatches one event to an element, or sends its form, and notices where that leads. */
export const notingScript = (element: Element, press: () => void): void => {
  let first: Event | null = null;
  let last: Led | null = null;
  const see = (event: Event): void => {
    // What the page's own scripts press meanwhile, the browser runs.
    const isOurs = first === null || (event.type === 'submit' && first.eventPhase === Event.NONE);
    first ??= event;
    const script = !isOurs ? null : event.type === 'submit' ? ofForm(event) : ofLink(element);
    if (script === null) return;
    last = { event, script };
    // Heard after the page's own listeners.
    event.currentTarget?.addEventListener(event.type, hear);
  };
  const hear = (event: Event): void => {
    if (event !== last?.event || event.defaultPrevented) return;
    wanted = last.script;
    last = null;
    // The browser would refuse, and say so in the console.
    event.preventDefault();
  };
  const trees = treesAround(element);
  addEventListener('click', see, true);
  for (const tree of trees) tree.addEventListener('submit', see, true);
  try {
    press();
    // A listener of the page has kept it to itself.
    wanted = scriptOf(last) ?? wanted;
  } finally {
    removeEventListener('click', see, true);
    removeEventListener('click', hear);
    for (const tree of trees) {
      tree.removeEventListener('submit', see, true);
      tree.removeEventListener('submit', hear);
    }
  }
};

/** That a form is sent is heard in the tree that it is in, and nowhere around it. */
const treesAround = (element: Element): Set<EventTarget> => {
  const trees = new Set<EventTarget>([globalThis]);
  for (let at: Element | null = element; at !== null; at = parentOf(at)) {
    const tree = plain(at).getRootNode();
    if (tree instanceof ShadowRoot) trees.add(tree);
  }
  return trees;
};

const scriptOf = (led: Led | null): string | null => (led === null || led.event.defaultPrevented ? null : led.script);

const ofForm = (event: Event): string | null => {
  if (!(event instanceof SubmitEvent) || !(event.target instanceof HTMLFormElement)) return null;
  return asScript(event.submitter?.getAttribute('formaction') ?? plain(event.target).getAttribute('action'));
};

/** The address of the link that an element is in, if it is a script. */
const ofLink = (element: Element): string | null => {
  for (let at: Element | null = element; at !== null; at = parentOf(at)) {
    if (at instanceof HTMLAnchorElement || at instanceof HTMLAreaElement || at instanceof SVGAElement)
      return asScript(at.getAttribute('href') ?? at.getAttributeNS('http://www.w3.org/1999/xlink', 'href'));
  }
  return null;
};

/** Null for any other address. */
export const asScript = (address: string | null): string | null =>
  address !== null && URL.parse(address, document.baseURI)?.protocol === 'javascript:' ? address.trim() : null;
