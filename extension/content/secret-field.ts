/** Whether what a field holds is a secret. Pure: a field is what a page and a person call it, how it looks, and its value. */
import { namesSecret, plainWords } from './secret-words.ts';

export interface FieldTraits {
  /** `type` of an input; `textarea`, `select` and `editable` for the others. */
  readonly type: string;
  readonly autocomplete: string;
  /** What the page and a person call it: name, id, labels, placeholder, or the text beside it. */
  readonly names: readonly string[];
  /** It was a password field before it showed its text, or its letters are drawn as dots. */
  readonly isMasked: boolean;
  /** One of a row of boxes for one character each. */
  readonly isCodeBox: boolean;
  /** One of numbered fields for the words of a recovery phrase. */
  readonly isPhraseWord: boolean;
  /** Asks for digits, this many; 0 when it does not. */
  readonly digits: number;
  readonly value: string;
}

const SECRET_AUTOCOMPLETE = /(?<!\S)(?:current-password|new-password|one-time-code|cc-(?:number|csc|exp|exp-month|exp-year))(?!\S)/;
/** The page says what it is for, as browsers read it. */
const HARMLESS_AUTOCOMPLETE =
  /(?<!\S)(?:name|given-name|family-name|nickname|username|email|organization|street-address|address-line[1-3]|address-level[1-4]|country|country-name|postal-code|cc-name|cc-type|bday|sex|url|tel|tel-national|language|photo)(?!\S)/;

/** Nobody can write a secret into these. */
const WORDLESS = new Set([
  'checkbox',
  'radio',
  'button',
  'submit',
  'reset',
  'image',
  'file',
  'color',
  'range',
  'email',
  'date',
  'time',
  'week',
]);

/** Longer ones are explanations, and those speak of everything. */
const MAX_NAME_UNITS = 160;

const PRIVATE_VALUE =
  /-----BEGIN [A-Z ]*PRIVATE KEY|(?<![\w-])(?:sk-[\w-]{16,}|[sr]k_(?:live|test)_\w{10,}|gh[oprsu]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|A[KS]IA[A-Z\d]{16}|AIza[\w-]{30,}|hf_\w{20,}|npm_\w{20,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.)/;

/** Those that nothing else looks like, so that they are known also where they go on from another word, as in `row-ghp_…`. */
const JOINED_VALUE =
  /(?<![A-Za-z\d])(?:sk-(?:ant|or|proj|svcacct)-[\w-]{16,}|[sr]k_live_\w{16,}|gh[oprsu]_[A-Za-z\d]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|A[KS]IA[A-Z\d]{16}(?![A-Z\d])|AIza[\w-]{35})/;

/** A trait that is dear to find out is asked for only where those before it do not decide. */
export const isSecretField = (field: FieldTraits): boolean => {
  const { type, autocomplete } = field;
  if (type === 'password' || SECRET_AUTOCOMPLETE.test(autocomplete) || field.isMasked) return true;
  if (WORDLESS.has(type)) return false;
  if (isSecretValue(field.value) || field.isCodeBox || field.isPhraseWord) return true;
  if (HARMLESS_AUTOCOMPLETE.test(autocomplete)) return false;
  const { digits } = field;
  const short = field.names.filter((name) => name.length <= MAX_NAME_UNITS);
  return short.some(namesSecret) || (digits >= 4 && digits <= 8 && short.some(isBareCode));
};

/** What looks like a secret wherever it stands: a card number, a private key, a token. */
export const isSecretValue = (value: string): boolean => isCardNumber(value) || PRIVATE_VALUE.test(value) || JOINED_VALUE.test(value);

/** "Code", and nothing says which: with room for a few digits it is one that was sent. */
const isBareCode = (name: string): boolean =>
  /^(?:(?:enter |the |your |le |el |il |o |de |der )*(?:code|codigo|codice|kod|kodu|код)(?: \d+)?|コード|코드|代码)$/.test(
    plainWords(name),
  );

/** 13 to 19 digits with a right check digit (Luhn), as cards have them: books and goods have other first digits. */
const isCardNumber = (value: string): boolean => {
  if (value.length > MAX_NAME_UNITS) return false;
  const digits = value.replaceAll(/[\s-]/g, '');
  if (!/^(?:4\d{12}|[2-6]\d{13,18})$/.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const doubled = Number(digits.at(-1 - index)) * (index % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
};
