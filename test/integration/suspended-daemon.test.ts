/** A daemon that was suspended while another one took its place: it writes nothing more and ends, and the sessions go on in the newer one. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { isDaemon } from '#test/fixtures/companion.ts';
import { startConversation } from '#test/fixtures/conversation.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';

const SCRIPT = path.join(import.meta.dirname, '..', 'fixtures', 'hostile-engine-double.ts');

const startsIn = (logFile: string): number => readFileSync(logFile, 'utf8').split('"server.started"').length - 1;

describe.runIf(process.platform !== 'win32')('a suspended daemon', () => {
  test(
    'ends when it wakes up after another one took its place, and the session goes on there',
    { tags: 'whole' },
    async ({ companion, home }) => {
      companion.writeSettings({
        engines: { byName: {}, custom: [{ name: 'hostile', command: process.execPath, args: [SCRIPT], dialect: 'acp' }] },
      });
      const older = await companion.startDaemon();
      const before = await startConversation(companion, { engine: 'hostile' });
      await before.act('say first');
      await before.waitFor(({ turns }) => turns[0]?.status === 'completed');
      before.close();
      // The end of a turn is told before its copies are stored, and one that is suspended while it writes holds the history for itself.
      await companion.api.send('GET', '/api/status');

      process.kill(older, 'SIGSTOP');
      const { pid: newer } = companion.start(['daemon']);
      try {
        // The suspended one is asked several times before its place is taken.
        await until(() => startsIn(companion.paths.daemonLog) === 2, { what: 'the second daemon' });
      } finally {
        process.kill(older, 'SIGCONT');
      }
      await home.waitForProcesses((list) => list.filter(isDaemon).every(({ pid }) => pid === newer));

      const answer = await companion.api.send('POST', `/agent/chat/${before.sessionId}/act`, {
        instruction: 'say second',
        projectId: before.projectId,
        dbSessionId: before.sessionId,
      });
      expect(answer.status).toBeLessThan(300);
      const { json } = await companion.api.send('GET', '/api/status');
      expect(json).toMatchObject({ pid: newer, sessions: [{ id: before.sessionId }] });
      expect(JSON.stringify(json)).not.toContain('damaged');
      expect((await companion.run(['logs'])).stdout).not.toContain('daemon.fault');
    },
  );
});
