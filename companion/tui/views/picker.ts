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
  const rows = choices.slice(first, first + room).map((choice, offset) => choiceLine(choice, columns, first + offset === picker.index));
  return [
    picker.filter === '' ? paint('dim', ` ${t('type to narrow the list')}`) : ` ${paint('accent', cleanLine(picker.filter))}`,
    '',
    ...(rows.length > 0 ? rows : [paint('dim', ` ${t('nothing matches')}`)]),
  ];
};

const choiceLine = ({ label, detail, disabledReason }: Choice, columns: number, isSelected: boolean): string => {
  const note = cleanLine(disabledReason ?? detail);
  const name = cleanLine(label);
  const half =
    Math.max(width(name), Math.floor(columns / 2)) > columns - 4
      ? columns - 4
      : Math.max(width(name), Math.min(28, Math.floor(columns / 2)));
  const text = ` ${isSelected ? '›' : ' '} ${pad(name, half)}  ${note}`;
  if (isSelected) return paint('selected', pad(fit(text, columns), columns));
  return disabledReason === undefined ? fit(text, columns) : paint('dim', fit(text, columns));
};
