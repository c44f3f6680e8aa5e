/** A browser that waits to be let in: what it says of itself, and what the system says of it. */
import type { Admission } from '#protocol/admission.ts';
import { paint } from '../paint.ts';
import { cleanLine, wrap } from '../text.ts';

/** The lines of the page. */
export const admissionLines = ({ name, program, pid, folder, origin }: Admission, columns: number): string[] => {
  const row = (label: string, value: string): string[] =>
    wrap(cleanLine(value), columns - 18).map((line, index) => `${paint('dim', (index === 0 ? label : '').padEnd(16))}  ${line}`);
  return [
    paint('strong', 'A browser wants to lend its tabs to your agents'),
    '',
    ...row('Calls itself', `"${name}"`),
    ...row('Program', program ?? 'the system does not tell'),
    ...row('Process', pid === null ? 'the system does not tell' : String(pid)),
    ...(folder === null ? [] : row('Folder', folder)),
    ...row('What it is', WORDS[origin]),
    '',
    ...wrap('Let it in only if it is yours. a lets it in, d turns it away; `pilotfish browsers` takes either back.', columns),
  ];
};

const WORDS: Readonly<Record<Admission['origin'], string>> = {
  browser: 'an installed browser',
  program: 'a program; no installed browser has started it',
  agent: 'a program that an agent of Pilotfish has started',
  unknown: 'not checked: this system does not tell',
  paired: 'a browser elsewhere, paired with its key',
};
