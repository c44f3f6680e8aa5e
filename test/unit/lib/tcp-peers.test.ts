import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { loopbackPeerOf } from '#companion/lib/tcp-peers.ts';

describe.skipIf(process.platform !== 'linux')('the other end of a loopback connection', () => {
  test.for([null, process.pid, 1])('is told as the kernel knows it, whichever process is looked at first (%s)', async (likely) => {
    const server = createServer();
    const arrived = new Promise<Socket>((resolve) => server.once('connection', resolve));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const socket = await arrived;

    const found = await loopbackPeerOf(socket, likely);
    const nobody = await loopbackPeerOf({ localPort: (server.address() as AddressInfo).port, remotePort: 1, destroyed: false }, likely);

    expect(found).toEqual({ pid: process.pid, uid: process.getuid?.() });
    expect(nobody).toBeNull();
    client.destroy();
    socket.destroy();
    server.close();
  });

  test('is nobody when the connection ends while it is looked for: its port may be another program’s then', async () => {
    const server = createServer();
    const arrived = new Promise<Socket>((resolve) => server.once('connection', resolve));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const accepted = await arrived;
    const ending = { localPort: accepted.localPort ?? 0, remotePort: accepted.remotePort ?? 0, destroyed: false };

    const looking = loopbackPeerOf(ending, process.pid);
    ending.destroyed = true;

    expect(await looking).toBeNull();
    client.destroy();
    accepted.destroy();
    server.close();
  });
});
