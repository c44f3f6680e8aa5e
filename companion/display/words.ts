/**
 * The words that panel and terminal share, English and Chinese side by side. `{name}` is filled in by the caller;
 * `{count file|files}` is a number with the noun for one or for several.
 */
import { requestWords } from './request-words.ts';
import { toolWords } from './tool-words.ts';
import { fill } from '#protocol/fill.ts';

export type Texts = Readonly<Record<string, readonly [english: string, chinese: string]>>;

export const words = {
  ...requestWords,
  ...toolWords,
  language: ['en', 'zh'],
  labelled: ['{label}: {text}', '{label}：{text}'],
  aside: ['{text} ({aside})', '{text}（{aside}）'],
  time_s: ['{s} s', '{s} 秒'],
  time_min: ['{min} min', '{min} 分钟'],
  time_min_s: ['{min} min {s} s', '{min} 分 {s} 秒'],
  time_h: ['{h} h {min} min', '{h} 小时 {min} 分'],
  you: ['You', '你'],
  thinking: ['Thinking', '思考'],
  thought: ['Thought', '思考过程'],
  plan: ['Plan', '计划'],
  turn_done: ['Done', '完成'],
  turn_stopped: ['Stopped', '已停止'],
  turn_failed: ['Failed', '失败'],
  turn_interrupted: ['Interrupted by a restart', '因重启而中断'],
  turn_interrupted_hint: ['What was written is kept. Send again to go on.', '已写入的内容已保留。再次发送即可继续。'],
  retry_at: ['Try again after {time}.', '请在 {time} 之后再试。'],
  request_permission: ['Permission', '权限'],
  request_question: ['Question', '问题'],
  request_plan: ['Plan to approve', '待批准的计划'],
  plan_missing: ['No plan came with this. What the agent wrote above may be it.', '此请求未附带计划。计划可能就在智能体上文的回复中。'],
  request_consent: ['Browser access', '浏览器访问'],
  request_trust: ['Trust', '信任'],
  deny_why: ['Deny and say why', '拒绝并说明原因'],
  stopping: ['Stopping…', '正在停止…'],
  engine_starting: ['Starting {engine}…', '正在启动 {engine}…'],
  engine_retrying: ['Retrying', '正在重试'],
  retry_in: ['Next try in {time}.', '{time} 后重试。'],
  working: ['Working', '工作中'],
  context: ['{percent}% context', '上下文 {percent}%'],
  tokens: ['{input} tokens in, {output} out', '输入 {input} token，输出 {output}'],
  background_count: ['{count} in the background', '{count} 个在后台运行'],
  in_background: ['In the background', '后台运行中'],
  jump_request: ['Waiting for your answer', '等待你的回答'],
  ready: ['Ready', '可用'],
  not_installed: ['Not installed', '未安装'],
  no_server: ['No model server found', '未找到模型服务器'],
  too_old: ['Too old', '版本过旧'],
  not_logged_in: ['Not logged in', '未登录'],
  engine_failed: ['Does not start', '无法启动'],
  unchecked: ['Not checked yet', '尚未检查'],
  checking: ['Checking…', '正在检查…'],
  danger_confirm: [
    'Nothing will ask you any more: commands, edits and web actions run at once.',
    '将不再询问你：命令、修改和网页操作会立即执行。',
  ],
  danger_on: ['Nothing asks: {mode}', '不再询问：{mode}'],
  default_model: ['Default model', '默认模型'],
  default_mode: ['Default mode', '默认模式'],
  effort: ['Effort', '思考强度'],
  effort_minimal: ['minimal', '极低'],
  effort_low: ['low', '低'],
  effort_medium: ['medium', '中'],
  effort_high: ['high', '高'],
  effort_xhigh: ['extra high', '极高'],
  effort_max: ['max', '最高'],
  model: ['Model', '模型'],
  mode: ['Mode', '模式'],
  session_settings: ['Session settings', '会话设置'],
  no_limit: ['no limit', '不限'],
  max_turns: ['Most answers of the model for one prompt', '每条消息的模型回答次数上限'],
  max_turns_wrong: ['A whole number above 0, or nothing.', '请输入大于 0 的整数，或留空。'],
  max_turn_time: ['Most minutes one turn may take', '单次任务的最长时间（分钟）'],
  max_silence: ['Most minutes the agent may say nothing', '智能体无响应的最长时间（分钟）'],
  minutes_wrong: ['Minutes above 0, such as 10 or 1.5, or nothing.', '请输入大于 0 的分钟数，例如 10 或 1.5，或留空。'],
  usual_limit: ['the usual limit', '默认限制'],
  max_cost: ['Most this session may cost, in US dollars', '此会话的费用上限（美元）'],
  max_tokens: ['Most tokens this session may use', '此会话的 token 上限'],
  max_cost_wrong: ['An amount above 0, such as 2.50, or nothing.', '请输入大于 0 的金额，例如 2.50，或留空。'],
  system_prompt: ['Instructions for the agent', '给智能体的说明'],
  allowed_tools: ['Tools that may run without asking', '无需询问即可运行的工具'],
  allowed_tools_wrong: [
    '“{tool}” is no tool. One looks like Read or Bash(git status:*).',
    '“{tool}”不是工具。格式例如 Read 或 Bash(git status:*)。',
  ],
  max_turns_hint: ['Each round of tool calls takes one.', '每一轮工具调用计一次。'],
  max_cost_hint: ['Counts where the agent tells what it costs.', '仅在智能体报告费用时有效。'],
  system_prompt_hint: ['Told beside its own, in each turn of this session.', '在此会话中附加到智能体自带的说明之后。'],
  allowed_tools_hint: ['One on each line, in this session only.', '每行一个，仅在此会话中有效。'],
  max_tokens_hint: ['All that the model reads and writes, from its cache too.', '模型读写的全部 token，包括缓存。'],
  max_turn_time_hint: ['Your own time to answer does not count.', '不计算等待你回答的时间。'],
  max_silence_hint: ['A turn whose agent says nothing for so long is stopped.', '智能体超过此时间没有响应时会停止任务。'],
  settings_end_tasks: ['A change ends what runs in the background.', '更改设置会结束后台运行的任务。'],
  project_gone: [
    'The project of this session was forgotten. Choose its folder again to go on; what was said stays.',
    '此会话的项目已被移除。请重新选择文件夹以继续；对话内容仍保留。',
  ],
  choose_project_again: ['Choose the project', '选择项目'],
  project_sessions: ['{count session|sessions}', '{count} 个会话'],
  project_messages: ['{count message|messages}', '{count} 条消息'],
  project_working: ['{count} working', '{count} 个工作中'],
  project_used: ['last used {when}', '上次使用 {when}'],
  project_moved: ['Where is the folder of {name} now?', '{name} 的文件夹现在在哪里？'],
  forget_project: ['Forget {name}? Its folder and its sessions stay.', '移除 {name}？其文件夹和会话会保留。'],
  new_session: ['New session', '新会话'],
  delete_confirm: ['Delete “{name}” and its history?', '删除“{name}”及其历史记录？'],
  project: ['Project', '项目'],
  worktree: ['Worktree', '工作树'],
  worktree_merge: ['Merge into {branch}', '合并到 {branch}'],
  worktree_merge_hint: [
    'What is not committed is committed first. With a conflict nothing is done.',
    '先提交未提交的内容；有冲突时不做任何更改。',
  ],
  worktree_keep: ['Keep as a branch', '保留为分支'],
  worktree_discard: ['Discard', '丢弃'],
  worktree_discard_hint: ['The repository still keeps the work, out of sight.', '这些工作仍会保留在仓库中，只是不再显示。'],
  worktree_restore: ['Make the folder again', '重新建立文件夹'],
  worktree_restore_hint: ['after it was removed by hand', '手动删除之后'],
  taken_queue: ['Wait for its end', '等待它结束'],
  taken_worktree: ['Work in a worktree', '在工作树中工作'],
  taken_anyway: ['Go on anyway', '仍然继续'],
  changed_files: ['{count file|files} changed', '{count} 个文件已更改'],
  exit_code: ['exit code {code}', '退出码 {code}'],
  sessions: ['Sessions', '会话'],
  projects: ['Projects', '项目'],
  engines: ['Agents', '智能体'],
  audit_decision: ['Decided', '决定'],
  audit_outcome: ['Ended', '结果'],
  audit_act: ['Done', '操作'],
  audit_grant: ['Allowed for longer', '持续授权'],
  audit_damage: ['Damage', '损坏'],
} as const satisfies Texts;

export type Say<Key> = (key: Key, values?: Readonly<Record<string, string | number>>) => string;

export type WordKey = keyof typeof words;

/** Gives one of the shared texts in the language of its front end. */
export type SayWord = Say<WordKey>;

/** Whether a front end speaks Chinese; every other language reads English. */
export const isChinese = (say: SayWord): boolean => say('language') === 'zh';

/** The texts in the language of a tag such as `zh-CN`; everything that is not Chinese reads English. */
export const inLanguage = <T extends Texts>(texts: T, languageTag: string): Say<keyof T> => {
  const column = /^zh\b/i.test(languageTag) ? 1 : 0;
  return (key, values = {}) => fill(texts[key]?.[column] ?? '', values);
};
