/** Fields whose value never leaves the page: passwords, one-time codes, payment cards. */
import { nameOf } from './name.ts';

const SECRET_AUTOCOMPLETE = /\b(?:current-password|new-password|one-time-code|cc-(?:number|csc|exp|exp-month|exp-year))\b/;
const SECRET_NAME =
  /\b(?:otp|totp|2fa|mfa|cvv2?|cvc2?|csc|pin|iban|passwd|password|passcode|passwort|secret)\b|one.?time|security.?code|verification.?code|auth(?:entication)?.?code|card.?(?:number|no\b|num\b)|cc.?num/i;

/** A password field that shows its text for a moment stays one. */
const oncePassword = new WeakSet<Element>();

/** Whether what the user wrote into a field must not be read. */
export const isSensitive = (element: Element): boolean => {
  if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) return false;
  if (element.type === 'password') oncePassword.add(element);
  if (oncePassword.has(element) || SECRET_AUTOCOMPLETE.test(element.autocomplete)) return true;
  const words = [element.name, element.id, element.getAttribute('data-testid') ?? '', nameOf(element, 'textbox')].join(' ');
  if (SECRET_NAME.test(words.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' '))) return true;
  return isCodeBox(element) || isCardNumber(element.value);
};

/** One of a row of one-character boxes, as one-time codes are asked for. */
const isCodeBox = (element: HTMLInputElement | HTMLTextAreaElement): boolean =>
  element.maxLength === 1 && (element.parentElement?.parentElement?.querySelectorAll('input[maxlength="1"]').length ?? 0) >= 4;

/** 13 to 19 digits with a right check digit (Luhn). */
const isCardNumber = (value: string): boolean => {
  const digits = value.replaceAll(/[\s-]/g, '');
  if (!/^\d{13,19}$/.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const doubled = Number(digits.at(-1 - index)) * (index % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
};
