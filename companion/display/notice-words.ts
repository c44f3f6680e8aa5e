/** What Pilotfish says in a conversation in Chinese, by its codes: the English stands with the codes. */
import type { NoticeCode } from '#protocol/notices.ts';

export const noticeWords: Readonly<Record<NoticeCode, string>> = {
  shortened: '对话已缩短，以适应模型的上下文。',
  summarised: '为腾出空间，之前的对话已做摘要。',
  too_long: '对话对模型来说过长：最早的内容已省略。',
  forgotten: '智能体已没有此对话的记录，将在没有记忆的情况下继续。',
  not_resumed: '智能体已没有此对话的记录，将在没有记忆的情况下开始（{reason}）。',
  rerouted: '由 {to} 代替 {from} 回答。',
  not_steered: '消息未送达正在进行的任务（{reason}）；请重新发送。',
  cannot_steer: '此版本的 {program} 不接受在任务进行中追加消息，因此未发送。请更新，或重新发送。',
  model_not_changed: '智能体没有把模型改为 {value}：{reason}',
  mode_not_changed: '智能体没有把模式改为 {value}：{reason}',
  effort_not_changed: '智能体没有把思考强度改为 {value}：{reason}',
  model_refused: '无法更改模型：{reason}',
  mode_refused: '无法更改模式：{reason}',
  effort_refused: '无法更改思考强度：{reason}',
  outside: '智能体想访问 {place}，它在项目之外：已拒绝。',
  no_answer: '智能体结束了任务但没有回答。请检查其模型和登录状态。',
  task_not_stopped: '无法停止该任务：{reason}',
  no_browser: '智能体无法连接浏览器工具：{reason}',
  malformed: '智能体的输出有无法读取的内容：{reason}',
  fewer_tools: '模型可读 {window} 个 token：在 {all} 个浏览器工具中获得 {some} 个。用更大的上下文加载模型即可获得全部。',
  no_tools: '此模型不能使用工具，因此无法看到浏览器就作答。请选择支持工具的模型。',
  no_checkpoint:
    '未能在 {seconds} 秒内保存文件夹的状态：无法回到这次任务之前，之后的任务也一样。可在 settings.json 中用 `checkpointMs` 延长时间。',
  checkpoint_failed: '未能保存文件夹的状态，因此无法回到这次任务之前：{reason}',
  page_reloaded: '更改之后，{host} 已重新加载。',
  page_updated: '更改之后，{host} 已更新，未重新加载。',
  page_unchanged: '更改之后，在 {host} 上选取的内容没有变化。',
  page_broken: '更改之后，{host} 显示构建错误。',
  no_images: '此模型看不到图片：会用文字说明代替。请选择支持视觉的模型。',
};
