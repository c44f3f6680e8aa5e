/** What a panel has asked for and a terminal window of the person does. */
import * as z from 'zod';
import { VariableName } from './engine-setup.ts';
import { spelled, toVisible } from './foreign-name.ts';

/** The agent's own login. */
const LogInEngine = z.object({
  type: z.literal('log_in'),
  name: z.string(),
  label: z.string(),
  /** The command as a person would type it. */
  shown: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  /** All of its environment but what belongs to the window; null for a command of Pilotfish itself. */
  env: z.record(z.string(), z.string()).nullable(),
});
export type LogInEngine = z.infer<typeof LogInEngine>;

/** A proposal fits into one window of 80 × 24, so that none of it has rolled out of sight when the question stands below it. */
const MAX_ROWS = 10;
/** How much of a value stands in a row there. */
const ROW_COLUMNS = 60;
/** No text that fits is longer. */
const MAX_CHARS = MAX_ROWS * ROW_COLUMNS;

/** What the daemon starts is not looked for in the folder that the person has in mind. */
const Program = z
  .string()
  .min(1)
  .max(MAX_CHARS)
  .regex(/^(?:[^/\\]+|[/~].+|\\\\.+|[A-Za-z]:[\\/].+)$/su, 'must be a name or a whole path');
const Argument = z.string().max(MAX_CHARS);
const Value = z.string().max(MAX_CHARS);

/** Keys are stored as keys, and are in no window that others may see. */
const SECRET_NAME = /(?:key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?|_pat)$/i;
const PlainVariableName = VariableName.refine((name) => !SECRET_NAME.test(name), 'is the name of a key, which is stored as one');

const AddEngine = z.strictObject({
  type: z.literal('add'),
  command: Program,
  args: z.array(Argument),
  env: z.record(PlainVariableName, Value),
});

/** What is absent stays; null takes it away. */
const ChangeEngine = z.strictObject({
  type: z.literal('change'),
  path: Program.nullable().optional(),
  args: z.array(Argument).nullable().optional(),
  env: z.record(PlainVariableName, Value.nullable()).optional(),
});

const RemoveEngine = z.strictObject({ type: z.literal('remove') });

const Change = z.discriminatedUnion('type', [AddEngine, ChangeEngine, RemoveEngine]);

/** A change of what starts an agent, which a panel may propose and only the person makes. */
export const EngineProposal = Change.refine(
  (proposal) => proposal.type === 'remove' || partsOf(proposal).length > 0,
  'must propose something',
)
  .refine(
    (proposal) => partsOf(proposal).reduce((rows, part) => rows + rowsOf(shownPart(part), ROW_COLUMNS).length, 0) <= MAX_ROWS,
    'is more than one window shows: set it by a command in a terminal',
  )
  // No text of it is in a list of the system's, which would end at a NUL.
  .refine((proposal) => partsOf(proposal).every(({ value }) => value?.includes('\0') !== true), 'must not hold a NUL character');
export type EngineProposal = z.infer<typeof EngineProposal>;

export const ProposalInput = z.strictObject({
  change: EngineProposal,
  /** The language in which the window asks. */
  language: z.enum(['en', 'zh']),
});

/** What came of a proposal; `expired` when nobody answered. */
export const ProposalOutcome = z.enum(['done', 'refused', 'expired']);
export type ProposalOutcome = z.infer<typeof ProposalOutcome>;

/** What is set for an agent now. The values of its variables may be secret. */
export const SetNow = z.object({
  program: z.string().nullable(),
  /** The program and first arguments of an agent that the person has added; empty for the others, which are found. */
  ownCommand: z.array(z.string()),
  args: z.array(z.string()),
  envNames: z.array(z.string()),
});
export type SetNow = z.infer<typeof SetNow>;

/** Shows a proposal, and asks for a yes or a no. */
const ConfirmEngine = z.object({
  type: z.literal('confirm_engine'),
  /** Goes with the answer: the id in the window's arguments, which every program can read, answers nothing. */
  answerId: z.string(),
  name: z.string(),
  label: z.string(),
  language: z.enum(['en', 'zh']),
  change: EngineProposal,
  /** Null for an agent that is not there. */
  now: SetNow.nullable(),
});
export type ConfirmEngine = z.infer<typeof ConfirmEngine>;

export const Errand = z.discriminatedUnion('type', [LogInEngine, ConfirmEngine]);
export type Errand = z.infer<typeof Errand>;

export interface ProposalPart {
  readonly what: 'program' | 'argument' | 'variable';
  /** The name of a variable. */
  readonly name?: string;
  /** Null takes the program's path, all arguments or the variable away. */
  readonly value: string | null;
}

/** Everything that would be set, one part after the other. */
export const partsOf = (proposal: z.infer<typeof Change>): ProposalPart[] => {
  if (proposal.type === 'remove') return [];
  const program = proposal.type === 'add' ? proposal.command : proposal.path;
  const { args, env = {} } = proposal;
  const isCleared = proposal.type === 'change' && (args === null || args?.length === 0);
  return [
    ...(program === undefined ? [] : [{ what: 'program', value: program } as const]),
    ...(isCleared ? [{ what: 'argument', value: null } as const] : []),
    ...(args ?? []).map((value) => ({ what: 'argument', value }) as const),
    ...Object.entries(env).map(([name, value]) => ({ what: 'variable', name, value }) as const),
  ];
};

/** A part as it stands in the window; what has no value has words there. */
export const shownPart = ({ name, value }: ProposalPart): string =>
  `${name === undefined ? '' : `${name}=`}${value === null ? '' : asShown(value)}`;

/** A text between quotation marks in which nothing is hidden: every blank but the space has its code, and so its ends are seen. */
export const asShown = (text: string): string => toVisible(JSON.stringify(text.toWellFormed())).replaceAll(/[^\S ]/gu, spelled);

/** The text in rows of so many columns. What is no ASCII counts twice, as much as any terminal gives it. */
export const rowsOf = (text: string, columns: number): string[] => {
  const rows = [''];
  let left = columns;
  for (const sign of text) {
    const width = columnsOf(sign);
    if (width > left) {
      rows.push('');
      left = columns;
    }
    rows[rows.length - 1] += sign;
    left -= width;
  }
  return rows;
};

/** So many columns the text takes at most. */
export const columnsOf = (text: string): number =>
  Array.from(text, (sign) => (sign <= '~' ? 1 : 2)).reduce<number>((sum, width) => sum + width, 0);
