/** The names that Pilotfish gives to modes and agents in Chinese, by their codes: the English stands with the codes. */
import type { LabelCode, MODE_DESCRIPTIONS } from '#protocol/modes.ts';

export const labelWords: Readonly<Record<LabelCode | keyof typeof MODE_DESCRIPTIONS, string>> = {
  local_model: '本地模型',
  mode_ask: '询问',
  mode_ask_always: '始终询问',
  mode_ask_changes: '更改时询问',
  mode_edits: '接受修改',
  mode_agent: '智能体',
  mode_auto: '自动',
  mode_chat: '聊天',
  mode_full: '完全访问',
  mode_plan: '规划',
  mode_project: '项目',
  mode_read: '只读',

  asks_before_commands: '修改文件不询问；运行命令前询问。',
  asks_by_cursor_rules: '直接工作，仅在你的 Cursor 规则要求时询问。',
  asks_before_unsafe: '每条未知是否安全的命令之前询问。',
  asks_before_changing_tools: '使用会更改内容的工具之前询问。',
  answers_only: '只回答问题，不做更改。',
  asks_before_tools: '使用每个工具之前询问。',
  asks_before_all: '修改文件或运行命令之前询问。',
  model_decides: '由模型判断何时需要询问你。',
  uses_no_tools: '不使用工具。',
  never_asks_not_root: '从不询问。root 用户无法使用。',
  never_asks: '从不询问。',
  runs_anything: '可在任何位置运行任何内容，从不询问。',
  plans_for_approval: '先查看并规划；批准之前不做更改。',
  plans_only: '查看并规划，不做更改。',
  works_in_project: '在项目文件夹中工作，超出范围时询问。',
  asks_before_any_change: '做任何更改之前询问。',
};
