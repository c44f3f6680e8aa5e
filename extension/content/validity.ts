/** Fields for which a form is not sent: the browser says so to the person alone, in a bubble beside the first of them. */
import type { RefusedField } from './api.ts';
import { withoutHeld } from './held-secrets.ts';
import { clean, shorten } from './name.ts';
import { isSensitive } from './sensitive.ts';
import { describe } from './snapshot.ts';

const MAX_TOLD = 5;
const MAX_WORDS = 150;

type Field = Element & { readonly validationMessage: string; readonly validity: ValidityState };

let refused = new Set<Field>();

const noteRefused = ({ target }: Event): void => {
  if (isField(target)) refused.add(target);
};

/** What is refused in a tree of its own is heard there only. Nothing bubbles; a page that shows the reasons itself has prevented the bubble beside the field. */
export const hearRefused = (tree: Document | ShadowRoot): void =>
  tree.addEventListener('invalid', noteRefused, { capture: true, passive: true });

const isField = (target: EventTarget | null): target is Field =>
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
    .filter(({ isConnected, validity }) => isConnected && !validity.valid)
    .slice(0, MAX_TOLD)
    .map((field) => ({
      field: describe(field),
      why: isSensitive(field) ? '' : shorten(withoutHeld(clean(field.validationMessage)), MAX_WORDS),
    }));
