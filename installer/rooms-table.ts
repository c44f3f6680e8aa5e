/** The table of rooms in docs/architecture.md, made from rooms.ts. */
import { rooms } from '#rooms.ts';

const BEGIN = '<!-- Made from rooms.ts by `npm run docs`; do not edit. -->\n';
const END = '<!-- End of the table. -->\n';

/** Puts the present table in the place of the page's old one. */
export const withRoomsTable = (page: string): string => {
  const [before, rest] = split(page, BEGIN);
  const [, after] = split(rest, END);
  return `${before}${BEGIN}\n${table()}\n${END}${after}`;
};

const split = (text: string, at: string): [before: string, after: string] => {
  const index = text.indexOf(at);
  if (index < 0) throw new Error(`docs/architecture.md has lost this line: ${at}`);
  return [text.slice(0, index), text.slice(index + at.length)];
};

const table = (): string =>
  [
    '| room | job | may import |',
    '|---|---|---|',
    ...Object.entries(rooms).map(([room, { job, imports }]) => `| ${room} | ${job} | ${imports.map(shortName).join(', ') || '–'} |`),
    '',
  ].join('\n');

const shortName = (room: string): string => room.replace(/^companion\//, '');
