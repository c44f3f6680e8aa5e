import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./orphans-daemon.ts', import.meta.url));

describe.skipIf(process.platform !== 'linux')('children of a process that adopts orphans', () => {
  test('are told of when they end, however late Node hears of it; and what is adopted is reaped', async () => {
    const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    child.stdout.on('data', (part) => (said += String(part)));

    const code = await new Promise((resolve) => child.once('close', resolve));

    expect({ code, ...(JSON.parse(said) as object) }).toEqual({ code: 0, told: 7, isReaped: true, areAdopted: true });
  });
});
