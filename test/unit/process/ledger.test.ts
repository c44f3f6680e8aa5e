import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { isSameProcess, killGroup, startTimeOf } from '#companion/process/ledger.ts';

describe('ledger', () => {
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
});
