/**
 * Takes the pictures of the README anew, from the built executable with a real browser and a real terminal. Wants
 * Debian's xvfb, xterm, imagemagick, chromium and tmux, and `npm test` run once before for the agent.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { launchBrowser } from '#test/fixtures/browser.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { createHome } from '#test/fixtures/home.ts';
import { startMessagesServer } from '#test/fixtures/messages-server.ts';
import { servePages } from '#test/fixtures/page-server.ts';
import { installSystemPackages, PICTURE_NEEDS } from '#test/fixtures/system-packages.ts';
import { openTerminal, type Terminal } from '#test/fixtures/terminal.ts';
import { until } from '#test/fixtures/until.ts';

const DISPLAY = ':87';
const TERMINAL_SIZE = { columns: 128, rows: 40 };
const pictures = path.join(import.meta.dirname, '..', '..', 'docs', 'pictures');
const toolText = /<[^>]*>|High water[^\n]*/;

const page = `<!doctype html><meta charset="utf-8"><title>Tide tables</title>
<style>body{font:17px/1.5 system-ui;margin:3em auto;max-width:34em}td,th{padding:.3em 1.2em .3em 0;text-align:left}</style>
<h1>High water in Brest</h1><p>Heights above chart datum, local time.</p>
<table><tr><th>Day<th>Morning<th>Evening<th>Height<tr><td>Saturday<td>05:12<td>17:38<td>6.9 m<tr><td>Sunday<td>05:54<td>18:19<td>7.1 m<tr><td>Monday<td>06:33<td>18:58<td>7.0 m</table>
<p><button>Show next week</button> <a href="/low">Low water</a></p>`;

const start = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess =>
  spawn(command, args, { env, stdio: 'ignore' });
const shoot = (file: string, window = 'root'): void =>
  void execFileSync('import', ['-display', DISPLAY, '-window', window, path.join(pictures, file)]);

await installSystemPackages((line) => console.log(line), PICTURE_NEEDS);
mkdirSync(pictures, { recursive: true });
const children: ChildProcess[] = [start('Xvfb', [DISPLAY, '-screen', '0', '1180x900x24', '-nolisten', 'tcp'], process.env)];
const home = createHome();
const model = await startMessagesServer();
const pages = await servePages({ '/': page });
const companion = createCompanion(home, { isPortable: false });
const env = { ...home.env, DISPLAY };
const gate = createGate();
let terminal: Terminal | null = null;
try {
  await until(() => {
    execFileSync('xdpyinfo', ['-display', DISPLAY], { stdio: 'ignore' });
    return true;
  });
  home.installClaude(model.url);
  model.script(
    'what is on this page?',
    {
      parts: [
        { thinking: 'The person asks about the page in front of them; a snapshot shows it.' },
        { text: 'Let me look at it.' },
        { tool: 'mcp__pilotfish__browser_snapshot', input: {} },
      ],
    },
    ({ toolText: text }) => ({
      parts: [
        {
          text: toolText.test(text)
            ? 'It is a **tide table for Brest**:\n\n| day | morning | evening | height |\n|---|---|---|---|\n| Saturday | 05:12 | 17:38 | 6.9 m |\n| Sunday | 05:54 | 18:19 | 7.1 m |\n| Monday | 06:33 | 18:58 | 7.0 m |\n\nSunday evening is the highest. Below the table there is a button *Show next week* and a link to low water.'
            : 'I could not read it.',
        },
      ],
    }),
  );
  model.script(
    'write the times to tides.txt',
    {
      parts: [
        { text: 'I will put them into a file.' },
        {
          tool: 'Bash',
          input: { command: "printf 'Sat 05:12 17:38\\nSun 05:54 18:19\\n' > tides.txt", description: 'Write the tide times' },
        },
      ],
    },
    { parts: [{ gate }, { text: 'Done.' }] },
  );
  await companion.run(['install', '--json']);
  const browser = await launchBrowser({
    extensionDir: companion.paths.extensionDir,
    profileDir: path.join(home.dir, '.config', 'chromium'),
    env,
    isHeaded: true,
    args: ['--window-position=0,0', '--window-size=1180,900', '--force-device-scale-factor=1', '--test-type'],
  });
  const tab = browser.context.pages()[0] ?? (await browser.context.newPage());
  await tab.goto(pages.url);
  const panel = await browser.openPanel();
  const text = (): Promise<string> => panel.page.locator('body').innerText();
  await panel.page.getByRole('button', { name: 'Use the default workspace' }).click();
  const composer = panel.page.getByRole('textbox').first();
  await composer.waitFor();
  const send = async (prompt: string): Promise<void> => {
    await composer.fill(prompt);
    await composer.press('Enter');
  };
  await send('what is on this page?');
  await until(async () => (await text()).includes('Sunday evening is the highest'), { timeoutMs: 60_000, what: 'the answer' });
  await send('write the times to tides.txt');
  await until(async () => (await text()).includes('Allow once'), { timeoutMs: 60_000, what: 'the approval card' });
  await panel.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  shoot('panel.png');
  await panel.disconnect();

  terminal = openTerminal([companion.executable], { env: home.env, cwd: home.dir, ...TERMINAL_SIZE });
  await terminal.waitFor('Allow once');
  const geometry = `${TERMINAL_SIZE.columns}x${TERMINAL_SIZE.rows}+0+0`;
  const looks = ['-fa', 'DejaVu Sans Mono', '-fs', '10', '-bg', '#111418', '-fg', '#d5dae0'];
  children.push(start('xterm', ['-geometry', geometry, ...looks, '-title', 'pilotfish', '-e', ...terminal.show], env));
  const windowId = await until(
    () =>
      /0x[0-9a-f]+(?= "pilotfish")/.exec(execFileSync('xwininfo', ['-display', DISPLAY, '-root', '-tree'], { encoding: 'utf8' }))?.[0] ??
      null,
  );
  // All of it is on the screen by now; the window has drawn it when its picture has more than a few colours and no longer changes.
  let last = '';
  await until(
    () => {
      const now = execFileSync('import', ['-display', DISPLAY, '-window', windowId, '-format', '%k %#', 'info:'], { encoding: 'utf8' });
      const isDone = now === last && Number(now.split(' ')[0]) > 30;
      last = now;
      return isDone;
    },
    { timeoutMs: 20_000, what: 'the terminal' },
  );
  shoot('terminal.png', windowId);
  gate.open();
  await browser.close();
} finally {
  terminal?.close();
  for (const child of children.toReversed()) child.kill();
  await companion.stopDaemon();
  await home.remove();
  await pages.close();
  await model.close();
}
