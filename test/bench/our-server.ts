/** Our MCP server as a client has it: the executable over stdio, its daemon, and Chromium as a person has it. */
import path from 'node:path';
import { extensionDir } from '#installer/build.ts';
import { killBrowser, spawnBrowser, writePreferences } from '#test/fixtures/browser.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { answerAll } from '#test/fixtures/conversation.ts';
import { letClientIn, letIn } from '#test/fixtures/mcp-client.ts';
import { until } from '#test/fixtures/until.ts';
import { startTools } from './processes.ts';

export interface OurServer {
  readonly profileDir: string;
  /** Another client; what it gives calls a tool. */
  connect(): Promise<(name: string, args: object) => Promise<string>>;
  /** Somebody allows meanwhile whatever is asked, for the session where that is offered. */
  answering<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export const startOurServer = async (companion: Companion): Promise<OurServer> => {
  const profileDir = path.join(companion.home.dir, 'profile');
  await companion.run(['install', '--user-data-dir', profileDir]);
  writePreferences(profileDir);
  const browser = spawnBrowser({ extensionDir, profileDir, env: companion.env });
  const closers: (() => Promise<void>)[] = [() => killBrowser(browser)];
  await until(() => letIn(companion, 'browser'), { what: 'the browser' });
  return {
    profileDir,
    connect: async () => {
      const tools = await startTools({ file: companion.executable, args: ['mcp'], env: companion.env, cwd: companion.home.dir });
      closers.unshift(tools.close);
      const first = tools.call('browser_tabs', { action: 'list' });
      await Promise.race([first, until(() => letClientIn(companion), { what: 'the question of the client' })]);
      await first;
      return tools.call;
    },
    answering: async (work) => {
      const asked = answerAll(companion, 'allow_session');
      try {
        return await work();
      } finally {
        asked.stop();
      }
    },
    close: async () => {
      for (const close of closers) await close();
    },
  };
};
