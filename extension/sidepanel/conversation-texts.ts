/** The texts of the conversation: its requests, its errors, and what one can do with a message. */
import type { Texts } from '#display/words.ts';

export const conversationTexts = {
  other_version: [
    'The extension and the Pilotfish program differ in version. Run `pilotfish install`, then reload the extension at chrome://extensions.',
    '扩展与 Pilotfish 程序的版本不同。请运行 `pilotfish install`，然后在 chrome://extensions 重新加载扩展。',
  ],
  queue_place: ['1 of {count}', '第 1 个，共 {count} 个'],
  more_answers: ['More answers', '更多选择'],
  reach_request: ['Esc leads here', '按 Esc 到此处'],
} as const satisfies Texts;
