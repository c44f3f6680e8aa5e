/** The texts of the conversation: its requests, its errors, and what one can do with a message. */
import type { Texts } from '#display/words.ts';

export const conversationTexts = {
  other_version: [
    'The extension and the Pilotfish program differ in version. Run `pilotfish install`, then reload the extension at chrome://extensions.',
    '扩展与 Pilotfish 程序的版本不同。请运行 `pilotfish install`，然后在 chrome://extensions 重新加载扩展。',
  ],
  mend_log_in: ['Log in', '登录'],
  mend_choose_model: ['Choose model', '选择模型'],
  mend_new_session: ['New session', '新会话'],
  mend_raise_limit: ['Session settings', '会话设置'],
  mend_set_up: ['Set up agents', '设置智能体'],
  mend_edit: ['Edit and send again', '编辑后重新发送'],
  mend_retry: ['Retry', '重试'],
  copy_message: ['Copy this message', '复制此消息'],
  fork_here: ['Fork from here', '从此处分叉'],
  enlarge: ['Show {name} larger', '放大显示 {name}'],
  open_in_editor: ['Open in the editor', '在编辑器中打开'],
  revert_file: ['Revert', '还原'],
  revert_sure: ['Revert the whole file?', '还原整个文件？'],
  reverted: ['Reverted to where the session began.', '已还原到会话开始时的状态。'],
  undo: ['Undo', '撤销'],
  queue_place: ['1 of {count}', '第 1 个，共 {count} 个'],
  more_answers: ['More answers', '更多选择'],
  reach_request: ['Esc leads here', '按 Esc 到此处'],
} as const satisfies Texts;
