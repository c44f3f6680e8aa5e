/** A new user's first minutes, to the first answer: every action is done as a person does it, counted and printed. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { packages } from '#test/fixtures/packages.ts';
import { findChromium } from '#test/fixtures/system-packages.ts';
import { copySystem, type SystemCopy } from '#test/fixtures/system-copy.ts';
import { openTerminal, type Terminal } from '#test/fixtures/terminal.ts';
import { test as base, type Stage } from '#test/fixtures/stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** The packages may have to be made first. */
const MAKING_MS = 45 * 60_000;
const ROOT = path.join(import.meta.dirname, '..', '..');
const QUESTION = 'what is open in my browser?';

const test = base.extend<{ system: SystemCopy | null }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  system: async ({}, use) => {
    const system = isWhole && process.getuid?.() === 0 ? copySystem() : null;
    await use(system);
    system?.remove();
  },
});

/** What was done, one entry for each action. */
class Actions {
  readonly #done: string[] = [];

  do<T>(what: string, work: () => T): T {
    this.#done.push(what);
    return work();
  }

  get count(): number {
    return this.#done.length;
  }

  print(from: string): void {
    console.log(
      `${this.count} actions from ${from} to the first answer:\n${this.#done.map((what, at) => `  ${at + 1}. ${what}`).join('\n')}`,
    );
  }
}

/** From the terminal that has just opened to the answer in it. */
const askFirst = async (
  actions: Actions,
  terminal: Terminal,
  { home, model, launch }: Pick<Stage, 'home' | 'model' | 'launch'>,
  program: string,
): Promise<void> => {
  model.script(QUESTION, { parts: [{ tool: 'mcp__pilotfish__browser_tabs', input: { action: 'list' } }] }, ({ toolText }) => ({
    parts: [{ text: `You have this open: ${/about:blank|New Tab/iu.exec(toolText)?.[0] ?? toolText}.` }],
  }));
  // It has registered itself, and says what to load.
  await terminal.waitFor('Pilotfish-Extension');
  // The chooser of folders is a window of the browser's own; its option of the command line does what it does.
  const browser = await actions.do('chrome://extensions: Developer mode, Load unpacked, ~/Pilotfish-Extension', () =>
    launch({
      program,
      extensionDir: path.join(home.dir, 'Pilotfish-Extension'),
      profileDir: path.join(home.dir, '.config', 'chromium'),
      isNewcomer: true,
    }),
  );
  await withinASecond(terminal, 'a lets it in');
  actions.do('a: this browser may be connected', () => terminal.press('a'));
  await withinASecond(terminal, /●.*Chromium/u);
  actions.do(`n, Enter, ${QUESTION}, Enter`, () => terminal.press('n'));
  await terminal.waitFor('which agent?');
  terminal.press('Enter');
  await terminal.waitFor('Enter sends');
  terminal.type(QUESTION);
  await terminal.waitFor(QUESTION);
  terminal.press('Enter');
  await terminal.waitFor('You have this open: ');
  await browser.close();
};

/** What a browser does is seen in the terminal at once, on a machine that has nothing else to do. */
const withinASecond = async (terminal: Terminal, text: string | RegExp): Promise<void> => {
  const load = new MachineLoad();
  const startedAt = performance.now();
  await terminal.waitFor(text);
  const tookMs = Math.round(performance.now() - startedAt);
  console.log(`${String(text)} after ${tookMs} ms${load.words()}`);
  if (load.isQuiet) expect(tookMs).toBeLessThan(1_000);
};

describe('a new user', () => {
  test(
    'has the first answer after at most five actions from the Debian package',
    { timeout: MAKING_MS },
    async ({ skip, system, home, model, launch }) => {
      skip(!isWhole, 'belongs to the whole form: npm run test:whole');
      if (system === null) return skip('this needs root, and file systems that can be laid over each other');
      const deb = (await packages()).find('.deb');
      home.installClaude(model.url);
      const actions = new Actions();

      const [command = '', ...args] = system.inside('apt-get', 'install', '-qq', '-y', '--no-install-recommends', deb);
      await actions.do('sudo apt install ./pilotfish.deb', () =>
        promisify(execFile)(command, args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }),
      );
      using terminal = actions.do('Pilotfish in the menu', () =>
        openTerminal(system.inside('/usr/bin/pilotfish'), { env: home.env, cwd: home.dir }),
      );
      await askFirst(actions, terminal, { home, model, launch }, system.wrap(findChromium()));

      actions.print('the Debian package');
      expect(actions.count).toBeLessThanOrEqual(5);
    },
  );

  test('has it after at most six from the clone', { timeout: MAKING_MS }, async ({ skip, home, model, launch }) => {
    skip(!isWhole, 'belongs to the whole form: npm run test:whole');
    home.installClaude(model.url);
    const actions = new Actions();

    actions.do('git clone', () => ROOT);
    // What `npm ci` brings is here already: this test runs on it.
    using terminal = actions.do('npm ci --ignore-scripts && npm start', () =>
      openTerminal(['npm', 'start', '--silent'], { env: { ...home.env, PATH: process.env['PATH'] ?? '' }, cwd: ROOT }),
    );
    await askFirst(actions, terminal, { home, model, launch }, findChromium());

    actions.print('the clone');
    expect(actions.count).toBeLessThanOrEqual(6);
  });
});
