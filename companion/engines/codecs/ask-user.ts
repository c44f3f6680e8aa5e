/** Questions to the user in the form in which Claude Code and its relatives put them. */
import * as z from 'zod';
import { toOption } from '#protocol/answers.ts';
import type { Question, RequestAnswer, RequestBody } from '#protocol/requests.ts';

export const Questions = z.array(
  z.looseObject({
    question: z.string(),
    header: z.string().optional(),
    multiSelect: z.boolean().optional(),
    options: z.array(z.looseObject({ label: z.string(), description: z.string().optional() })),
  }),
);
type Questions = z.infer<typeof Questions>;

/** The card. */
export const toQuestionRequest = (questions: Questions): RequestBody => ({
  kind: 'question',
  ...(questions.length === 1
    ? { title: questions[0]?.question ?? '' }
    : { title: `${questions.length} questions`, saying: { code: 'questions', values: { count: String(questions.length) } } }),
  options: [toOption('answer', 'choice', 'answer_answer'), toOption('reject', 'reject', 'answer_answer_not')],
  questions: questions.map(({ question, header, multiSelect, options }): Question => ({
    question,
    ...(header === undefined ? {} : { header }),
    options: options.map(({ label, description }) => ({ label, ...(description === undefined ? {} : { description }) })),
    isMultiple: multiSelect ?? false,
    isOpen: true,
  })),
});

/** What the user chose for one question. It is a `Map`, because a question may be worded like a property that every object has. */
export const chosenFor = (answers: Readonly<Record<string, readonly string[]>> | undefined, question: string): readonly string[] =>
  answers !== undefined && Object.hasOwn(answers, question) ? (answers[question] ?? []) : [];

/** One text for each question that was answered, by the question. */
export const toAnswerTexts = (answer: RequestAnswer): Map<string, string> =>
  new Map(Object.entries(answer.answers ?? {}).map(([question, chosen]) => [question, chosen.join(', ')]));
