/** What Cursor's agent asks and tells beyond ACP: questions, plans to approve, its todo list, tasks and images that are done. */
import * as z from 'zod';
import { toOption } from '#protocol/answers.ts';
import type { RequestBody } from '#protocol/requests.ts';
import type { AcpQuestion, AcpTodos } from '#companion/engines/acp/spec.ts';
import { chosenFor } from '#companion/engines/codecs/ask-user.ts';

const Ask = z.looseObject({
  title: z.string().nullish(),
  questions: z.array(
    z.looseObject({
      id: z.string(),
      prompt: z.string(),
      options: z.array(z.looseObject({ id: z.string(), label: z.string() })),
      allowMultiple: z.boolean().optional(),
    }),
  ),
});

/** The agent's own title, or one of Pilotfish's. */
const titleOf = (own: string | undefined, english: string, code: string): Pick<RequestBody, 'title' | 'saying'> =>
  own === undefined ? { title: english, saying: { code, values: {} } } : { title: own };

/** `cursor/ask_question`: choices only, there is no field for words of one's own. */
export const askQuestion = (params: unknown): AcpQuestion | null => {
  const parsed = Ask.safeParse(params);
  if (!parsed.success) return null;
  const { title, questions } = parsed.data;
  return {
    request: {
      kind: 'question',
      ...titleOf(title ?? questions[0]?.prompt, 'The agent has a question', 'has_question'),
      options: [toOption('answer', 'choice', 'answer_send'), toOption('skip', 'reject', 'answer_skip')],
      questions: questions.map(({ prompt, options, allowMultiple }) => ({
        question: prompt,
        options: options.map(({ label }) => ({ label })),
        isMultiple: allowMultiple === true,
        isOpen: false,
      })),
    },
    reply: ({ optionId, answers, text }) => {
      if (optionId === 'cancel') return { outcome: { outcome: 'cancelled' } };
      if (optionId !== 'answer') return { outcome: { outcome: 'skipped', reason: text ?? 'The user skipped it.' } };
      return {
        outcome: {
          outcome: 'answered',
          answers: questions.map(({ id, prompt, options }) => ({
            questionId: id,
            selectedOptionIds: options.filter(({ label }) => chosenFor(answers, prompt).includes(label)).map((option) => option.id),
          })),
        },
      };
    },
  };
};

const Plan = z.looseObject({ name: z.string().nullish(), overview: z.string().nullish(), plan: z.string().nullish() });

/** `cursor/create_plan`: a plan the user approves before the work begins. */
export const createPlan = (params: unknown): AcpQuestion | null => {
  const parsed = Plan.safeParse(params);
  if (!parsed.success) return null;
  const { name, overview, plan } = parsed.data;
  return {
    request: {
      kind: 'plan',
      ...titleOf(name ?? undefined, 'The agent has a plan', 'has_plan'),
      detail: [overview, plan].filter((part) => typeof part === 'string').join('\n\n'),
      options: [toOption('accept', 'allow_once', 'answer_approve'), toOption('reject', 'reject', 'answer_reject')],
    },
    reply: ({ optionId, text }) => {
      if (optionId === 'accept') return { outcome: { outcome: 'accepted' } };
      if (optionId === 'cancel') return { outcome: { outcome: 'cancelled' } };
      return { outcome: { outcome: 'rejected', ...(text === undefined ? {} : { reason: text }) } };
    },
  };
};

const Todos = z.looseObject({
  todos: z.array(z.looseObject({ id: z.string(), content: z.string(), status: z.string() })),
  merge: z.boolean().optional(),
});

/** `cursor/update_todos`; a cancelled entry is done with, and shown so. */
export const readTodos = (params: unknown): AcpTodos | null => {
  const parsed = Todos.safeParse(params);
  if (!parsed.success) return null;
  return {
    isMerge: parsed.data.merge === true,
    entries: parsed.data.todos.map(({ id, content, status }) => ({ id, entry: { content, status: toStatus(status) } })),
  };
};

const toStatus = (status: string): 'pending' | 'in_progress' | 'completed' => {
  if (status === 'in_progress' || status === 'pending') return status;
  return status === 'completed' || status === 'cancelled' ? 'completed' : 'pending';
};

const Task = z.looseObject({ description: z.string(), subagentType: z.string().nullish(), durationMs: z.number().nullish() });

/** `cursor/task`: a subagent has done its task. */
export const readTask = (params: unknown): string | null => {
  const parsed = Task.safeParse(params);
  if (!parsed.success) return null;
  const { description, subagentType, durationMs } = parsed.data;
  const seconds = durationMs === null || durationMs === undefined ? '' : ` (${Math.round(durationMs / 1000)} s)`;
  return `${subagentType ?? 'Subagent'}: ${description}${seconds}`;
};

const Image = z.looseObject({ description: z.string().nullish(), filePath: z.string().nullish() });

/** `cursor/generate_image`: an image was made. */
export const readImage = (params: unknown): string | null => {
  const parsed = Image.safeParse(params);
  if (!parsed.success) return null;
  return ['Made an image', parsed.data.description, parsed.data.filePath].filter((part) => typeof part === 'string').join(': ');
};
