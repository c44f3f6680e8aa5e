/** What Qwen Code has beyond ACP: questions to the user, words into a running turn, turns of its own. */
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { cancelled, optionOfKind, selected } from '#companion/engines/acp/permission.ts';
import type { Permission } from '#companion/engines/acp/schema.ts';
import type { AcpQuestion } from '#companion/engines/acp/spec.ts';
import { Questions, toAnswerTexts, toQuestionRequest } from '#companion/engines/codecs/ask-user.ts';

const Asking = z.looseObject({ qwenQuestions: Questions });

/** The permission for a call that only asks something. The answers go beside the outcome, by the number of the question. */
export const askQuestion = (permission: Permission): AcpQuestion | null => {
  const asking = Asking.safeParse(permission.toolCall._meta);
  const [submit, decline] = [optionOfKind(permission, 'allow_once'), optionOfKind(permission, 'reject_once')];
  if (!asking.success || submit === undefined || decline === undefined) return null;
  const { qwenQuestions: questions } = asking.data;
  return {
    request: toQuestionRequest(questions),
    reply: (answer) => {
      if (answer.optionId === 'cancel') return cancelled;
      if (answer.optionId !== 'answer') return selected(decline);
      const texts = toAnswerTexts(answer);
      const answers = questions.flatMap(({ question }, index) => {
        const text = texts.get(question);
        return text === undefined ? [] : [[String(index), text] as const];
      });
      return { ...selected(submit), answers: Object.fromEntries(answers) };
    },
  };
};

/** Links are not read there, so a file is named in words. */
const Link = z.object({ type: z.literal('resource_link'), uri: z.string(), name: z.string() });

/** The answer to `craft/drainMidTurnQueue`: what the user has added to the turn. */
export const midTurnReply = (prompts: readonly (readonly unknown[])[]): object => ({
  items: prompts.map((blocks) => ({ content: blocks.map(inWords) })),
  hasQueuedPrompt: false,
});

const inWords = (block: unknown): unknown => {
  const link = Link.safeParse(block);
  return link.success
    ? { type: 'text', text: `The attached file ${JSON.stringify(link.data.name)} is at ${fileURLToPath(link.data.uri)}` }
    : block;
};

const NEWS = new Set(['background_task_completed', 'background_notification']);
const News = z.looseObject({ content: z.looseObject({ text: z.string() }), _meta: z.looseObject({ source: z.string() }) });

/** That a background task has ended, which comes as if the model had said it; what the model says of it comes after. */
export const newsIn = (update: unknown): string | null => {
  const parsed = News.safeParse(update);
  return parsed.success && NEWS.has(parsed.data._meta.source) ? parsed.data.content.text : null;
};
