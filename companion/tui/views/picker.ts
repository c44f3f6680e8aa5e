/** A list to choose one row from; typing narrows it. */
import { paint } from '../paint.ts';
import { t } from '../say.ts';
import type { Choice, Overlay } from '../state.ts';
import { cleanLine, fit, pad, width } from '../text.ts';
import { firstRow } from './list.ts';

type Picker = Extract<Overlay, { type: 'picker' }>;

/** Lines that stand above the choices. */
export const PICKER_HEAD = 2;

/** The choices that match what was typed. */
export const visibleChoices = ({ choices, filter }: Picker): Choice[] =>
  choices.filter(({ label, detail }) => `${label} ${detail}`.toLowerCase().includes(filter.toLowerCase()));

/** The lines of the picker. */
export const pickerLines = (picker: Picker, columns: number, height: number): string[] => {
  const choices = visibleChoices(picker);
  const room = Math.max(1, height - PICKER_HEAD);
  const first = firstRow(picker.index, choices.length, room);
  const shown = choices.slice(first, first + room);
  // Of all of them, so that the column stays where it is while one scrolls or narrows the list.
  const widest = picker.choices.reduce((most, { label }) => Math.max(most, width(cleanLine(label))), 0);
  const names = Math.min(widest, Math.floor(columns / 2));
  const rows = shown.map((choice, offset) => choiceLine(choice, columns, names, first + offset === picker.index));
  return [
    picker.filter === '' ? paint('dim', ` ${t('type to narrow the list')}`) : ` ${paint('accent', cleanLine(picker.filter))}`,
    '',
    ...(rows.length > 0 ? rows : [paint('dim', ` ${emptyText(picker)}`)]),
  ];
};

/** There is always an agent, so that a list without one is not known yet. */
const emptyText = ({ purpose, choices }: Picker): string =>
  purpose === 'engine' && choices.length === 0 ? t('Reading…') : t('nothing matches');

/** A name that is wider than the column of names pushes what is said of it to the right. */
const choiceLine = ({ label, detail, disabledReason }: Choice, columns: number, names: number, isSelected: boolean): string => {
  const note = cleanLine(disabledReason ?? detail);
  const name = cleanLine(label);
  const text = ` ${isSelected ? '›' : ' '} ${pad(name, Math.min(Math.max(width(name), names), columns - 4))}  ${note}`;
  if (isSelected) return paint('selected', pad(fit(text, columns), columns));
  return disabledReason === undefined ? fit(text, columns) : paint('dim', fit(text, columns));
};
