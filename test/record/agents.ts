/** How the real agents are pointed at a scripted model, and which tools their model may call. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { claude } from '#companion/engines/claude.ts';
import { codex } from '#companion/engines/codex.ts';
import type { ProcessEngine } from '#companion/engines/engine.ts';
import { gemini } from '#companion/engines/gemini.ts';
import { opencode } from '#companion/engines/opencode.ts';
import { qwen } from '#companion/engines/qwen.ts';
import { startChatServer } from '#test/fixtures/chat-server.ts';
import { startGeminiServer } from '#test/fixtures/gemini-server.ts';
import { startModelServer, type ModelServer, type Part } from '#test/fixtures/model-server.ts';
import { startResponsesServer } from '#test/fixtures/responses-server.ts';
import type { AgentTools } from './scripts.ts';

export interface Agent {
  readonly engine: ProcessEngine;
  readonly label: string;
  readonly startModel: () => Promise<ModelServer>;
  readonly tools: AgentTools;
  /** Writes the user's own configuration into a fresh home and gives the environment it needs. */
  readonly configure: (home: string, url: string, isLoggedIn: boolean) => Record<string, string>;
}

const tool = (name: string, input: Record<string, unknown>): Part => ({ tool: name, input });
const relative = (file: string): string => path.basename(file);

const write = (file: string, content: string): void => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
};

export const agents: Record<string, Agent> = {
  claude: {
    engine: claude,
    label: 'Claude Code 2.1.329',
    startModel: startModelServer,
    tools: {
      shell: (command) => tool('Bash', { command, description: 'a command' }),
      write: (file, content) => tool('Write', { file_path: file, content }),
      edit: (file, before, after) => tool('Edit', { file_path: file, old_string: before, new_string: after }),
      mcp: (name, input) => tool(`mcp__lab__${name}`, input),
      plan: (entries) => tool('TodoWrite', { todos: entries.map((entry) => ({ ...entry, activeForm: entry.content })) }),
      findMcp: null,
      background: {
        shell: (command) => tool('Bash', { command, description: 'a long command', run_in_background: true }),
        agent: (prompt) => tool('Agent', { description: 'look around', prompt, subagent_type: 'general-purpose' }),
      },
    },
    configure: (_, url, isLoggedIn) => ({ ANTHROPIC_BASE_URL: url, ...(isLoggedIn ? { ANTHROPIC_API_KEY: 'sk-ant-fake' } : {}) }),
  },
  codex: {
    engine: codex,
    label: 'Codex 0.169.0',
    startModel: startResponsesServer,
    tools: {
      shell: (cmd) => tool('exec_command', { cmd }),
      write: (file, content) =>
        tool('apply_patch', {
          patch: `*** Begin Patch\n*** Add File: ${relative(file)}\n${content.replaceAll(/^(?=.)/gm, '+')}*** End Patch\n`,
        }),
      edit: (file, before, after) =>
        tool('apply_patch', {
          patch: `*** Begin Patch\n*** Update File: ${relative(file)}\n@@\n line one\n-${before}\n+${after}\n*** End Patch\n`,
        }),
      mcp: (name, input) => tool(`mcp__lab__${name}`, input),
      plan: (entries) => tool('update_plan', { plan: entries.map(({ content, status }) => ({ step: content, status })) }),
      findMcp: tool('tool_search', { query: 'page screenshot fail', limit: 8 }),
    },
    configure: (home, url, isLoggedIn) => {
      const provider = `model_provider = "fake"\n[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\nrequest_max_retries = 1\nstream_max_retries = 1\nstream_idle_timeout_ms = 20000\n`;
      write(path.join(home, '.codex/config.toml'), `model = "gpt-5.5"\n${isLoggedIn ? provider : ''}`);
      return { FAKE_KEY: 'sk-fake' };
    },
  },
  qwen: {
    engine: qwen,
    label: 'Qwen Code 0.24.4',
    startModel: startChatServer,
    tools: {
      shell: (command) => tool('run_shell_command', { command, description: 'a command', is_background: false }),
      write: (file, content) => tool('write_file', { file_path: file, content }),
      edit: (file, before, after) => tool('edit', { file_path: file, old_string: before, new_string: after }),
      mcp: (name, input) => tool(`mcp__lab__${name}`, input),
      plan: null,
      findMcp: null,
    },
    configure: (home, url, isLoggedIn) => {
      const settings = {
        security: { auth: { selectedType: 'openai' } },
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      };
      write(path.join(home, '.qwen/settings.json'), JSON.stringify(settings));
      return { OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'qwen3-coder-plus', ...(isLoggedIn ? { OPENAI_API_KEY: 'sk-fake' } : {}) };
    },
  },
  gemini: {
    engine: gemini,
    label: 'Gemini CLI 0.61.0',
    startModel: startGeminiServer,
    tools: {
      shell: (command) => tool('run_shell_command', { command, description: 'a command' }),
      write: (file, content) => tool('write_file', { file_path: file, content }),
      edit: (file, before, after) =>
        tool('replace', { file_path: file, old_string: before, new_string: after, instruction: 'edit it', expected_replacements: 1 }),
      mcp: (name, input) => tool(`mcp_lab_${name}`, input),
      plan: null,
      findMcp: null,
    },
    configure: (home, url, isLoggedIn) => {
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      };
      write(path.join(home, '.gemini/settings.json'), JSON.stringify(settings));
      return { GOOGLE_GEMINI_BASE_URL: url, ...(isLoggedIn ? { GEMINI_API_KEY: 'AIzaFake' } : {}) };
    },
  },
  opencode: {
    engine: opencode,
    label: 'opencode 1.18.33',
    startModel: startChatServer,
    tools: {
      shell: (command) => tool('bash', { command, description: 'a command' }),
      write: (filePath, content) => tool('write', { filePath, content }),
      edit: (filePath, oldString, newString) => tool('edit', { filePath, oldString, newString }),
      mcp: (name, input) => tool(`lab_${name}`, input),
      plan: (entries) =>
        tool('todowrite', { todos: entries.map((entry, index) => ({ ...entry, id: String(index + 1), priority: 'medium' })) }),
      findMcp: null,
    },
    configure: (home, url) => {
      const model = { name: 'Fake', tool_call: true, attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } };
      const config = {
        model: 'fake/fake-model',
        small_model: 'fake/fake-model',
        enabled_providers: ['fake'],
        autoupdate: false,
        share: 'disabled',
        provider: {
          fake: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'sk-fake' },
            models: { 'fake-model': { ...model, limit: { context: 200_000, output: 32_000 } } },
          },
        },
      };
      write(path.join(home, '.config/opencode/opencode.json'), JSON.stringify(config));
      return { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' };
    },
  },
};
