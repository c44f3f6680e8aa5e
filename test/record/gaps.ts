/** What an engine cannot show, scenario by scenario, and why: a recording or a reason, never silence. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

const ownOfClaude = 'only Claude Code has this';
const noTasks = 'its commands and subagents end with the turn that started them';
const untoldTasks = 'tells of what runs in the background only when it has ended';
const silentRetries = 'repeats the request by itself for more than a minute, without a word on stdout';
const afterRefusal = 'ends the turn when the user says no';

/** Reasons by engine and scenario. */
export const gaps: Record<string, Record<string, string>> = {
  codex: {
    'background-agent': ownOfClaude,
    'background-shell': ownOfClaude,
    'background-stop': ownOfClaude,
    'cut-stream': 'repeats the request and shows the answer twice',
    'empty-stream': ownOfClaude,
    'output-limit': ownOfClaude,
    'plan-approval': ownOfClaude,
    'provider-down': 'waits for the network for ever; the runner stops it',
    question: 'its question tool is experimental and off',
    subagent: 'its sub-agents are other threads, of models that are not scripted here',
    'turn-limit': 'has no limit of its own; the runner keeps it',
  },
  qwen: {
    'background-agent': untoldTasks,
    'background-shell': untoldTasks,
    'background-stop': untoldTasks,
    'cut-stream': 'repeats the request and appends the answer again',
    'empty-stream': ownOfClaude,
    'mcp-image': 'tells of images in words only',
    'mcp-unreachable': 'says it on stderr only',
    'output-limit': ownOfClaude,
    plan: 'its todo tool is off',
    'plan-approval': 'writes its plan into no file',
    'shell-denied': afterRefusal,
    subagent: untoldTasks,
    'turn-limit': 'has no limit of its own in ACP; the runner keeps it',
  },
  gemini: {
    'background-agent': noTasks,
    'background-shell': noTasks,
    'background-stop': noTasks,
    'cut-stream': 'does not repeat the request',
    'empty-stream': ownOfClaude,
    'error-429': silentRetries,
    'error-529': silentRetries,
    'error-then-answer': silentRetries,
    'mcp-image': 'tells of images in words only',
    'mcp-unreachable': 'gives no sign',
    'output-limit': ownOfClaude,
    plan: 'keeps its todo list to itself',
    'provider-down': silentRetries,
    'plan-approval': ownOfClaude,
    question: ownOfClaude,
    resume: 'loses a conversation that is resumed within the minute in which it began',
    subagent: ownOfClaude,
    thinking: 'puts a heading of its own before each thought',
    'turn-limit': 'has no limit of its own in ACP; the runner keeps it',
  },
  opencode: {
    'background-agent': noTasks,
    'background-shell': noTasks,
    'background-stop': noTasks,
    'cut-stream': 'repeats the request and appends the answer again',
    'empty-stream': ownOfClaude,
    'error-429': silentRetries,
    'error-529': silentRetries,
    'error-then-answer': silentRetries,
    'mcp-unreachable': 'gives no sign',
    'not-logged-in': 'has free models that need no login',
    'output-limit': ownOfClaude,
    'provider-down': silentRetries,
    'plan-approval': ownOfClaude,
    question: ownOfClaude,
    'shell-denied': afterRefusal,
    subagent: ownOfClaude,
    'turn-limit': 'has no limit of its own in ACP; the runner keeps it',
  },
  auggie: Object.fromEntries(
    readdirSync(path.join(import.meta.dirname, '../transcripts'))
      .filter((scenario) => scenario !== 'not-logged-in')
      .map((scenario) => [scenario, "works with its maker's service only, which cannot be scripted"]),
  ),
};
