/** The texts of the conversation: its requests, its errors, and what one can do with a message. */
import type { Texts } from '#display/words.ts';

export const conversationTexts = {
  queue_place: ['1 of {count}', '第 1 个，共 {count} 个'],
  more_answers: ['More answers', '更多选择'],
  reach_request: ['Esc leads here', '按 Esc 到此处'],
} as const satisfies Texts;
