/** Every file the session changed, newest change last, as unified diffs. */
import type { SessionView } from '#protocol/view.ts';
import { paint } from '../paint.ts';
import { clean, cleanLine, fit } from '../text.ts';
import { countChanges } from './items.ts';

/** The lines of the diff tab. */
export const diffLines = (session: SessionView | null, columns: number): string[] => {
  const changes = (session?.items ?? []).flatMap(({ body, status }) =>
    body.kind === 'tool' && status !== 'denied' ? (body.changes ?? []) : [],
  );
  if (changes.length === 0) return ['', 'No file was changed in this session.'];
  const counts = changes.map(({ unified }) => countChanges(unified));
  const total = counts.reduce((sum, { added, removed }) => ({ added: sum.added + added, removed: sum.removed + removed }), {
    added: 0,
    removed: 0,
  });
  return [
    paint('dim', `${changes.length} changes, ${paint('added', `+${total.added}`)} ${paint('removed', `−${total.removed}`)}`),
    ...changes.flatMap(({ path, change, unified, movedTo }) => [
      '',
      paint('strong', fit(`${change} ${cleanLine(path)}${movedTo === undefined ? '' : ` → ${cleanLine(movedTo)}`}`, columns)),
      ...clean(unified)
        .trimEnd()
        .split('\n')
        .map((line) => diffLine(line, columns)),
    ]),
  ];
};

const diffLine = (line: string, columns: number): string => {
  const text = fit(line, columns);
  if (/^(\+\+\+|---) /u.test(line)) return paint('dim', text);
  if (line.startsWith('+')) return paint('added', text);
  if (line.startsWith('-')) return paint('removed', text);
  return line.startsWith('@@') ? paint('accent', text) : text;
};
