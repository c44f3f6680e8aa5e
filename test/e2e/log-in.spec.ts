/** An agent is logged in by one press in the real options page: a terminal window opens in which its own login runs. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { InstallReport } from '#protocol/setup.ts';
import { EXTENSION_ORIGIN } from '#protocol/version.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { test } from '#test/fixtures/stage.ts';
import { openTerminal } from '#test/fixtures/terminal.ts';
import { until } from '#test/fixtures/until.ts';

/** Programs of the person: a terminal that only notes what it is to run, and an agent that is not logged in before its login has run. */
const placePrograms = (home: string): void => {
  const bin = path.join(home, 'bin');
  mkdirSync(bin);
  const place = (name: string, script: string): void => {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(bin, name), 0o755);
  };
  writeFileSync(path.join(home, '.bash_profile'), 'export PATH="$HOME/bin:$PATH" DISPLAY=:nowhere OF_THE_PROFILE=yes\n');
  place(
    'xdg-terminal-exec',
    `for word in "$@"; do printf '%s\\n' "$word"; done > "$HOME/window.part"; mv "$HOME/window.part" "$HOME/window"`,
  );
  place(
    'auggie',
    [
      'case "$*" in',
      '  --version) echo "9.9.9";;',
      '  login) printf "%s\\n" "logs in here, with ${OF_THE_PROFILE:-nothing else}"; read -r answer; echo "$answer" > "$HOME/logged-in";;',
      '  *) echo "Authentication required: not logged in" >&2; exit 1;;',
      'esac',
    ].join('\n'),
  );
};

describe('the login of an agent', () => {
  test('runs in a terminal window after one press on the options page', { tags: 'whole' }, async ({ home, launch }) => {
    placePrograms(home.dir);
    const companion = createCompanion(home, { isPortable: false });
    const installed = await companion.run(['install', '--json']);
    const { extension } = JSON.parse(installed.stdout) as InstallReport;
    const browser = await launch({ extensionDir: extension.path, profileDir: path.join(home.dir, '.config', 'chromium') });
    const options = await browser.context.newPage();
    await options.goto(`${EXTENSION_ORIGIN}/options.html#agents`);
    const agent = options.locator('#agents .list-item', { hasText: 'Auggie' });
    await agent.getByText('Not logged in').waitFor();
    await agent.click();
    // What a script presses opens nothing.
    await options
      .locator('#agents')
      .getByRole('button', { name: 'Log in' })
      .evaluate((button: HTMLElement) => button.click());
    await options.locator('#agents').getByRole('button', { name: 'Log in' }).click();
    await options.getByText('A terminal window is open').waitFor();
    await until(() => existsSync(path.join(home.dir, 'window')), { what: 'the terminal window' });
    const command = readFileSync(path.join(home.dir, 'window'), 'utf8').trimEnd().split('\n');

    using window = openTerminal(command, { env: { ...companion.env, DISPLAY: ':9' }, cwd: home.dir });
    await window.waitFor('logs in here, with nothing else');
    expect(window.screen()).toContain('auggie login');
    window.type('me');
    window.press('Enter');
    await window.waitFor('Press Enter to close this window.');

    expect(readFileSync(path.join(home.dir, 'logged-in'), 'utf8')).toBe('me\n');
    expect(window.screen()).toContain('is not logged in');
    using second = openTerminal(command, { env: companion.env, cwd: home.dir });
    await second.waitFor('This window has nothing to do');
    await browser.close();
    await companion.stopDaemon();
  });
});
