/** Hides the content of secret fields, and copies of it, while a picture is taken. */
import { unnoticed } from './changes.ts';
import { queryAll } from './composed.ts';
import { copiesOfHeld } from './copies.ts';
import { whileReading } from './memo.ts';
import { FIELDS, isDrawnAsDots, isSensitive, slotsOf } from './sensitive.ts';

const masked = new Map<HTMLElement, string>();

/** Hides them; returns whether there was anything to hide. */
export const mask = (): boolean => {
  for (const element of secretElements()) {
    if (masked.has(element)) continue;
    masked.set(element, element.style.getPropertyValue('-webkit-text-security'));
  }
  unnoticed(() => {
    for (const element of masked.keys()) element.style.setProperty('-webkit-text-security', 'disc', 'important');
  });
  return masked.size > 0;
};

/** Whether all of them are hidden still: a page may draw a field anew at any moment, or show what is in it. */
export const isMasked = (): boolean => secretElements().every((element) => isDrawnAsDots(element));

const secretElements = (): HTMLElement[] =>
  whileReading(() => {
    const fields = secretFields().filter(holdsText);
    const slots = fields.flatMap(slotsOf).filter((element) => element instanceof HTMLElement);
    return [...new Set([...fields, ...copiesOfHeld(), ...slots])];
  });

const secretFields = (): HTMLElement[] =>
  queryAll(FIELDS)
    .filter((element) => element instanceof HTMLElement)
    .filter(isSensitive);

/** Password fields are drawn as dots by themselves. */
const holdsText = (element: HTMLElement): boolean =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement
    ? element.value !== '' && element.type !== 'password'
    : element.textContent !== '';

export const unmask = (): void => {
  unnoticed(() => {
    for (const [element, before] of masked) {
      if (before === '') element.style.removeProperty('-webkit-text-security');
      else element.style.setProperty('-webkit-text-security', before);
    }
  });
  masked.clear();
};
