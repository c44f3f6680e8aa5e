/** The terminal UI of the built executable while the daemon behind it ends, one way or the other. */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { isDaemon } from '#test/fixtures/companion.ts';
import { startConversation } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { writeHistory } from '#test/fixtures/history.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { test } from '#test/fixtures/stage.ts';
import { openTerminal } from '#test/fixtures/terminal.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** Milliseconds of processor time the process has used; the kernel counts in hundredths of a second. */
const cpuTimeOf = (pid: number): number => {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /u, '')
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
};

describe('an open terminal UI', () => {
  test(
    'opens a session of ten thousand messages at once, and goes through it page by page',
    { tags: 'whole' },
    async ({ home, companion }) => {
      writeHistory(companion, 5000);
      await companion.startDaemon();
      using terminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir, columns: 200, rows: 60 });
      await terminal.waitFor('answer 5000');
      const pid = await until(() => home.processes().find(({ command }) => command === companion.executable)?.pid ?? null, {
        what: 'the process',
      });
      terminal.press('1', 'Enter');
      await terminal.waitFor('to the end, and follow');
      const before = cpuTimeOf(pid);
      const load = new MachineLoad();

      for (let page = 0; page < 40; page += 1) {
        const shown = terminal.screen();
        terminal.press('PageUp');
        await until(() => terminal.screen() !== shown, { what: 'the page before' });
      }

      expect((cpuTimeOf(pid) - before) / 40).toBeLessThan(load.isQuiet ? 30 : 150);
      terminal.press('g');
      await terminal.waitFor(/question 1\s/u);
      terminal.press('G');
      await terminal.waitFor('answer 5000');
    },
  );

  test('is opened on one session by attach, which without a terminal is a stream', { tags: 'whole' }, async ({ home, companion }) => {
    writeHistory(companion, 2);

    const piped = await companion.run(['attach', 's-long', '--wait']);
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringContaining('The **answer** 2') });
    expect(piped.stderr).toContain('> question 2');
    using terminal = openTerminal([companion.executable, 'attach', 'Long'], { env: companion.env, cwd: home.dir, columns: 80, rows: 24 });
    await terminal.waitFor('answer 2');
    terminal.type('typed at once');
    await terminal.waitFor('typed at once');

    // Together the two keys would be one: alt+S.
    terminal.press('Escape');
    await terminal.waitFor('write a message');
    terminal.press('S');
    terminal.type('question 1');
    await terminal.waitFor(/› prompt +Long +question 1/u);
    terminal.press('Enter');
    await terminal.waitFor('answer 1');

    // What is managed is asked of the daemon, changed there, and shown as it stands then.
    terminal.press(',');
    await terminal.waitFor('Use and limits');
    terminal.press('Down', 'Down', 'Down', 'Enter');
    await terminal.waitFor('Add a folder');
    terminal.press('Enter');
    await terminal.waitFor('Folder:');
    terminal.type('/usr');
    terminal.press('Enter');
    await terminal.waitFor(/› \/usr/u);
    expect(await companion.run(['roots'])).toMatchObject({ stdout: '/usr\n' });
  });

  test('opens in a folder that is no longer there, and a command names what it needs one for', async ({ home, companion }) => {
    const gone = path.join(home.dir, 'gone');
    mkdirSync(gone);
    const within = (...args: string[]): string[] => ['sh', '-c', 'rmdir "$PWD" && exec "$@"', 'sh', companion.executable, ...args];
    using terminal = openTerminal(within(), { env: companion.env, cwd: gone, columns: 80, rows: 24 });
    await terminal.waitFor('● live');
    mkdirSync(gone);
    using command = openTerminal(within('run', '--', 'hello'), { env: companion.env, cwd: gone, columns: 80, rows: 24 });

    await command.waitFor('Go to another folder');
  });

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
    using terminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir, columns: 60, rows: 16 });
    await terminal.waitFor('Half of');
    await terminal.waitFor('running');
    terminal.press('i');
    terminal.type('a thought');
    await terminal.waitFor('a thought');

    const load = new MachineLoad();
    const killedAt = performance.now();
    process.kill(killed, 'SIGKILL');

    const screen = await terminal.waitFor('Interrupted');
    if (load.isQuiet) expect(performance.now() - killedAt).toBeLessThan(2_000);
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

  test('mends an agent by its command in the same terminal, which it takes again', async ({ home, companion, model, skip }) => {
    skip(!isWhole, 'its parts are unit tests: npm run test:whole');
    home.installClaude(model.url);
    await companion.startDaemon();
    using terminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir, columns: 80, rows: 24 });
    await terminal.waitFor('Welcome to Pilotfish');
    terminal.press('Escape');
    await terminal.waitFor('No conversation yet');
    terminal.press('3');
    // Both were checked by now: what is checked later moves in the list, and the cursor with it.
    await terminal.waitFor(/›● Claude Code.*\n.*! GLM +not logged in/u);
    terminal.press('Down');
    await terminal.waitFor(/›! GLM/u);
    terminal.press('Enter');
    await terminal.waitFor('To mend it, press f');
    terminal.press('f');
    await terminal.waitFor('in this terminal?');
    terminal.press('y');
    await terminal.waitFor(/GLM_API_KEY.*:/u);
    // The keys that end the command do not end the terminal UI.
    terminal.press('C-c');
    await terminal.waitFor('Enter leads back to Pilotfish.');
    terminal.press('Enter');
    await terminal.waitFor('● live');
    terminal.press('q');
  });

  test(
    'leaves a daemon alone that somebody stopped, and says so in the language of the person',
    { tags: 'whole' },
    async ({ home, companion }) => {
      await companion.startDaemon();
      const env = { ...companion.env, LANG: 'zh_CN.UTF-8' };
      using terminal = openTerminal([companion.executable], { env, cwd: home.dir, columns: 80, rows: 24 });
      await terminal.waitFor('● 已连接');

      expect(await companion.run(['stop'])).toMatchObject({ code: 0 });

      await terminal.waitFor('后台进程已停止。');
      await terminal.waitFor('正在重新连接');
      await home.waitForProcesses((list) => !list.some(isDaemon));
    },
  );

  test.for(['TERM', 'HUP', 'ABRT', 'KILL'] as const)(
    'leaves the terminal as it was when SIG%s ends it',
    async (signal, { skip, home, companion }) => {
      skip(!isWhole && (signal === 'HUP' || signal === 'ABRT'), 'as by the signals TERM and KILL: npm run test:whole');
      await companion.startDaemon();
      using terminal = openTerminal(['/bin/sh'], { env: companion.env, cwd: home.dir, columns: 80, rows: 24 });
      terminal.type('echo "before: $(stty -g)"');
      terminal.press('Enter');
      const before = /before: (\S+:\S+)/u.exec(await terminal.waitFor(/before: \S+:\S+/u))?.[1] ?? '';
      terminal.type(companion.executable);
      terminal.press('Enter');
      await terminal.waitFor('● live');
      const pid = await until(() => home.processes().find(({ command }) => command === companion.executable)?.pid ?? null, { what: 'it' });

      process.kill(pid, `SIG${signal}`);

      // The screen from before is back, and the shell's own line is edited and shown as ever.
      await terminal.waitFor(`before: ${before}`);
      await until(
        () => {
          terminal.type('echo "after: $(stty -g)"');
          terminal.press('Enter');
          return terminal.screen().includes(`after: ${before}`);
        },
        { what: 'the settings of the terminal' },
      );
    },
  );
});
