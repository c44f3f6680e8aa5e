import { describe, expect, test } from 'vitest';
import { toPermissionRequest } from '#companion/engines/acp/permission.ts';
import { toRequest } from '#companion/engines/claude/permissions.ts';
import { approvals } from '#companion/engines/codex/approvals.ts';
import { requestSentence } from '#display/request-text.ts';
import { inLanguage, words } from '#display/words.ts';
import type { ItemBody, ToolKind } from '#protocol/items.ts';
import type { RequestBody } from '#protocol/requests.ts';

const english = inLanguage(words, 'en');
const chinese = inLanguage(words, 'zh-CN');

const ofClaude = (tool: string, input: Record<string, unknown>): RequestBody =>
  toRequest({ subtype: 'can_use_tool', tool_name: tool, tool_use_id: 't', input }, '/project');

const ofCodex = (method: string, params: object): RequestBody => {
  const approval = approvals.get(`item/${method}`)?.({ itemId: 'i', cwd: '/project', reason: null, ...params }, () => undefined);
  if (approval === null || approval === undefined) throw new Error(`${method} is not understood`);
  return approval.request;
};

const ofAcp = (toolKind: ToolKind | null, tool = 'save_memory'): RequestBody => {
  const item: ItemBody | undefined = toolKind === null ? undefined : { kind: 'tool', tool, toolKind, title: tool, text: '' };
  return toPermissionRequest({ sessionId: 's', toolCall: { toolCallId: 't' }, options: [] }, item, '/project');
};

describe('the sentence of a card', () => {
  test.for([
    [ofClaude('Edit', { file_path: '/project/a.ts', old_string: 'a', new_string: 'b' }), 'Change a.ts', '修改 a.ts'],
    [ofClaude('Write', { file_path: '/project/a.ts', content: '' }), 'Write a.ts', '写入 a.ts'],
    [ofClaude('Read', { file_path: '/etc/hosts' }), 'Read /etc/hosts', '读取 /etc/hosts'],
    [ofClaude('KillShell', { shell_id: '1' }), 'Stop a command in the background', '停止后台命令'],
    [ofClaude('CronCreate', {}), 'Use the tool “CronCreate”', '使用工具“CronCreate”'],
    [ofClaude('Bash', { command: 'ls' }), 'Run this command', '运行此命令'],
    [ofClaude('mcp__notes__add', {}), 'Use the tool “add” of “notes”', '使用“notes”的工具“add”'],
    [ofCodex('commandExecution/requestApproval', { command: 'ls' }), 'Run a command', '运行命令'],
    [
      ofCodex('commandExecution/requestApproval', { command: 'ls', networkApprovalContext: { host: 'a.example' } }),
      'Reach a.example from a command',
      '在命令中访问 a.example',
    ],
    [ofCodex('fileChange/requestApproval', {}), 'Change files', '修改文件'],
    [ofCodex('permissions/requestApproval', { permissions: {} }), 'Give the agent more rights', '给智能体更多权限'],
    [
      ofCodex('tool/requestUserInput', { questions: [] }),
      'The agent asks for a secret, which Pilotfish does not pass on',
      '智能体要求提供机密，Pilotfish 不会转交',
    ],
    [ofAcp('execute'), 'Run a command', '运行命令'],
    [ofAcp('edit'), 'Change files', '修改文件'],
    [ofAcp('fetch'), 'Fetch from the network', '从网络获取'],
    [ofAcp('other', 'read_file'), 'Read a file', '读取 一个文件'],
    [ofAcp('other'), 'Use the tool “save_memory”', '使用工具“save_memory”'],
    [ofAcp(null), 'Use a tool', '使用工具'],
  ] as const)('%s', ([request, inEnglish, inChinese]) => {
    expect([requestSentence(request, english), requestSentence(request, chinese)]).toEqual([inEnglish, inChinese]);
  });
});
