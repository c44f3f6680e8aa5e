/** Hides the content of secret fields while a picture is taken. */
import { unnoticed } from './changes.ts';
import { queryAll } from './composed.ts';
import { MADE_FIELDS } from './roles.ts';
import { isSensitive } from './sensitive.ts';

const masked = new Map<HTMLElement, string>();

/** Hides them; returns whether there was anything to hide. */
export const mask = (): boolean => {
  for (const element of queryAll(`input, textarea, select, [contenteditable], ${MADE_FIELDS}`)) {
    if (!(element instanceof HTMLElement) || masked.has(element) || !holdsText(element) || !isSensitive(element)) continue;
    masked.set(element, element.style.getPropertyValue('-webkit-text-security'));
  }
  unnoticed(() => {
    for (const element of masked.keys()) element.style.setProperty('-webkit-text-security', 'disc', 'important');
  });
  return masked.size > 0;
};

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
