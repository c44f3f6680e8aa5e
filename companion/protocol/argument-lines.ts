/** The arguments of a call as a person reads them: one line for each, with nothing left out. */

const PLAIN_NAME = /^[\w.$-]{1,60}$/;
const MAX_ON_A_LINE = 60;
const LINE_END = /\r\n?|[\n\u0085\u2028\u2029]/;

/** No argument can pose as another: the further lines of one are indented. */
export const argumentLines = (input: unknown): string =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? Object.entries(input)
        .map(([name, value]) => argumentText(PLAIN_NAME.test(name) ? name : JSON.stringify(name), value))
        .join('\n')
    : (JSON.stringify(input, null, 2) ?? '');

const argumentText = (name: string, value: unknown): string => {
  const text = valueText(value);
  const lines = text.split(LINE_END);
  if (lines.length === 1) return `${name}: ${text}`;
  return [`${name}:`, ...lines.map((line) => `  ${line}`)].join('\n');
};

const valueText = (value: unknown): string => {
  if (typeof value === 'string') return value.trim() === value && value !== '' ? value : JSON.stringify(value);
  const line = JSON.stringify(value) ?? '';
  return line.length <= MAX_ON_A_LINE ? line : JSON.stringify(value, null, 2);
};
