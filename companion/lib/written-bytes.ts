/** Runs of a text that are bytes, as programs print them: what stands in them is judged by what it says. Pure. */

interface Writing {
  /** What stands in a text with such a run, and is found faster; most texts have none. */
  readonly sign: RegExp;
  readonly run: RegExp;
  readonly bytesOf: (run: string) => Buffer;
}

/** As `xxd`, `hexdump`, Node and lists in programs have them: in hexadecimal and apart, or as a list of numbers, also over several lines. */
const WRITINGS: readonly Writing[] = [
  {
    sign: /[\da-f]{2}[ :,]{1,2}(?:0x)?[\da-f]{2,4}[ :,]{1,2}(?:0x)?[\da-f]{2}/i,
    run: /\b(?:0x)?[\da-f]{2,4}(?:[ :,]{1,2}(?:0x)?[\da-f]{2,4}){2,}\b/gi,
    bytesOf: (run) => Buffer.from(run.replaceAll(/0x|[ :,]/gi, ''), 'hex'),
  },
  {
    sign: /\d,(?:\s|\\[nrt])*\d/,
    run: /\b\d{1,3}(?:,(?:\s|\\[nrt])*\d{1,3}){5,}\b/g,
    bytesOf: (run) => Buffer.from(run.split(',').map((number) => Number(/\d+/.exec(number)?.[0]))),
  },
  // Lines of base64 end after 64 or 76 letters (RFC 1421, RFC 2045); in JSON their ends are two letters.
  {
    sign: /\n|\\n/,
    run: /(?:(?<![\w+/-])|(?<=\\[nr]))(?:[\w+/-]{60,76}(?:(?:\\r)?\\n|\r?\n))+[\w+/-]*/g,
    bytesOf: (run) => Buffer.from(run.replaceAll(/\\[rn]|\s/g, ''), 'base64'),
  },
  // Letters of two bytes, as PowerShell takes them.
  { sign: /A[A-H][\w+/]A/, run: /(?<![\w+/])(?:[\w+/]{2}[AB][\w+/]A[A-H][\w+/]A)+[\w+/]+/g, bytesOf: (run) => Buffer.from(run, 'base64') },
];

/** The text with `blot` in the place of those that say what `tells` finds a secret in. */
export const withoutBytes = (text: string, blot: string, tells: (said: string) => boolean): string =>
  WRITINGS.reduce(
    (rest, { sign, run, bytesOf }) =>
      sign.test(rest) ? rest.replaceAll(run, (found) => (isTold(bytesOf(found), tells) ? blot : found)) : rest,
    text,
  );

const isTold = (bytes: Buffer, tells: (said: string) => boolean): boolean =>
  tells(bytes.toString('utf8')) || (bytes.includes(0) && tells(bytes.toString('utf16le')));
