/** Names of files among the person's downloads. Pure. */

const MAX_CHARS = 120;

/** Windows keeps these for devices, with any ending, and browsers refuse them everywhere: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const RESERVED = /^(?:con|prn|aux|nul|clock\$|com\d|lpt\d)(?:\.|$)/i;

/** Other ways to write an ending, and others that a text may have. */
const SPELLINGS = new Map([
  ['jpeg', 'jpe?g'],
  ['md', 'md|markdown|txt|ya?ml|log'],
]);

/** What a tool saves: a name alone, without a folder and with its ending. */
export const toFileName = (given: string, ending: string, otherwise: string): string => {
  const whole = given.normalize('NFC').replaceAll(/[^\p{L}\p{N} ._()-]+/gu, ' ');
  const [, written = ending] = new RegExp(`\\.(${SPELLINGS.get(ending) ?? ending})$`, 'i').exec(whole) ?? [];
  const plain = whole
    .replace(new RegExp(`\\.${written}$`), '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  const name = plain === '' ? otherwise : plain.slice(0, MAX_CHARS);
  return `${RESERVED.test(name) ? '_' : ''}${name}.${written.toLowerCase()}`;
};

/** Most disks take 255 bytes, and the browser adds an ending and a number of its own; it asks the person where to save what does not fit. */
const MAX_BYTES = 200;

/** A name that every disk takes, with its ending: what kind of file it is must be seen. */
export const fitForDisk = (name: string): string => {
  const ending = /\.[\p{L}\p{N}]{1,16}$/u.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - ending.length);
  const fits = (length: number): boolean => bytesOf(stem.slice(0, length)) + bytesOf(ending) <= MAX_BYTES;
  if (fits(stem.length)) return name;
  let length = Math.min(stem.length, MAX_BYTES);
  while (!fits(length)) length -= 1;
  // No half of a sign that takes two.
  return `${stem
    .slice(0, length)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}${ending}`;
};

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
