/** The audit: each decision about a browser tool and each act of a person, in a log whose entries are chained by hash. */
import * as z from 'zod';
import { SessionId } from './ids.ts';
import { SaidSchema } from './said-schema.ts';
import { changeSaid, type Said } from './said.ts';

/** What is recorded, in English. */
const Recorded = z.object({
  /**
   * decision: a call was allowed or denied · outcome: how an allowed call ended · act: a person changed or answered something ·
   * grant: a yes that lasts · damage: the audit itself was found changed.
   */
  kind: z.enum(['decision', 'outcome', 'act', 'grant', 'damage']),
  /** The agent of a session, or the door by which a person came: the browser of a panel, the process at the private socket. */
  by: z.string(),
  /** The tool, or the route with its address. */
  what: z.string(),
  sessionId: SessionId.optional(),
  /** Of a decision and an outcome. */
  callId: z.string().optional(),
  /** Where it acts. */
  origin: z.string().nullable().optional(),
  toolClass: z.string().optional(),
  /** What it acts on there, by the name that the page gives to it. */
  element: z.string().optional(),
  /** SHA-256 of the call's arguments as JSON: they may hold secrets. */
  argsHash: z.string().optional(),
  /** The rule that decided, the option that was chosen, the status of the answer. */
  result: z.string(),
  /** Of an outcome: from the decision on, so without the time in which a person decided. */
  durationMs: z.number().optional(),
  /** Of an outcome: what went to the agent, texts in UTF-8 and pictures in base64. Entries from before it was kept have none. */
  answerBytes: z.number().optional(),
});
type Recorded = z.infer<typeof Recorded>;

/** What in a record are Pilotfish's own words: a front end says them in its language, and shows all else as it is. */
const RecordSays = z.object({ by: SaidSchema.optional(), what: SaidSchema.optional(), result: SaidSchema.optional() });

/** What is to be recorded. */
export type AuditRecord = Omit<Recorded, 'by' | 'what' | 'result'> & {
  readonly by: Said | string;
  readonly what: Said | string;
  readonly result: Said | string;
};

/** A record as it is kept, with `clean` texts. */
export const toKept = (
  { by, what, result, element, ...record }: AuditRecord,
  clean: (text: string) => string = (text) => text,
): Omit<AuditEntry, 'hash' | 'seq' | 'at'> => {
  const textOf = (told: Said | string): string => clean(typeof told === 'string' ? told : told.text);
  const saysOf = (told: Said | string): Said | undefined => (typeof told === 'string' ? undefined : changeSaid(told, clean));
  return {
    ...record,
    by: textOf(by),
    what: textOf(what),
    ...(element === undefined ? {} : { element: clean(element) }),
    result: textOf(result),
    says: { by: saysOf(by), what: saysOf(what), result: saysOf(result) },
  };
};

/** A record in its place: `hash` covers the entry before it and everything in this one. */
export const AuditEntry = z.object({
  hash: z.string(),
  seq: z.number(),
  at: z.string(),
  ...Recorded.shape,
  says: RecordSays.optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Calls of browser tools as the audit has them, in the order of time: what was decided about each, and how it ended. */
export const CallPage = z.object({
  entries: z.array(AuditEntry),
  /** The `cursor` of those before these; absent when there are none. */
  next: z.number().optional(),
});
export type CallPage = z.infer<typeof CallPage>;

/** Which of them are wanted. */
export const CallQuery = z.object({
  sessionId: SessionId.optional(),
  last: z.coerce.number().int().min(1).max(1000).default(200),
  cursor: z.coerce.number().int().min(1).optional(),
  after: z.coerce.number().int().min(0).optional(),
});
export type CallQuery = z.infer<typeof CallQuery>;

/** The end of the audit, and whether it is whole. */
export const AuditReport = z.object({
  entries: z.array(AuditEntry),
  entryCount: z.number(),
  /** What was changed, removed or put in, null when nothing was. */
  fault: z.string().nullable(),
  /** The same for a front end to say in its language. */
  says: SaidSchema.optional(),
  /** The `cursor` of the entries before these; absent when there are none. */
  next: z.number().optional(),
});
export type AuditReport = z.infer<typeof AuditReport>;

/** How many entries a front end shows; `pilotfish logs --audit` has them all. */
export const SHOWN_ENTRIES = 200;
