/** Fields for which a form is not sent: the browser says so to the person alone, in a bubble beside the first of them. */
import type { RefusedField } from './api.ts';
import { withoutHeld } from './held-secrets.ts';
import { clean, shorten } from './name.ts';
import { plain } from './plain.ts';
import { isSensitive } from './sensitive.ts';
import { describe } from './snapshot.ts';

/** One more than is told, which says that there are more. */
const MAX_TOLD = 6;
const MAX_WORDS = 150;

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLButtonElement;

let refused = new Set<Element>();

const noteRefused = ({ target }: Event): void => {
  // A component that is a field of its own keeps to itself why.
  if (target instanceof Element && (isField(target) || plain(target).localName.includes('-'))) refused.add(target);
};

/** What is refused in a tree of its own is heard there only. Nothing bubbles; a page that shows the reasons itself has prevented the bubble beside the field. */
export const hearRefused = (tree: Document | ShadowRoot): void =>
  tree.addEventListener('invalid', noteRefused, { capture: true, passive: true });

const isField = (target: Element): target is Field =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLButtonElement;

/** Called before an action. */
export const forgetRefused = (): void => {
  refused = new Set();
};

/** Those that were found wrong since the last action began, and are still, with why. */
export const refusedFields = (): RefusedField[] =>
  [...refused]
    .filter((field) => plain(field).isConnected && plain(field).matches(':invalid'))
    .slice(0, MAX_TOLD)
    .map((field) => ({
      field: describe(field),
      why: isSensitive(field) || !isField(field) ? '' : shorten(withoutHeld(clean(field.validationMessage)), MAX_WORDS),
    }));
