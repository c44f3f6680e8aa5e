/** What only the user can answer: a permission, a question, a plan to approve, consent for the browser, trust in a project. */
import * as z from 'zod';
import { OptionalPermission } from './browser.ts';
import { SaidSchema } from './said-schema.ts';

/** A sentence of Pilotfish's in a form that a front end can say in its own language: which one, and what stands in it. */
export const Saying = z.object({ code: z.string(), values: z.record(z.string(), z.string()) });
export type Saying = z.infer<typeof Saying>;

export const RequestOption = z.object({
  optionId: z.string(),
  label: z.string(),
  kind: z.enum(['allow_once', 'allow_session', 'allow_always', 'reject', 'choice']),
  /** What `label` says. */
  saying: Saying.optional(),
});
export type RequestOption = z.infer<typeof RequestOption>;

export const Question = z.object({
  question: z.string(),
  header: z.string().optional(),
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
  isMultiple: z.boolean(),
  /** Whether an answer in the user's own words is accepted. */
  isOpen: z.boolean(),
});
export type Question = z.infer<typeof Question>;

export const RequestBody = z.object({
  kind: z.enum(['permission', 'question', 'plan', 'consent', 'trust']),
  /** One line: what is wanted, in a person's words. */
  title: z.string(),
  /** What `title` says. */
  saying: Saying.optional(),
  /** What exactly: the command, the diff, the address and element. Plain text. */
  detail: z.string().optional(),
  /** What the lines of `detail` say, one for each. */
  told: z.array(SaidSchema).optional(),
  /** How many lines of `detail` a person needs to decide; the others are there to be looked up. Absent means all. */
  shownLines: z.number().int().optional(),
  /** Where: the working folder or the page's origin. */
  where: z.string().optional(),
  /** Rights that the browser's extension needs for it; its side panel asks the browser for them when the person allows this. */
  permissions: z.array(OptionalPermission).optional(),
  options: z.array(RequestOption),
  questions: z.array(Question).optional(),
});
export type RequestBody = z.infer<typeof RequestBody>;

/** The user's answer: one option; for a question also the chosen or written text for each question, by its text. */
export const RequestAnswer = z.object({
  optionId: z.string().max(10_000),
  /** A reason for a refusal, or the comment on a plan; the agent sees it. */
  text: z.string().max(1_000_000).optional(),
  answers: z.record(z.string().max(10_000), z.array(z.string().max(100_000)).max(1000)).optional(),
});
export type RequestAnswer = z.infer<typeof RequestAnswer>;
