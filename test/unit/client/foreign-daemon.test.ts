import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { routes } from '#protocol/routes.ts';
import { Transport } from '#companion/client/transport.ts';

const NOBODY = 65_534;
const ANSWERS = `require('node:http').createServer((_, response) => response.end('{}')).listen(process.argv[1], () => console.log())`;

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('a daemon of another user', () => {
  test('is not talked to', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
    chmodSync(folder, 0o777);
    const socket = path.join(folder, 's');
    // Its own home is closed to that user, so the program is started from the root folder.
    const other = spawn(process.execPath, ['-e', ANSWERS, socket], { uid: NOBODY, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => other.stdout.once('data', resolve));
    const transport = new Transport(socket);

    const refusal = await transport.call(routes.health, {}).catch((error: unknown) => error);

    await transport.close();
    other.kill();
    rmSync(folder, { recursive: true, force: true });
    expect(refusal).toMatchObject({ code: 'SOCKET_FOREIGN' });
  });
});
