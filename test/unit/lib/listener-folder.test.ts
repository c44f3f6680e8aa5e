import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { folderInCommandLine, folderOfListener } from '#companion/lib/listener-folder.ts';

const listen = async (host: string): Promise<{ port: number; close: () => Promise<unknown> } | null> => {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(0, host, () => resolve(true));
  });
  if (!isListening) return null;
  return { port: (server.address() as AddressInfo).port, close: () => new Promise((resolve) => server.close(resolve)) };
};

describe.skipIf(process.platform !== 'linux')('what listens on a port', () => {
  test.for(['127.0.0.1', '127.0.0.9', '::1', '::ffff:127.0.0.1', '::', '0.0.0.0'])(
    'is told by the folder in which it works (%s)',
    async (host) => {
      const server = await listen(host);
      // A machine may have no IPv6.
      if (server === null) return;

      expect(await folderOfListener(server.port)).toBe(process.cwd());
      await server.close();
      expect(await folderOfListener(server.port)).toBeNull();
    },
  );

  test('is not told where only other machines reach it', async () => {
    const outer = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    const server = outer === undefined ? null : await listen(outer.address);
    // A machine may have no other address.
    if (server === null) return;

    expect(await folderOfListener(server.port)).toBeNull();
    await server.close();
  });
});

describe('a command line of Windows', () => {
  test.for([
    [
      String.raw`"C:\Program Files\nodejs\node.exe" "C:\Users\me\shop\node_modules\vite\bin\vite.js" --port 5173`,
      String.raw`C:\Users\me\shop\node_modules\vite\bin`,
    ],
    [String.raw`node  C:/work/shop/server.js`, String.raw`C:\work\shop`],
    [String.raw`"C:\Program Files\nodejs\node.exe" server.js`, null],
    ['', null],
  ] as const)('names the folder of the file that runs: %s', ([line, folder]) => {
    expect(folderInCommandLine(line)).toBe(folder);
  });
});
