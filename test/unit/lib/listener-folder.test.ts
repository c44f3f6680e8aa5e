import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { folderInCommandLine, PortListeners } from '#companion/lib/listener-folder.ts';

const PORT = 5173;

const IPV4 = '0100007F';
const IPV6 = '00000000000000000000000001000000';
const ALL_IPV6 = '0'.repeat(32);

/** A folder like /proc, of a machine on which these sockets listen on PORT, each at the address that stands before it; first the socket 77. */
const createProc = (...addresses: readonly string[]) => {
  const proc = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
  onTestFinished(() => rmSync(proc, { recursive: true, force: true }));
  const rows = addresses.map(
    (address, index) =>
      `0: ${address}:1435 00000000:0000 0A 00000000:00000000 00:00000000 00000000 ${process.getuid?.()} 0 ${77 + index} 1\n`,
  );
  mkdirSync(path.join(proc, 'net'));
  for (const [family, length] of [
    ['tcp', IPV4.length],
    ['tcp6', IPV6.length],
  ] as const) {
    const listed = rows.filter((_, index) => addresses[index]?.length === length);
    writeFileSync(path.join(proc, 'net', family), `  sl  local_address rem_address   st\n${listed.join('')}`);
  }
  const begin = (pid: number, sockets: readonly number[]): void => {
    mkdirSync(path.join(proc, `${pid}`, 'fd'), { recursive: true });
    symlinkSync(`/work-of-${pid}`, path.join(proc, `${pid}`, 'cwd'));
    for (const socket of sockets) symlinkSync(`socket:[${socket}]`, path.join(proc, `${pid}`, 'fd', `${socket}`));
  };
  const end = (pid: number): void => rmSync(path.join(proc, `${pid}`), { recursive: true });
  return { listeners: new PortListeners(proc), begin, end };
};

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
  test.for([
    ['127.0.0.1', 'localhost'],
    ['127.0.0.9', '127.0.0.9'],
    ['::1', 'shop.localhost.'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::', '[::1]'],
    ['0.0.0.0', '127.0.0.9'],
    ['127.0.0.1', '0.0.0.0'],
  ] as const)('is told by the folder in which it works (%s for a page of %s)', async ([address, host]) => {
    const server = await listen(address);
    // A machine may have no IPv6.
    if (server === null) return;
    const listeners = new PortListeners();

    expect(await listeners.folderOf(server.port, host)).toBe(process.cwd());
    await server.close();
    expect(await listeners.folderOf(server.port, host)).toBeNull();
  });

  test('is the one of two that a browser reaches, where one listens by IPv4 and the other by IPv6', async () => {
    const { listeners, begin } = createProc(IPV4, IPV6);
    begin(4, [77]);
    begin(5, [78]);

    for (const host of ['127.0.0.1', '0.0.0.0']) expect(await listeners.folderOf(PORT, host), host).toBe('/work-of-4');
    for (const host of ['[::1]', 'localhost', 'shop.localhost']) expect(await listeners.folderOf(PORT, host), host).toBe('/work-of-5');
    expect(await listeners.folderOf(PORT, '127.0.0.9')).toBeNull();
  });

  test('is the one that listens there alone before one that listens everywhere', async () => {
    const { listeners, begin } = createProc(ALL_IPV6, IPV4);
    begin(4, [77]);
    begin(5, [78]);

    expect(await listeners.folderOf(PORT, '127.0.0.1')).toBe('/work-of-5');
    for (const host of ['127.0.0.9', 'localhost']) expect(await listeners.folderOf(PORT, host), host).toBe('/work-of-4');
  });

  test('is not told where only other machines reach it', async () => {
    const outer = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    const server = outer === undefined ? null : await listen(outer.address);
    // A machine may have no other address.
    if (server === null) return;

    expect(await new PortListeners().folderOf(server.port)).toBeNull();
    await server.close();
  });

  test.for([IPV4, IPV6])('is found among processes of which some end meanwhile (%s)', async (address) => {
    const { listeners, begin, end } = createProc(address);
    begin(3, [76]);
    begin(4, [75, 77]);
    begin(5, []);
    begin(6, [78]);

    const found = listeners.folderOf(PORT);
    end(5);

    expect(await found).toBe('/work-of-4');
    expect(await listeners.folderOf(PORT + 1)).toBeNull();
  });

  test('is the process that held the socket before, as long as that still does', async () => {
    const { listeners, begin, end } = createProc(IPV4);
    begin(4, [77]);
    const first = await listeners.folderOf(PORT);
    begin(5, [77]);

    const second = await listeners.folderOf(PORT);
    end(4);
    const third = await listeners.folderOf(PORT);
    end(5);

    expect([first, second, third]).toEqual(['/work-of-4', '/work-of-4', '/work-of-5']);
    expect(await listeners.folderOf(PORT)).toBeNull();
  });

  test('lets others have their turn between two processes', async () => {
    const { listeners, begin } = createProc(IPV4);
    for (let pid = 1; pid <= 40; pid += 1) begin(pid, []);
    const found = listeners.folderOf(PORT);
    let turns = 0;
    let isOver = false;
    const take = (): void => {
      turns += 1;
      if (!isOver) setImmediate(take);
    };
    setImmediate(take);

    expect(await found).toBeNull();
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(20);
  });
});

describe('a command line of Windows', () => {
  test.for([
    [
      String.raw`"C:\Program Files\nodejs\node.exe" "C:\Users\me\shop\node_modules\vite\bin\vite.js" --port 5173`,
      String.raw`C:\Users\me\shop\node_modules\vite\bin`,
    ],
    [String.raw`node  C:/code/shop/server.js`, String.raw`C:\code\shop`],
    [String.raw`"C:\Program Files\nodejs\node.exe" server.js`, null],
    ['', null],
  ] as const)('names the folder of the file that runs: %s', ([line, folder]) => {
    expect(folderInCommandLine(line)).toBe(folder);
  });
});
