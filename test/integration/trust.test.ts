/** A project with hooks of its own and the real Claude Code: nothing of it runs before the user agrees. */
import { existsSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { SessionView } from '#protocol/view.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { answerNext, answerOf, isDone, startConversation } from '#test/fixtures/conversation.ts';
import { test } from '#test/fixtures/stage.ts';

const isAsked = (view: SessionView): boolean => view.requests.length > 0;

/** Processes that work in the folder. */
const workersIn = (companion: Companion, folder: string): string[] =>
  companion.home
    .processes()
    .filter(({ pid }) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        // It ended while it was looked at.
        return false;
      }
    })
    .map(({ command }) => command);

describe('a project with hooks', () => {
  test('whose script changed is asked about again, and does not run it', { tags: 'whole' }, async ({ companion, home, model }) => {
    home.installClaude(model.url);
    model.script('hello', { parts: [{ text: 'Hello to you.' }] });
    const rootPath = path.join(home.dir, 'project');
    const canary = path.join(home.dir, 'canary');
    const writeScript = (command: string): void =>
      writeFileSync(path.join(rootPath, 'hook.sh'), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
    mkdirSync(path.join(rootPath, '.claude'), { recursive: true });
    writeScript('true');
    writeFileSync(
      path.join(rootPath, '.claude', 'settings.json'),
      JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: '"$CLAUDE_PROJECT_DIR"/hook.sh' }] }] } }),
    );
    await companion.startDaemon();
    await companion.api.send('POST', '/api/engines/refresh', { name: 'claude' });
    const conversation = await startConversation(companion);
    await conversation.act('hello');
    await conversation.waitFor(isAsked);
    await answerNext(companion, conversation, 'trust');
    await conversation.waitFor(isDone);

    writeScript(`touch ${canary}`);
    await conversation.act('hello');
    const asked = await conversation.waitFor(isAsked);
    const hadCanary = existsSync(canary);
    await answerNext(companion, conversation, 'trust');
    await conversation.waitFor(isDone);

    expect(asked.requests[0]?.request.detail).toContain('hook.sh (changed)');
    expect(hadCanary).toBe(false);
    // So it would have run.
    expect(existsSync(canary)).toBe(true);
    conversation.close();
  });

  test('runs nothing and calls nobody before it is trusted, and asks again when it changed', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    model.script('hello', { parts: [{ text: 'Hello to you.' }] });
    const rootPath = path.join(home.dir, 'project');
    const canary = path.join(home.dir, 'canary');
    const writeHook = (command: string): void =>
      writeFileSync(
        path.join(rootPath, '.claude', 'settings.json'),
        JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] } }),
      );
    mkdirSync(path.join(rootPath, '.claude'), { recursive: true });
    writeHook(`touch ${canary}`);
    await companion.startDaemon();
    await companion.api.send('POST', '/api/engines/refresh', { name: 'claude' });
    const first = await startConversation(companion);

    await first.act('hello');
    const asked = await first.waitFor(isAsked);
    const before = { workers: workersIn(companion, rootPath), calls: model.requests.length, hasCanary: existsSync(canary) };
    await answerNext(companion, first, 'trust');
    const done = await first.waitFor(isDone);
    const listed = await companion.run(['trust', 'list', '--json']);
    writeHook(`touch ${canary}-2`);
    const second = await startConversation(companion);
    await second.act('hello');
    const changed = await second.waitFor(isAsked);
    await answerNext(companion, second, 'deny');
    const denied = await second.waitFor(isDone);
    const revoked = await companion.run(['trust', 'revoke', rootPath]);

    expect(asked.requests[0]?.request).toMatchObject({ kind: 'trust', where: rootPath });
    expect(asked.requests[0]?.request.detail).toContain(`starts: touch ${canary}`);
    expect(before).toEqual({ workers: [], calls: 0, hasCanary: false });
    expect(answerOf(done)).toBe('Hello to you.');
    // So it would have run.
    expect(existsSync(canary)).toBe(true);
    expect(changed.requests[0]?.request.detail).toContain(`touch ${canary}-2`);
    expect(denied.turns[0]?.error?.code).toBe('WORKSPACE_NOT_TRUSTED');
    expect(existsSync(`${canary}-2`)).toBe(false);
    expect(JSON.parse(listed.stdout)).toMatchObject({ projects: [{ path: rootPath, files: ['.claude/settings.json'] }] });
    expect(revoked).toMatchObject({ code: 0, stdout: 'No project is trusted.\n' });
    first.close();
    second.close();
  });
});
