/** No room on the disk, by a small file system of the daemon's own: nothing ends but what needs the room, and what was accepted is kept. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { createCompanion } from '#test/fixtures/companion.ts';
import { NO_LOSS, tellFigure } from '#test/fixtures/figures.ts';
import { startConversation } from '#test/fixtures/conversation.ts';
import { test } from '#test/fixtures/stage.ts';

const SCRIPT = path.join(import.meta.dirname, '..', 'fixtures', 'hostile-engine-double.ts');
/** A mount that only the process sees which makes it: not every system lets a user have one. */
const MOUNT = ['-rm', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', '/mnt'];
const canMount = spawnSync('/usr/bin/unshare', MOUNT).status === 0;

test.skipIf(!canMount)(
  'an agent that fills the disk: prompts are refused or kept, none runs twice, and all works when there is room',
  async ({ home }) => {
    const startedAt = performance.now();
    const companion = createCompanion(home, { isPortable: false });
    const { root } = companion.paths;
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const custom = [{ name: 'hostile', command: process.execPath, args: [SCRIPT], dialect: 'acp' }];
    const settings = path.join(home.dir, 'settings.json');
    writeFileSync(settings, JSON.stringify({ engines: { byName: {}, custom } }));
    const limited = path.join(home.dir, 'limited');
    const steps = [
      `mount -t tmpfs -o size=16m,mode=700 none '${root}'`,
      `cp '${settings}' '${companion.paths.settingsFile}'`,
      `head -c 14000000 /dev/zero > '${root}/ballast'`,
      `exec '${companion.executable}' daemon`,
    ];
    writeFileSync(limited, `#!/bin/sh\nexec /usr/bin/unshare -rm /bin/sh -c "${steps.join(' && ')}"\n`);
    chmodSync(limited, 0o755);
    const daemon = await companion.startDaemon({ executable: limited });
    const conversation = await startConversation(companion, { engine: 'hostile' });
    await conversation.act('say first');
    await conversation.waitFor(({ turns }) => turns[0]?.status === 'completed');

    const accepted: string[] = [];
    let refusal: { status: number; json: unknown } | null = null;
    for (let count = 0; refusal === null && count < 200; count += 1) {
      const answer = await companion.api.send('POST', `/agent/chat/${conversation.sessionId}/act`, {
        instruction: `say ${'x'.repeat(20_000)} ${count}`,
        projectId: conversation.projectId,
        dbSessionId: conversation.sessionId,
      });
      if (answer.status < 300) accepted.push((answer.json as { requestId: string }).requestId);
      else refusal = answer;
    }
    const status = await companion.api.send('GET', '/api/status');
    rmSync(`/proc/${daemon}/root${root}/ballast`);

    expect(refusal).toMatchObject({ status: 500, json: { code: 'STORE_FAILED', remedy: expect.stringContaining('Free disk space') } });
    expect(accepted.length).toBeGreaterThan(2);
    expect(status.json).toMatchObject({ pid: daemon });

    const view = await conversation.waitFor(({ turns }) => turns.length === accepted.length + 1);
    expect(
      view.turns
        .slice(1)
        .map(({ turnId }) => turnId)
        .toSorted(),
    ).toEqual(accepted.toSorted());
    await conversation.act('say and on');
    await conversation.waitFor(({ turns }) => turns.length > accepted.length + 1 && turns.every(({ status: now }) => now === 'completed'));
    const begun = conversation.events().flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : []));
    tellFigure({
      fault: 'The disk of the daemon is full, until there is room again',
      count: `${accepted.length} prompts accepted, then one refused`,
      ...NO_LOSS,
      lost: accepted.filter((turnId) => !begun.some((each) => each === turnId)).length,
      doubled: begun.length - new Set(begun).size,
      ms: performance.now() - startedAt,
    });
    expect(begun).toHaveLength(new Set(begun).size);
    conversation.close();
    await companion.stopDaemon();
  },
);

test.skipIf(!canMount)('an audit that has filled its disk is whole, and goes on when there is room', () => {
  const script = path.join(import.meta.dirname, '..', 'fixtures', 'on-full-disk.ts');
  const steps = 'mount -t tmpfs -o size=32k none /mnt && exec "$@" /mnt';

  const { stdout } = spawnSync('/usr/bin/unshare', ['-rm', 'sh', '-c', steps, 'sh', process.execPath, script], { encoding: 'utf8' });

  const { refused, entryCount, fault } = JSON.parse(stdout) as Record<string, number | null>;
  expect(refused).toBeGreaterThan(10);
  expect(entryCount).toBe(203 - Number(refused));
  expect(fault).toBeNull();
});
