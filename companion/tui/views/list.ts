/** A list of the left column. */
import { paint } from '../paint.ts';
import { rowsOf, selectedIndex, type Row } from '../rows.ts';
import { t, type OwnText } from '../say.ts';
import { listNames, type ListName, type TuiState } from '../state.ts';
import { fit, pad, width } from '../text.ts';
import { pane } from './pane.ts';

const titles: Readonly<Record<ListName, OwnText>> = { projects: 'Projects', engines: 'Agents', sessions: 'Sessions', browsers: 'Browsers' };

const emptyTexts: Readonly<Record<ListName, OwnText>> = {
  projects: 'none yet',
  engines: 'looking for agents…',
  sessions: 'none yet: press <global n>',
  browsers: 'none found',
};

/** The pane of one list, scrolled so that the selected row is visible. */
export const listView = (state: TuiState, list: ListName, size: { width: number; height: number }): string[] => {
  const rows = rowsOf(state, list);
  const index = selectedIndex(state, list, rows);
  const height = size.height - 2;
  const first = firstRow(index, rows.length, height);
  const isFocused = state.focus === list && state.overlay === null;
  if (size.height === 1) return [barLine(`${listNames.indexOf(list) + 1} ${t(titles[list])}`, rows, index, size.width)];
  const lines = rows.slice(first, first + height).map((row, offset) => rowLine(row, size.width - 2, first + offset === index, isFocused));
  const filter = state.filters[list] ?? '';
  return pane({
    title: paint(isFocused ? 'title' : 'strong', `${listNames.indexOf(list) + 1} ${t(titles[list])}`),
    note: filter !== '' ? paint('accent', `/${filter}`) : rows.length > height ? paint('dim', `${index + 1}/${rows.length}`) : '',
    lines:
      lines.length > 0
        ? lines
        : [paint('dim', ` ${t(filter !== '' ? 'nothing matches' : state.isListed ? emptyTexts[list] : 'Reading…')}`)],
    width: size.width,
    height: size.height,
    isFocused,
  });
};

/** A list without room: its title and what is selected. */
const barLine = (title: string, rows: readonly Row[], index: number, columns: number): string => {
  const row = rows[index];
  const count = rows.length > 1 ? paint('dim', ` ${index + 1}/${rows.length} `) : '';
  const text = ` ${paint('strong', title)}  ${row === undefined ? '' : `${row.mark} ${row.label}  ${paint('dim', row.detail)}`}`;
  return pad(text, columns - width(count)) + count;
};

/** Index of the first row shown, so that `index` is among `height` rows. */
export const firstRow = (index: number, count: number, height: number): number =>
  Math.max(0, Math.min(index - Math.floor(height / 2), count - height));

const rowLine = ({ mark, label, detail }: Row, columns: number, isSelected: boolean, isFocused: boolean): string => {
  const room = columns - 3;
  const shownDetail = width(label) + width(detail) + 2 <= room ? detail : width(detail) <= Math.floor(room / 3) ? detail : '';
  const text = pad(label, room - (shownDetail === '' ? 0 : width(shownDetail) + 1));
  const line = `${text}${shownDetail === '' ? '' : ` ${isSelected && isFocused ? shownDetail : paint('dim', shownDetail)}`}`;
  const sign = isSelected ? '›' : ' ';
  if (isSelected && isFocused) return `${paint('accent', sign)}${mark} ${paint('selected', fit(line, room))}`;
  return `${isSelected ? paint('accent', sign) : sign}${mark} ${fit(line, room)}`;
};
