/** What a project starts in Chinese, by its codes: the English stands with the codes. */
import type { FINDINGS } from '#protocol/findings.ts';

export const findingWords: Readonly<Record<keyof typeof FINDINGS, string>> = {
  trust_reads: '在此处工作的智能体会读取这些文件。它们可以启动程序、更改数据发送的去向，或不经询问就允许操作：',
  trust_end: '如果不信任它们，就不会在此启动智能体，也不会发送任何内容；你的下一条消息会再次询问。',

  within: '  {line}',
  more_in_file: '  … 还有 {count} 项：请查看文件',
  invalid_json: '它不是有效的 JSON，但智能体仍可能读取它：',
  may_obey: '智能体可能遵循或启动的文件',
  a_program: '一个 {chars} 个字符的程序，智能体启动时运行',
  a_link: '指向 {file} 的链接',

  joined: '{first}{rest}',
  starts: ' 启动：',
  changed: '（已更改）',
  is_new: '（新增）',
  scripts: '使用项目自己的：',
  not_shown: '（不显示）',
  too_deep: '（嵌套过深，无法显示）',
  left_out: ' … {chars} 个字符 … ',
};
