/** Cursor's agent, by ACP. The npm package `cursor-agent` is a stranger's: it is never installed, and never looked for by that way. */
import { toMode } from '#protocol/modes.ts';
import { acpEngine } from './acp.ts';
import { anyJson } from './project-traits.ts';
import { askQuestion, createPlan, readImage, readTask, readTodos } from './cursor/extensions.ts';

export const cursor = acpEngine({
  name: 'cursor',
  label: 'Cursor',
  args: ['acp'],
  modes: [
    toMode('agent', 'mode_agent', 'asks_by_cursor_rules'),
    toMode('plan', 'mode_plan', 'plans_only'),
    toMode('ask', 'mode_ask', 'answers_only'),
  ],
  defaultMode: 'agent',
  // It tells neither tokens nor cost.
  capabilities: { hasQuestions: true, hasUsage: false },
  questions: new Map([
    ['cursor/ask_question', askQuestion],
    ['cursor/create_plan', createPlan],
  ]),
  todos: { method: 'cursor/update_todos', read: readTodos },
  notes: new Map([
    ['cursor/task', readTask],
    ['cursor/generate_image', readImage],
  ]),
  // Its documentation names neither files nor terminals of the client's.
  usesServices: false,
  finding: {
    // `agent` is its newer name, and too common a word to be looked for first.
    commands: ['cursor-agent', 'agent'],
    knownPaths: ['~/.local/bin/cursor-agent', '~/.local/bin/agent'],
    versionArgs: ['--version'],
    minVersion: null,
    installCommand: 'curl https://cursor.com/install -fsS | bash',
    // https://cursor.com/docs/cli/installation.md
    installCommandOn: { win32: "irm 'https://cursor.com/install?win32=true' | iex" },
    loginCommand: 'cursor-agent login',
  },
  project: {
    files: {
      '.cursor/mcp.json': anyJson,
      '.cursor/hooks.json': anyJson,
      '.cursor/cli.json': { type: 'json', harmless: ['$schema', 'permissions.deny', 'version'] },
    },
    ownFolders: [{ name: '.cursor' }],
    variables: ['CURSOR_'],
  },
  envAllow: ['CURSOR_API_KEY', 'CURSOR_AUTH_TOKEN'],
  secretNames: ['CURSOR_API_KEY', 'CURSOR_AUTH_TOKEN'],
  launch: ({ secrets }) => ({ env: { ...secrets } }),
});
