/** What `pilotfish doctor` of the built executable finds in a home, and whether it finds nothing any more once its remedies were followed. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Check } from '#protocol/setup.ts';
import { connectBrowserDouble } from '#test/fixtures/browser-double.ts';
import { cliBinDir } from '#test/fixtures/clis.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { test } from '#test/fixtures/stage.ts';

/** What is not there on every machine that runs this test, and its browser. */
const isLeftOut = ({ id }: Check): boolean => /^(?:browser|profile|sandbox|executable|port|command|menu|connected)/u.test(id);

const examine = async (companion: Companion, args: readonly string[] = []): Promise<Check[]> => {
  const { stdout } = await companion.run(['doctor', '--json', ...args]);
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return checks.filter((check) => !isLeftOut(check) && (check.status === 'failed' || check.status === 'warning'));
};

/** A program of the login shell's PATH. */
const program = (companion: Companion, name: string, body: string): string => {
  const file = path.join(companion.home.dir, 'tools', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
};

describe('doctor', () => {
  test(
    'finds nothing any more once each of its remedies was followed as it stands',
    { tags: 'whole' },
    async ({ companion, home, model }) => {
      home.installClaude(model.url);
      writeFileSync(path.join(home.dir, '.bash_profile'), `export PATH="${home.dir}/tools:$PATH"\n`);
      const claude = program(companion, 'claude', "echo '1.0.1 (Claude Code)'");
      // The registry of packages is the one part that is not there.
      program(companion, 'npm', `echo "$*" > "${home.dir}/npm"; ln -sf "${path.join(cliBinDir('claude'), 'claude')}" "${claude}"`);
      await companion.run(['install', '--json']);
      // Nobody is connected, and a slow machine takes longer than a daemon waits for somebody. The program of claude is that of GLM, too.
      companion.writeSettings({ keepAlive: true, engines: { byName: { glm: { isDisabled: true } }, custom: [] } });
      const killed = await companion.startDaemon();
      expect(await companion.run(['roots', 'add', '/usr'])).toMatchObject({ code: 0 });
      process.kill(killed, 'SIGKILL');
      await home.waitForProcesses((list) => list.every(({ pid }) => pid !== killed));
      // A process that ends is out of the list before its socket is closed.
      await expect
        .poll(() =>
          companion.api.send('GET', '/api/status').then(
            () => 'answered',
            () => 'refused',
          ),
        )
        .toBe('refused');
      const audit = path.join(companion.paths.root, 'audit.jsonl');
      writeFileSync(audit, readFileSync(audit, 'utf8').replace('/usr', '/etc'));

      const first = await examine(companion);
      const older = await connectBrowserDouble(companion, { extensionVersion: '0.0.1' });
      const second = await examine(companion);

      const remedyOf = (id: string): string => [...first, ...second].find((check) => check.id === id)?.remedy ?? '';
      expect(first.map(({ id }) => id).toSorted()).toEqual(['audit', 'engine.claude', 'engines', 'socket']);
      // Its remedy is to start what has been started to find it.
      expect(second.map(({ id }) => id).toSorted()).toEqual(['age.double', 'audit', 'engine.claude', 'engines']);
      const [, command = ''] = /^Run: (.*)$/u.exec(remedyOf('engine.claude')) ?? [];
      expect(spawnSync('/bin/bash', ['-lc', command], { env: home.env }).status).toBe(0);
      expect(readFileSync(path.join(home.dir, 'npm'), 'utf8')).toContain('@anthropic-ai/claude-code');
      older.close();
      expect(remedyOf('audit')).toContain(`out of ${companion.paths.root}.`);
      expect((await companion.run(['stop'])).code).toBe(0);
      for (const [name] of remedyOf('audit').matchAll(/audit\.jsonl(?:\.\w+)?/gu)) {
        const file = path.join(companion.paths.root, name);
        if (existsSync(file)) renameSync(file, path.join(home.dir, name));
      }
      expect(remedyOf('age.double')).toContain('`pilotfish install`');
      expect((await companion.run(['install', '--json'])).code).toBe(0);
      await companion.startDaemon();
      const reloaded = await connectBrowserDouble(companion);
      expect(await examine(companion)).toEqual([]);
      reloaded.close();
    },
  );
});
