import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { engine, test } from './stage.ts';

const login = { type: 'log_in', name: 'claude', label: 'Claude Code', shown: 'claude auth login' } as const;

describe('errand', () => {
  test('runs the login that the daemon names, with its environment, looks for the agent and waits for Enter', async ({ stage }) => {
    const note = path.join(stage.folder, 'note');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(note)}, JSON.stringify([process.env.OWN, process.env.PILOTFISH_HOME ?? null, process.env.TERM, process.argv.at(-1)]))`;
    stage.isInteractive = true;
    stage.env['TERM'] = 'xterm-of-the-window';
    stage.errands.set('errand_1', {
      ...login,
      command: process.execPath,
      args: ['-e', script, '--', 'a; $(b)'],
      env: { OWN: 'yes', PATH: '/bin' },
    });
    stage.stdin.write('\n');

    expect(await stage.run('errand', 'errand_1')).toBe(0);

    expect(JSON.parse(readFileSync(note, 'utf8'))).toEqual(['yes', null, 'xterm-of-the-window', 'a; $(b)']);
    expect(stage.calls).toEqual([
      ['connect', false],
      ['refresh', 'claude'],
    ]);
    expect(stage.err).toContain('Claude Code: claude auth login');
    expect(stage.err).toContain('claude: claude 2.1.4 is ready');
    expect(stage.err).toContain('Press Enter to close this window.');
  });

  test('says what is still missing, and ends as failed', async ({ stage }) => {
    stage.isInteractive = true;
    stage.engines = [engine('claude', 'not_logged_in', { fix: 'claude auth login' })];
    stage.errands.set('errand_1', { ...login, command: process.execPath, args: ['-e', ''], env: null });
    stage.errands.set('errand_2', { ...login, command: path.join(stage.folder, 'nowhere'), args: [], env: null });
    stage.stdin.write('\n');

    expect(await stage.run('errand', 'errand_1')).toBe(1);
    stage.stdin.write('\n');
    expect(await stage.run('errand', 'errand_2')).toBe(1);

    expect(stage.err).toContain('is not logged in');
    expect(stage.err).toContain('ENOENT');
  });

  test('does nothing for another id, or without a person at the terminal', async ({ stage }) => {
    const note = path.join(stage.folder, 'note');
    writeFileSync(`${note}.js`, `require('node:fs').writeFileSync(${JSON.stringify(note)}, '')`);
    stage.errands.set('errand_1', { ...login, command: process.execPath, args: [`${note}.js`], env: null });

    expect(await stage.run('errand', 'errand_1')).toBe(2);
    expect(await stage.run('errand')).toBe(2);
    stage.isInteractive = true;
    stage.stdin.write('\n');
    expect(await stage.run('errand', 'errand_2')).toBe(1);

    expect(stage.err).toContain('This window has nothing to do');
    expect(existsSync(note)).toBe(false);
    expect([...stage.errands.keys()]).toEqual(['errand_1']);
  });
});
