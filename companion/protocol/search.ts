/** Search over everything that was ever said or run: what is asked, and what is found. */
import * as z from 'zod';
import { SessionSummary } from './api.ts';
import { ItemId, ProjectId, SessionId, TurnId } from './ids.ts';

/** What an entry is. prompt: the person's · answer: the agent's · notice: what Pilotfish says. */
export const SearchKind = z.enum(['prompt', 'answer', 'thought', 'tool', 'plan', 'notice']);
export type SearchKind = z.infer<typeof SearchKind>;

const time = z
  .string()
  .max(40)
  // Other texts are times for JavaScript too: -1 is a day of the year 2001.
  .refine((text) => /^\d{4}/.test(text) && !Number.isNaN(Date.parse(text)), 'must be a time, such as 2026-01-31 or 2026-01-31T12:00:00Z');

export const MAX_SEARCH_CHARS = 500;

export const SearchQuery = z.object({
  /** Words that an entry must all have. The last is the beginning of a word, unless a space follows it; words in quotes stand together. */
  q: z.string().min(1, 'must not be empty').max(MAX_SEARCH_CHARS, `must have at most ${MAX_SEARCH_CHARS} characters`),
  projectId: ProjectId.optional(),
  engineName: z.string().max(200).optional(),
  sessionId: SessionId.optional(),
  kind: SearchKind.optional(),
  /** The earliest time. */
  since: time.optional(),
  /** The time before which it was. */
  until: time.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(30),
  /** The `next` of the page before. */
  cursor: z
    .string()
    .regex(/^\d{1,16}$/u, 'must be the `next` of an answer')
    .optional(),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

/** Places in a text, from the first character to the one after the last. */
const marks = z.array(z.tuple([z.number(), z.number()]));

/** One line of a text; `marks` is where the words stand. */
export const Snippet = z.object({ text: z.string(), marks });
export type Snippet = z.infer<typeof Snippet>;

/** A session whose name has the words. */
export const TitleHit = z.object({ session: SessionSummary, marks });
export type TitleHit = z.infer<typeof TitleHit>;

/** An entry of a session that has the words. */
export const SearchHit = z.object({
  sessionId: SessionId,
  sessionName: z.string(),
  projectId: ProjectId.nullable(),
  engineName: z.string(),
  /** Absent means no. */
  isArchived: z.boolean().optional(),
  turnId: TurnId,
  itemId: ItemId,
  kind: SearchKind,
  /** Of a tool: the line that says what it did. */
  title: z.string().optional(),
  at: z.string(),
  snippet: Snippet,
});
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchAnswer = z.object({
  /** The newest first; on the first page only. */
  titles: z.array(TitleHit),
  /** The newest first. A page may be short: `next` says whether there is more. */
  hits: z.array(SearchHit),
  next: z.string().nullable(),
  /** Sessions that are still being read in, after an update or a loss of the index; null when all are. */
  indexing: z.object({ done: z.number(), total: z.number() }).nullable(),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;
