/** The terminal UI of the built executable while the daemon behind it ends, one way or the other. */
import { describe, expect } from 'vitest';
import { isDaemon } from '#test/fixtures/companion.ts';
import { startConversation } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { test } from '#test/fixtures/stage.ts';
import { openTerminal } from '#test/fixtures/terminal.ts';
import { until } from '#test/fixtures/until.ts';

describe('an open terminal UI', () => {
  test('brings a daemon back that was killed in the middle of a turn, and keeps what is being written', async ({
    home,
    model,
    companion,
  }) => {
    const gate = createGate();
    home.installClaude(model.url);
    model.script('begin', { parts: [{ text: 'Half of ' }, { gate }, { text: 'it.' }] });
    const killed = await companion.startDaemon();
    const conversation = await startConversation(companion);
    await conversation.act('begin');
    using terminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir, columns: 100, rows: 30 });
    await terminal.waitFor('Half of');
    await terminal.waitFor('running');
    terminal.press('i');
    terminal.type('a thought');
    await terminal.waitFor('a thought');

    process.kill(killed, 'SIGKILL');

    const screen = await terminal.waitFor('Interrupted');
    expect(screen).toContain('Half of');
    expect(screen).toContain('a thought');
    expect(screen).not.toMatch(/running|Working/);
    await terminal.waitFor('● live');
    // Of two that were started at once, the one without the place ends by itself.
    await until(() => companion.daemons().length === 1, { what: 'one daemon' });
    expect(companion.daemons()).not.toContain(killed);
    gate.open();
    conversation.close();
  });

  test('leaves a daemon alone that somebody stopped', async ({ home, companion }) => {
    await companion.startDaemon();
    using terminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir, columns: 100, rows: 30 });
    await terminal.waitFor('● live');

    expect(await companion.run(['stop'])).toMatchObject({ code: 0 });

    await terminal.waitFor('The daemon was stopped.');
    await terminal.waitFor('reconnecting');
    await home.waitForProcesses((list) => !list.some(isDaemon));
  });
});
