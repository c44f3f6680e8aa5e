/** Hides what secret fields show while a picture is taken. */
import { queryAll } from './composed.ts';
import { isSensitive } from './sensitive.ts';

const masked = new Map<HTMLElement, string>();

/** Whether there was anything to hide. */
export const mask = (): boolean => {
  for (const element of queryAll('input, textarea')) {
    if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) continue;
    if (element.value === '' || element.type === 'password' || !isSensitive(element) || masked.has(element)) continue;
    masked.set(element, element.style.getPropertyValue('-webkit-text-security'));
    element.style.setProperty('-webkit-text-security', 'disc', 'important');
  }
  return masked.size > 0;
};

export const unmask = (): void => {
  for (const [element, before] of masked) {
    if (before === '') element.style.removeProperty('-webkit-text-security');
    else element.style.setProperty('-webkit-text-security', before);
  }
  masked.clear();
};
