/** The words of a window that the panel has opened, English and Chinese side by side. */
import { type Texts, words } from '#display/words.ts';

export const errandWords = {
  aside: words.aside,
  close: ['Press Enter to close this window. ', '按 Enter 关闭此窗口。'],
  add: [
    'The panel asks to add an agent, which Pilotfish starts with all your rights:',
    '面板请求添加智能体。Pilotfish 将以你的全部权限启动：',
  ],
  change: [
    'The panel asks to change how this agent is started, with all your rights:',
    '面板请求更改此智能体的启动方式（它拥有你的全部权限）：',
  ],
  remove: ['The panel asks to remove this agent, with its settings and keys:', '面板请求移除此智能体及其设置和密钥：'],
  agent: ['Agent', '智能体'],
  program: ['Program', '程序'],
  argument: ['Argument {number}', '参数 {number}'],
  arguments: ['Arguments', '参数'],
  own_args: ['{what} first, as before', '首先是 {what}，与之前相同'],
  variable: ['Variable', '环境变量'],
  taken_away: ['is taken away', '将被移除'],
  none: ['no further ones', '无其他参数'],
  found: ['the one that is found by itself', '自动找到的程序'],
  instead_of: ['instead of {what}', '替换 {what}'],
  new_values: ['instead of the values that are set now: {names}', '替换当前的值：{names}'],
  rest_stays: ['Everything else stays as it is.', '其他设置保持不变。'],
  question: [
    'If you asked for this just now, type yes and press Enter; Enter alone refuses.',
    '如果这是你刚才的请求，请输入 yes 并按 Enter；直接按 Enter 即拒绝。',
  ],
  usual: ['[no] ', '[no] '],
  done: ['It is set.', '已设置。'],
  refused: ['Nothing was changed.', '未做任何更改。'],
  ended: ['This is not asked any more. Nothing was changed.', '此请求已取消或已过期，未做任何更改。'],
} as const satisfies Texts;
