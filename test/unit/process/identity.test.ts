import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isSameProcess, killGroup, killRuns, startTimeOf } from '#companion/process/identity.ts';

describe('processes that were noted down', () => {
  test('a running process is recognised, and no longer after its end', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const startTime = startTimeOf(pid) ?? '';

    expect(startTime).not.toBe('');
    expect(isSameProcess(pid, startTime)).toBe(true);

    expect(killGroup(pid)).toBe(true);
    await once(child, 'exit');

    expect(isSameProcess(pid, startTime)).toBe(false);
    expect(killGroup(pid)).toBe(false);
  });

  test('another process with the same id is not mistaken for it', () => {
    expect(isSameProcess(process.pid, `${startTimeOf(process.pid)}0`)).toBe(false);
  });

  test.skipIf(process.platform !== 'linux')('of an unfinished run every process is ended, in whatever group, its leader gone', async () => {
    const start = async (mark: string): Promise<number> => {
      // Three that outlive the one that started them: of its group, of a session of its own, and of a double fork.
      const script = 'sleep 600 & setsid sleep 600 & (setsid sh -c "sleep 600 & sleep 600" &) ; echo $$';
      const leader = spawn('/bin/sh', ['-c', script], {
        env: { PATH: '/usr/bin:/bin', PILOTFISH_RUN: mark },
        detached: true,
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      await once(leader, 'exit');
      return leader.pid ?? 0;
    };
    await start('run_dead.5e1f');
    await start('run_other.5e1f');
    await expect.poll(() => [marked('run_dead.5e1f').length, marked('run_other.5e1f').length]).toEqual([5, 5]);

    const killed = killRuns(['run_dead', 'run_gone']);

    expect(killed).toHaveLength(5);
    await expect.poll(() => marked('run_dead.5e1f')).toEqual([]);
    expect(marked('run_other.5e1f')).toHaveLength(5);
    expect(killRuns(['run_other'])).toHaveLength(5);
    // The kernel takes its time to clear away what was killed.
    await expect.poll(() => killRuns(['run_dead', 'run_other'])).toEqual([]);
  });
});

const marked = (mark: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`PILOTFISH_RUN=${mark}`);
    } catch {
      return false;
    }
  });
