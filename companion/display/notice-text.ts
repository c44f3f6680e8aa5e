/** What Pilotfish says in a conversation, in the language of a front end: found by its English, with what stands in it. */
import { isChinese, type SayWord } from './words.ts';

/** English as it stands in the log, and Chinese. `{name}` is what differs, and stays as it came. */
const notices: readonly (readonly [english: string, chinese: string])[] = [
  ['The conversation was shortened to fit the context of the model.', '对话已缩短，以适应模型的上下文。'],
  ['The earlier conversation was summarised to make room.', '为腾出空间，之前的对话已做摘要。'],
  ['The conversation was too long for the model: what came first is left out.', '对话对模型来说过长：最早的内容已省略。'],
  [
    'The agent no longer has this conversation. It goes on without its memory of it.',
    '智能体已没有此对话的记录，将在没有记忆的情况下继续。',
  ],
  [
    'The agent no longer has this conversation and starts without its memory of it ({reason}).',
    '智能体已没有此对话的记录，将在没有记忆的情况下开始（{reason}）。',
  ],
  ['Answered by {to} instead of {from}.', '由 {to} 代替 {from} 回答。'],
  ['The message did not reach the running turn ({reason}); send it again.', '消息未送达正在进行的任务（{reason}）；请重新发送。'],
  [
    'This version of Claude Code takes no further words into a running turn, so they were not sent. Update it, or send them again.',
    '此版本的 Claude Code 不接受在任务进行中追加消息，因此未发送。请更新，或重新发送。',
  ],
  ['The agent did not change its {aspect} to {value}: {reason}', '智能体没有把 {aspect} 改为 {value}：{reason}'],
  ['The agent wanted {place}, which is outside the project: refused.', '智能体想访问 {place}，它在项目之外：已拒绝。'],
  ['The agent ended its turn without an answer. Check its model and its login.', '智能体结束了任务但没有回答。请检查其模型和登录状态。'],
  ['The {what} could not be changed: {reason}', '无法更改 {what}：{reason}'],
  ['The task could not be stopped: {reason}', '无法停止该任务：{reason}'],
  ['The agent could not reach the browser tools: {reason}', '智能体无法连接浏览器工具：{reason}'],
  ['The agent wrote something we cannot read: {reason}', '智能体的输出有无法读取的内容：{reason}'],
  [
    'The model reads {window} tokens: it gets {some} of the {all} browser tools. Load it with a larger context for all.',
    '模型可读 {window} 个 token：在 {all} 个浏览器工具中获得 {some} 个。用更大的上下文加载模型即可获得全部。',
  ],
  [
    'This model cannot use tools, so it answers without seeing the browser. Choose a model with tool support for that.',
    '此模型不能使用工具，因此无法看到浏览器就作答。请选择支持工具的模型。',
  ],
  [
    'This model cannot see images: it gets a note in their place. Choose one with vision for that.',
    '此模型看不到图片：会用文字说明代替。请选择支持视觉的模型。',
  ],
];

/** A text that is not one of ours stays as it is. */
export const noticeText = (text: string, say: SayWord): string => {
  if (!isChinese(say)) return text;
  for (const { pattern, chinese } of patterns) {
    const found = pattern.exec(text);
    if (found !== null) return chinese.replaceAll(/\{(\w+)\}/g, (whole, name: string) => found.groups?.[name] ?? whole);
  }
  return text;
};

const patterns = notices.map(([english, chinese]) => ({
  pattern: new RegExp(
    `^${english
      .split(/\{(\w+)\}/)
      .map((part, index) => (index % 2 === 1 ? `(?<${part}>.+)` : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('')}$`,
    's',
  ),
  chinese,
}));
