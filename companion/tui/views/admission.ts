/** A browser that waits to be let in: what it says of itself, and what the system says of it. */
import type { Admission } from '#protocol/admission.ts';
import { paint } from '../paint.ts';
import { t, type OwnText } from '../say.ts';
import { cleanLine, pad, wrap } from '../text.ts';

/** The lines of the page. */
export const admissionLines = ({ name, program, pid, folder, origin }: Admission, columns: number): string[] => {
  const row = (label: OwnText, value: string): string[] =>
    wrap(cleanLine(value), columns - 18).map((line, index) => `${paint('dim', pad(index === 0 ? t(label) : '', 16))}  ${line}`);
  return [
    paint('strong', t('A browser wants to lend its tabs to your agents')),
    '',
    ...row('Calls itself', `"${name}"`),
    ...row('Program', program ?? t('the system does not tell')),
    ...row('Process', pid === null ? t('the system does not tell') : String(pid)),
    ...(folder === null ? [] : row('Folder', folder)),
    ...row('What it is', t(WORDS[origin])),
    '',
    ...wrap(
      t('Let it in only if it is yours. <admission a> lets it in, <admission d> turns it away; `pilotfish browsers` takes either back.'),
      columns,
    ),
  ];
};

const WORDS: Readonly<Record<Admission['origin'], OwnText>> = {
  browser: 'an installed browser',
  program: 'a program; no installed browser has started it',
  agent: 'a program that an agent of Pilotfish has started',
  unknown: 'not checked: this system does not tell',
  paired: 'a browser elsewhere, paired with its key',
};
