/** What only the user can answer, shown with everything it would do and the keys that answer it. */
import { toDetailParts } from '#display/detail-parts.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { keyedOptions } from '#display/request-options.ts';
import { optionLabel, requestDetail, requestTitle, requestWhere } from '#display/request-text.ts';
import { requestPurpose } from '#display/tool-line.ts';
import type { ViewRequest } from '#protocol/view.ts';
import { paint } from '../paint.ts';
import { say, t } from '../say.ts';
import type { RequestLines } from '../layout.ts';
import type { TuiState } from '../state.ts';
import { clean, cleanLine, fit, width, wrap } from '../text.ts';
import { changeLines } from './diff.ts';
import { pane } from './pane.ts';

/** The request that is answered next. */
export const currentRequest = ({ session }: TuiState): ViewRequest | null => session?.requests[0] ?? null;

/** How many lines the open request would like to have, and how many it needs: what, where, a line of what exactly, and the answers. */
export const requestLines = (state: TuiState, columns: number): RequestLines | null => {
  const request = currentRequest(state);
  if (request === null) return null;
  const { head, detail, foot } = requestParts(state, request, columns);
  const wish = head.length + detail.length + 1 + foot.length;
  return { wish, least: Math.min(wish, head.length + 1 + foot.length) };
};

/** The pane: what exactly is cut in the middle when it is too long, the answers never. */
export const requestView = (state: TuiState, size: { width: number; height: number }): string[] => {
  const request = currentRequest(state);
  if (request === null || state.session === null) return [];
  const { before, foot } = arrange(state, request, size);
  const more = state.session.requests.length - 1;
  const place = state.isExpanded ? detailPlace(state, size) : null;
  const notes = [
    ...(place === null || place.count <= place.room
      ? []
      : [t('{first}–{last} of {count}: PgUp, PgDn', { first: place.top + 1, last: place.top + place.room, count: place.count })]),
    ...(more > 0 ? [t('{count} more', { count: more })] : []),
  ];
  return pane({
    title: paint('warning', say(`request_${request.request.kind}`)),
    note: paint('warning', notes.join(' · ')),
    lines: [...before, ...foot],
    width: size.width,
    height: size.height,
    isFocused: state.focus === 'request',
    isUrgent: true,
  });
};

/** The key of the answer at a place inside the pane. */
export const answerAt = (
  state: TuiState,
  size: { width: number; height: number },
  place: { row: number; column: number },
): string | null => {
  const request = currentRequest(state);
  if (request === null) return null;
  const line = answerRows(request, size.width - 4)[place.row - arrange(state, request, size).before.length] ?? [];
  let start = 1;
  for (const { key, text } of line) {
    const end = start + width(text);
    if (place.column >= start && place.column < end) return key;
    start = end + GAP.length;
  }
  return null;
};

/** How many lines of what exactly is asked there are, how many have room, and which is the first of these in an opened request. */
export const detailPlace = (
  state: TuiState,
  size: { width: number; height: number },
): { top: number; room: number; count: number } | null => {
  const request = currentRequest(state);
  if (request === null) return null;
  const { detail, room } = divide(state, request, size);
  return { top: Math.max(0, Math.min(state.card?.top ?? 0, detail.length - room)), room, count: detail.length };
};

/** The lines of the pane: those before the answers, and the answers. */
const arrange = (state: TuiState, request: ViewRequest, size: { width: number; height: number }): { before: string[]; foot: string[] } => {
  const { head, detail, gap, foot, room } = divide(state, request, size);
  const top = state.isExpanded ? (detailPlace(state, size)?.top ?? 0) : 0;
  const hidden = detail.length - room;
  const shown =
    hidden <= 0 || state.isExpanded
      ? detail.slice(top, top + room)
      : [...detail.slice(0, Math.max(0, room - 1)), paint('warning', ` ${t('… {count} more lines: o shows them', { count: hidden + 1 })}`)];
  return { before: [...head, ...shown.slice(0, room), ...gap], foot };
};

/** What of a request has a place in a pane of this size, and how many lines are left for what exactly is asked. */
const divide = (state: TuiState, request: ViewRequest, size: { width: number; height: number }) => {
  const { head, detail, foot } = requestParts(state, request, size.width - 2);
  const height = size.height - 2;
  // Where it is tight, first the empty line before the answers goes, then where it would happen.
  const gap = head.length + Math.min(1, detail.length) + foot.length < height ? [''] : [];
  const top = head.slice(0, Math.max(1, height - gap.length - foot.length - Math.min(1, detail.length)));
  return { head: top, detail, gap, foot, room: Math.max(0, height - top.length - gap.length - foot.length) };
};

const requestParts = (
  { session, isExpanded }: TuiState,
  opened: ViewRequest,
  columns: number,
): { head: string[]; detail: string[]; foot: string[] } => {
  const { request } = opened;
  const inner = columns - 2;
  const indent = (lines: readonly string[]): string[] => lines.map((line) => ` ${line}`);
  const place = requestWhere(request);
  const where =
    place === undefined ? [] : wrap(t('in {place}', { place: cleanLine(toVisible(place)) }), inner).map((line) => paint('dim', line));
  const purpose = requestPurpose(opened, session?.items ?? []);
  const why =
    purpose === ''
      ? []
      : wrap(t('The agent says: {text}', { text: cleanLine(toVisible(purpose)) }), inner).map((line) => paint('dim', line));
  // A command is often its own title; once is enough.
  const { shown, folded } = requestDetail(request, say);
  const told = [shown, folded].filter((text) => text !== '').join('\n');
  const detail = told === '' || told.trim() === request.title.trim() ? [] : detailLines(told, inner);
  const questions = (request.questions ?? []).flatMap(({ question, options }) => [
    ...wrap(cleanLine(question), inner),
    ...options.map(({ label }) => paint('dim', `  • ${cleanLine(label)}`)),
  ]);
  const title = cleanLine(toVisible(requestTitle(request, say)));
  // What stands whole in an opened detail is not said twice: the detail needs the room.
  const isBelow = isExpanded && detail.length > 0 && (request.detail ?? '').includes(request.title.replace(/…$/u, ''));
  const titleLines = isBelow ? [fit(title, inner)] : wrap(title, inner);
  return {
    head: indent([...titleLines.map((line) => paint('strong', line)), ...where, ...why]),
    detail: indent([...detail, ...questions]),
    foot: indent(answerRows(opened, inner).map((row) => fit(row.map(({ text }) => text).join(GAP), inner))),
  };
};

/** All of what it would do. Signs that hide or turn round a part of a text stand as their code points. */
const detailLines = (detail: string, columns: number): string[] =>
  toDetailParts(toVisible(detail)).flatMap((part) =>
    part.type === 'text'
      ? wrap(clean(part.text), columns).map((line) => paint('accent', line))
      : [
          ...wrap(cleanLine(part.change.path), columns).map((line) => paint('strong', line)),
          ...(part.change.movedTo === undefined ? [] : wrap(`→ ${cleanLine(part.change.movedTo)}`, columns)),
          ...changeLines(part.change, columns),
        ],
  );

/** Between two answers on a line. */
const GAP = '   ';

interface Answer {
  readonly key: string;
  /** The painted key, and what it answers. */
  readonly text: string;
}

/** The answers, as many on a line as fit. */
const answerRows = ({ request }: ViewRequest, columns: number): Answer[][] => {
  const isForm = (request.questions ?? []).length > 0;
  const answers = [
    ...(isForm ? [{ key: 'enter', label: t('Answer') }] : []),
    ...keyedOptions(request.options)
      // Choosing an answer happens in the form; here one can only refuse to answer.
      .filter(({ option }) => !isForm || option.kind === 'reject')
      .map(({ key, option }) => ({ key, label: cleanLine(optionLabel(option, say)) })),
  ].map(({ key, label }) => ({ key, text: `${paint('strong', `[${key}]`)} ${label}` }));
  const rows: Answer[][] = [];
  let used = 0;
  for (const answer of answers) {
    const last = rows.at(-1);
    const size = width(answer.text);
    if (last !== undefined && used + GAP.length + size <= columns) {
      last.push(answer);
      used += GAP.length + size;
    } else {
      rows.push([answer]);
      used = size;
    }
  }
  return rows;
};
