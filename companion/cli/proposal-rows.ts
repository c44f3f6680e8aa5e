/**
 * A proposal as rows of a terminal. What others wrote stands between quotation marks with nothing hidden, and never left of its own column:
 * no text, however long, can pass for another row. Pure.
 */
import { asShown, columnsOf, type ConfirmEngine, partsOf, rowsOf, shownPart, type ProposalPart } from '#protocol/errands.ts';
import { inLanguage, type Say } from '#display/words.ts';
import { errandWords } from './errand-words.ts';

type SayErrand = Say<keyof typeof errandWords>;

/** A label, and the text beside it. */
type Row = readonly [label: string, text: string];

const USUAL_COLUMNS = 80;
const MIN_COLUMNS = 20;
const GAP = '  ';

export const proposalRows = (errand: ConfirmEngine, columns = USUAL_COLUMNS): string[] => {
  const { change, language } = errand;
  const say = inLanguage(errandWords, language);
  const rows = [agentRow(errand, say), ...programRows(errand, say), ...argumentRows(errand, say), ...variableRows(errand, say)];
  const labelColumns = Math.max(...rows.map(([label]) => columnsOf(label)));
  const textColumns = Math.max(MIN_COLUMNS, columns - labelColumns - 2 * GAP.length - 1);
  const drawn = rows.flatMap(([label, text]) =>
    rowsOf(text, textColumns).map((part, index) => {
      const shown = index === 0 ? label : '';
      return `${GAP}${shown}${' '.repeat(labelColumns - columnsOf(shown))}${GAP}${part}`;
    }),
  );
  return [say(change.type), '', ...drawn, ...(change.type === 'change' ? ['', say('rest_stays')] : [])];
};

const agentRow = ({ name, label }: ConfirmEngine, say: SayErrand): Row => [
  say('agent'),
  label === name ? asShown(name) : say('aside', { text: cut(asShown(label)), aside: asShown(name) }),
];

const programRows = ({ change, now }: ConfirmEngine, say: SayErrand): Row[] => {
  if (change.type === 'remove') return now?.program == null ? [] : [[say('program'), cut(asShown(now.program))]];
  const part = partsOf(change).find(({ what }) => what === 'program');
  if (part === undefined) return [];
  const old = now?.program == null ? say('found') : cut(asShown(now.program));
  const [own] = now?.ownCommand ?? [];
  const instead = own === undefined ? say('found') : asShown(own);
  return [
    [say('program'), part.value === null ? cut(instead) : shownPart(part)],
    ...(now === null ? [] : [['', say('instead_of', { what: old })] as const]),
  ];
};

const argumentRows = ({ change, now }: ConfirmEngine, say: SayErrand): Row[] => {
  if (change.type === 'remove') return [];
  const parts = partsOf(change).filter(({ what }) => what === 'argument');
  const rows = parts.map((part, index): Row =>
    part.value === null ? [say('arguments'), say('none')] : [say('argument', { number: index + 1 }), shownPart(part)],
  );
  const [own, old] = [now?.ownCommand.slice(1) ?? [], parts.length === 0 ? [] : (now?.args ?? [])];
  const isStarted = parts.length > 0 || partsOf(change).some(({ what }) => what === 'program');
  return [
    ...(own.length === 0 || !isStarted ? [] : [[say('arguments'), say('own_args', { what: cut(own.map(asShown).join(' ')) })] as const]),
    ...rows,
    ...(old.length === 0 ? [] : [['', say('instead_of', { what: cut(old.map(asShown).join(' ')) })] as const]),
  ];
};

const variableRows = ({ change, now }: ConfirmEngine, say: SayErrand): Row[] => {
  const parts = partsOf(change).filter(({ what }) => what === 'variable');
  const rows = parts.map((part): Row => [
    say('variable'),
    part.value === null ? `${part.name ?? ''} ${say('taken_away')}` : shownPart(part),
  ]);
  const replaced = parts.filter(
    (part): part is ProposalPart & { name: string } => part.value !== null && now?.envNames.includes(part.name ?? '') === true,
  );
  return replaced.length === 0 ? rows : [...rows, ['', say('new_values', { names: cut(replaced.map(({ name }) => name).join(', ')) })]];
};

/** What goes, of which the beginning is enough. */
const cut = (text: string): string => (rowsOf(text, CUT_COLUMNS).length === 1 ? text : `${rowsOf(text, CUT_COLUMNS)[0] ?? ''}…`);

const CUT_COLUMNS = 36;
