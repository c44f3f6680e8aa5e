/** Changed files as diffs: all of a session in a tab of their own, one below a call or in a request. */
import { countChanges, diffOf, type DiffLine } from '#display/diff-lines.ts';
import type { FileChange } from '#protocol/items.ts';
import type { SessionView } from '#protocol/view.ts';
import { paint } from '../paint.ts';
import { t } from '../say.ts';
import { cleanLine, fit } from '../text.ts';
import { partsOf, type Parts } from './parts.ts';

/** Every file the session changed, the newest change last; each is a part, behind one that counts them. */
export const diffParts = (session: SessionView | null, columns: number): Parts => {
  const changes = (session?.items ?? []).flatMap(({ body, status }) =>
    body.kind === 'tool' && status !== 'denied' ? (body.changes ?? []) : [],
  );
  return partsOf(changes.length + 1, (index) => {
    const change = changes[index - 1];
    if (change !== undefined) return ['', paint('strong', fit(changeTitle(change), columns)), ...changeLines(change, columns)];
    if (changes.length === 0) return ['', t('No file was changed in this session.')];
    return [paint('dim', t('{count change|changes}, {lines}', { count: changes.length, lines: countText(countChanges(changes)) }))];
  });
};

/** What happened to which file, and how many lines came and went. */
export const changeSummary = (change: FileChange): string => `${changeTitle(change)} ${countText(diffOf(change))}`;

/** The diff of one file, with the numbers of its lines; the part with this index is marked. */
export const changeLines = (change: FileChange, columns: number, selectedPart: number | null = null): string[] => {
  const all = diffOf(change).lines;
  // Of a file that is new or gone nothing is left out before its one part.
  const lines = change.change === 'add' || change.change === 'delete' ? all.filter(({ type }) => type !== 'hunk') : all;
  const digits = Math.max(0, ...lines.map(({ line }) => (line === null ? 0 : String(line).length)));
  let part = -1;
  return lines.map((line) => {
    if (line.type === 'hunk') part += 1;
    if (line.type !== 'hunk' || part !== selectedPart) return diffLine(line, digits, columns);
    return `${paint('accent', `${' '.repeat(Math.max(0, digits - 1))}› `)}${paint('strong', fit(`⋯ ${cleanLine(line.text)}`.trimEnd(), columns - digits - 1))}`;
  });
};

const changeTitle = ({ path, change, movedTo }: FileChange): string =>
  `${t(change)} ${cleanLine(path)}${movedTo === undefined ? '' : ` → ${cleanLine(movedTo)}`}`;

const countText = ({ added, removed }: { added: number; removed: number }): string =>
  `${paint('added', `+${added}`)} ${paint('removed', `−${removed}`)}`;

const diffLine = ({ type, text, line }: DiffLine, digits: number, columns: number): string => {
  const number = `${String(line ?? '').padStart(digits)} `;
  const room = columns - number.length;
  switch (type) {
    case 'add':
      return number + paint('added', fit(`+${cleanLine(text)}`, room));
    case 'remove':
      return number + paint('removed', fit(`-${cleanLine(text)}`, room));
    case 'hunk':
      return number + paint('accent', fit(`⋯ ${cleanLine(text)}`.trimEnd(), room));
    case 'note':
      return number + paint('dim', fit(cleanLine(text), room));
    case 'same':
      return number + fit(` ${cleanLine(text)}`, room);
  }
};
