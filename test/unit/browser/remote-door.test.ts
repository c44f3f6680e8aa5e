/** Both ends of the link over a WebSocket: the daemon's door, and the extension's own code for it. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates, type Server as TlsServer } from 'node:tls';
import { describe, expect, test as base } from 'vitest';
import { WebSocket as RawSocket, type RawData } from 'ws';
import type { Admission } from '#protocol/admission.ts';
import { toErrorBody } from '#protocol/errors.ts';
import { KEY_OFFER_PREFIX, PAIR_OFFER, readRemoteAddress, signedText, type PairingState } from '#protocol/remote.ts';
import { LINK_PROTOCOL, PROTOCOL } from '#protocol/version.ts';
import { Admissions } from '#companion/admission/admissions.ts';
import { Bridge } from '#companion/browser/bridge.ts';
import { Pairing } from '#companion/browser/pairing.ts';
import { RemoteDoor } from '#companion/browser/remote-door.ts';
import { readRemoteKey } from '#companion/browser/remote-key.ts';
import { nullLog } from '#companion/lib/log.ts';
import { openRemoteLink, pair, type RemotePlace } from '#extension/shared/remote.ts';
import { digestOf, makeKeyPair, newNonce, toBrowserKey, type BrowserKey } from '#extension/shared/remote-key.ts';
import { selfSigned } from '#test/fixtures/certificate.ts';
import { until } from '#test/fixtures/until.ts';
import { TOOLS } from './extension-double.ts';

interface Stage {
  readonly address: string;
  readonly pairing: Pairing;
  readonly admissions: Admissions;
  readonly bridge: Bridge;
  readonly keyFile: string;
  passTime(ms: number): void;
  /** Pairs a new browser as two people would who agree. */
  pairOne(): Promise<{ place: RemotePlace; key: BrowserKey; id: string }>;
}

/** Opens what ends TLS in front of the daemon, as a web server on its machine does; its address. */
type Through = (own: { readonly key: string; readonly cert: string }) => Promise<string>;

const test = base.extend<{ stage: Stage; through: Through }>({
  through: async ({ stage }, use) => {
    const known = getCACertificates('default');
    const sockets = new Set<Socket>();
    const keep = (socket: Socket): Socket => {
      sockets.add(socket);
      return socket.on('error', () => {});
    };
    const proxies: TlsServer[] = [];
    await use(async (own) => {
      const proxy = createTlsServer(own, (outer) => {
        const inner = keep(connect(Number(new URL(stage.address).port), '127.0.0.1'));
        keep(outer).pipe(inner).pipe(outer);
      });
      proxies.push(proxy.on('tlsClientError', () => {}));
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      return `wss://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    });
    setDefaultCACertificates(known);
    for (const socket of sockets) socket.destroy();
    for (const proxy of proxies) await new Promise((resolve) => proxy.close(resolve));
  },
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  stage: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-remote-'));
    const keyFile = path.join(folder, 'remote.key');
    const settings = { admissions: {} as Record<string, Admission> };
    const admissions = new Admissions({
      settings: { current: () => settings, change: (change) => Object.assign(settings, change) },
      audit: { add: () => {} },
      log: nullLog,
      now: Date.now,
    });
    let clock = 0;
    // As the real one, it tells parts of milliseconds.
    const pairing = new Pairing(() => (clock += 0.3));
    const bridge = new Bridge({ tools: TOOLS, log: nullLog, waitForBrowserMs: 0 });
    const door = new RemoteDoor({
      bridge,
      pairing,
      paired: admissions,
      key: () => readRemoteKey(keyFile),
      receive: (admission) => ({ meet: () => admission, welcome: () => ({ port: 1, token: 'token' }) }),
      log: nullLog,
    });
    const server = createServer();
    server.on('upgrade', (request, socket, head) => {
      try {
        door.accept(request, socket, head, () => {});
      } catch (error) {
        socket.end(`HTTP/1.1 403 Forbidden\r\npilotfish-code: ${toErrorBody(error).code}\r\nConnection: close\r\n\r\n`);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const pairOne = async (): Promise<{ place: RemotePlace; key: BrowserKey; id: string }> => {
      const key = await toBrowserKey(await makeKeyPair());
      pairing.open(null);
      const place = await pair({ ...asked(address, key), confirm: (code) => agree(pairing, code) });
      const state = await until(() => is(pairing.state(), 'paired'));
      return { place, key, id: state.admissionId };
    };
    await use({ address, pairing, admissions, bridge, keyFile, passTime: (ms) => void (clock += ms), pairOne });
    door.close();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  },
});

const asked = (address: string, key: BrowserKey) => ({ address, key, name: 'Box', signal: new AbortController().signal });

const is = <T extends PairingState['state']>(state: PairingState, wanted: T): Extract<PairingState, { state: T }> | null =>
  state.state === wanted ? (state as Extract<PairingState, { state: T }>) : null;

/** The person finds the code of the browser in the terminal, and says so there. */
const agree = async (pairing: Pairing, code: string): Promise<boolean> => {
  const shown = await until(() => is(pairing.state(), 'asked'));
  expect(shown.code).toBe(code);
  expect(shown.name).toBe('Box');
  pairing.answer(code, true);
  return true;
};

/** Connects without the extension's code; resolves with the code of the refusal, or the open socket. */
const dial = (address: string, offers: string[]): Promise<string | RawSocket> =>
  new Promise((resolve) => {
    const socket = new RawSocket(`${address}/link`, offers);
    const inbox = new Inbox();
    inboxes.set(socket, inbox);
    socket.on('message', (data: RawData) => inbox.take(JSON.parse((data as Buffer).toString()) as Record<string, unknown>));
    socket.on('error', () => {});
    socket.on('open', () => resolve(socket));
    socket.on('unexpected-response', (_, response) => resolve(String(response.headers['pilotfish-code'] ?? response.statusCode)));
  });

/** What a socket has said and nobody has heard yet; the first message may come with the opening. */
class Inbox {
  readonly #messages: Record<string, unknown>[] = [];
  take(message: Record<string, unknown>): void {
    this.#messages.push(message);
  }
  next(): Promise<Record<string, unknown>> {
    return until(() => this.#messages.shift());
  }
}

const inboxes = new WeakMap<RawSocket, Inbox>();

const heard = (socket: RawSocket): Promise<Record<string, unknown>> => inboxes.get(socket)?.next() ?? Promise.reject(new Error('no inbox'));

const hello = (socket: WebSocket): void =>
  socket.send(
    JSON.stringify({
      type: 'hello',
      protocol: PROTOCOL,
      extensionVersion: '0.1.0',
      extensionId: 'x',
      browserId: 'browser_of_somebody_else',
      browserName: 'Chromium',
      label: 'Box',
    }),
  );

describe('the door for browsers elsewhere', () => {
  test('lets nothing in while nobody has paired anything', async ({ stage }) => {
    expect(await dial(stage.address, [LINK_PROTOCOL, PAIR_OFFER])).toBe('PAIRING_CLOSED');
    expect(await dial(stage.address, [LINK_PROTOCOL, `${KEY_OFFER_PREFIX}${'0'.repeat(64)}`])).toBe('BROWSER_NOT_PAIRED');
    expect(await dial(stage.address, [LINK_PROTOCOL])).toBe('BROWSER_NOT_PAIRED');
    expect(await dial(stage.address, ['other'])).toBe('INPUT_INVALID');
    expect(stage.admissions.list()).toEqual([]);
  });

  test('pairs by a code that both ends show, and then carries the frames of the link', async ({ stage }) => {
    const { place, key, id } = await stage.pairOne();
    expect(statSync(stage.keyFile).mode & 0o777).toBe(0o600);

    const socket = await openRemoteLink(place, key);
    const welcome = new Promise<string>((resolve) =>
      socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true }),
    );
    hello(socket);

    expect(JSON.parse(await welcome)).toMatchObject({ type: 'welcome', token: 'token' });
    // Whatever it calls itself: it takes the place of no other browser.
    expect(stage.bridge.browsers()).toMatchObject([{ browserId: `browser_${id}`, label: 'Box' }]);
    expect(stage.bridge.needsDaemon).toBe(true);
    socket.close();
    await until(() => stage.bridge.browsers().length === 0);
    // It comes again without another pairing.
    (await openRemoteLink(place, key)).close();
  });

  test('pairs and links through what ends TLS in front of it, and only where the certificate is trusted', async ({ stage, through }) => {
    const own = selfSigned();
    const address = await through(own);
    const key = await toBrowserKey(await makeKeyPair());
    stage.pairing.open(null);
    const open = stage.pairing.state();

    await expect(pair({ ...asked(address, key), confirm: async () => true })).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
    expect(stage.pairing.state()).toEqual(open);
    setDefaultCACertificates([own.cert]);
    const place = await pair({ ...asked(address, key), confirm: (code) => agree(stage.pairing, code) });

    expect(place.address).toBe(address);
    const socket = await openRemoteLink(place, key);
    hello(socket);
    await until(() => stage.bridge.browsers().length === 1);
    // Who does not hold the key of a browser that is paired gets no further than before.
    const stranger = await toBrowserKey(await makeKeyPair());
    await expect(openRemoteLink(place, stranger)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
    expect(stage.bridge.browsers()).toHaveLength(1);
    socket.close();
    await until(() => stage.bridge.browsers().length === 0);
  });

  test.for(['the terminal', 'the browser'])('pairs nothing when %s says no', async (end, { stage }) => {
    const key = await toBrowserKey(await makeKeyPair());
    stage.pairing.open(null);

    const done = pair({
      ...asked(stage.address, key),
      confirm: async (code) => {
        if (end === 'the browser') return false;
        await until(() => is(stage.pairing.state(), 'asked'));
        stage.pairing.answer(code, false);
        return true;
      },
    });

    await expect(done).rejects.toMatchObject({ code: 'PAIRING_REFUSED' });
    expect(stage.admissions.list()).toEqual([]);
    expect(await dial(stage.address, [LINK_PROTOCOL, `${KEY_OFFER_PREFIX}${await digestOf(key.text)}`])).toBe('BROWSER_NOT_PAIRED');
  });

  test('pairs nothing while only one end has confirmed', async ({ stage }) => {
    const [one, other] = [await toBrowserKey(await makeKeyPair()), await toBrowserKey(await makeKeyPair())];
    stage.pairing.open(null);
    const gone = new AbortController();
    const waiting = pair({ ...asked(stage.address, one), signal: gone.signal, confirm: async () => true }).catch((error: unknown) => error);
    await until(() => is(stage.pairing.state(), 'asked'));

    expect(stage.admissions.list()).toEqual([]);
    // Nor does another browser come in between.
    expect(await dial(stage.address, [LINK_PROTOCOL, PAIR_OFFER])).toBe('PAIRING_CLOSED');
    gone.abort();
    await waiting;
    await until(() => is(stage.pairing.state(), 'open'));
    // An answer to a browser that has gone counts for no other.
    expect(() => stage.pairing.answer('000 000', true)).toThrow(expect.objectContaining({ code: 'PAIRING_CLOSED' }));
    const place = await pair({ ...asked(stage.address, other), confirm: (code) => agree(stage.pairing, code) });
    expect(place.daemonKey).toBe(readRemoteKey(stage.keyFile).text);
    expect(stage.admissions.list()).toHaveLength(1);
  });

  test('is open for three tries and five minutes', async ({ stage }) => {
    const key = await toBrowserKey(await makeKeyPair());
    stage.pairing.open(null);
    const tryInVain = async (): Promise<unknown> => {
      // The browser may have its code before the terminal does; the try would not be over then, and the next one refused.
      const confirm = async (): Promise<boolean> => !(await until(() => is(stage.pairing.state(), 'asked')));
      return pair({ ...asked(stage.address, key), confirm }).catch(() => null);
    };
    for (const left of [2, 1]) {
      await tryInVain();
      expect(await until(() => is(stage.pairing.state(), 'open'))).toMatchObject({ triesLeft: left });
    }
    await tryInVain();
    await until(() => is(stage.pairing.state(), 'failed'));
    expect(await dial(stage.address, [LINK_PROTOCOL, PAIR_OFFER])).toBe('PAIRING_CLOSED');

    stage.pairing.open(null);
    stage.passTime(5 * 60_000);

    expect(stage.pairing.state()).toEqual({ state: 'closed' });
    expect(await dial(stage.address, [LINK_PROTOCOL, PAIR_OFFER])).toBe('PAIRING_CLOSED');
  });

  test('takes no nonce but the one that was promised: an end cannot choose its code', async ({ stage }) => {
    const key = await toBrowserKey(await makeKeyPair());
    stage.pairing.open(null);
    const socket = (await dial(stage.address, [LINK_PROTOCOL, PAIR_OFFER])) as RawSocket;
    socket.send(JSON.stringify({ type: 'pair', key: key.text, commitment: await digestOf(newNonce()), name: 'Box' }));
    expect(await heard(socket)).toMatchObject({ type: 'pair_key' });

    socket.send(JSON.stringify({ type: 'pair_open', nonce: newNonce() }));

    expect(await heard(socket)).toMatchObject({ type: 'refused', error: { code: 'PAIRING_REFUSED' } });
    expect(stage.pairing.state().state).toBe('failed');
  });

  test('refuses a wrong key, and what was said in another connection', async ({ stage }) => {
    const { place, key } = await stage.pairOne();
    const stranger = await toBrowserKey(await makeKeyPair());
    const offer = [LINK_PROTOCOL, `${KEY_OFFER_PREFIX}${await digestOf(key.text)}`];
    const first = (await dial(stage.address, offer)) as RawSocket;
    const { nonce: daemonNonce } = (await heard(first)) as { nonce: string };
    const handshake = { browserKey: key.text, daemonKey: place.daemonKey, browserNonce: newNonce(), daemonNonce };
    const proof = { type: 'proof', nonce: handshake.browserNonce, signature: await key.sign(signedText('link', 'browser', handshake)) };

    const attempts = [
      // The good proof of the first connection, again.
      proof,
      { ...proof, signature: await stranger.sign(signedText('link', 'browser', handshake)) },
    ];
    for (const attempt of attempts) {
      const socket = (await dial(stage.address, offer)) as RawSocket;
      await heard(socket);
      socket.send(JSON.stringify(attempt));
      expect(await heard(socket)).toMatchObject({ type: 'refused', error: { code: 'BROWSER_NOT_PAIRED' } });
    }
    first.send(JSON.stringify(proof));
    expect(await heard(first)).toMatchObject({ type: 'proven' });
    first.close();
    expect(stage.bridge.browsers()).toEqual([]);
  });

  test('is not believed when it is not the daemon that was paired', async ({ stage }) => {
    const { place, key } = await stage.pairOne();
    rmSync(stage.keyFile);

    await expect(openRemoteLink(place, key)).rejects.toMatchObject({ code: 'BROWSER_NOT_PAIRED' });
    expect(stage.bridge.browsers()).toEqual([]);
  });

  test('ends the link of a browser that is revoked, and takes it no more', async ({ stage }) => {
    const { place, key, id } = await stage.pairOne();
    const socket = await openRemoteLink(place, key);
    hello(socket);
    await until(() => stage.bridge.browsers().length === 1);
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));

    stage.admissions.remove(id);

    await closed;
    await until(() => stage.bridge.browsers().length === 0);
    await expect(openRemoteLink(place, key)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
  });

  test('hears nothing that is no message of the handshake', async ({ stage }) => {
    const { key } = await stage.pairOne();
    for (const noise of ['{', '{"type":"hello"}', '[]', 'null', JSON.stringify({ type: 'proof', nonce: 'x', signature: 'y' })]) {
      const socket = (await dial(stage.address, [LINK_PROTOCOL, `${KEY_OFFER_PREFIX}${await digestOf(key.text)}`])) as RawSocket;
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.send(noise);
      await closed;
    }
    expect(stage.bridge.browsers()).toEqual([]);
  });
});

describe('the address of a daemon elsewhere', () => {
  test.for([
    ['ws://127.0.0.1:7777', 'ws://127.0.0.1:7777/link', 'http://127.0.0.1:7777'],
    ['localhost:7777', 'ws://127.0.0.1:7777/link', 'http://127.0.0.1:7777'],
    [' http://127.0.0.1:7777/ ', 'ws://127.0.0.1:7777/link', 'http://127.0.0.1:7777'],
    ['wss://Box.example', 'wss://box.example/link', 'https://box.example'],
    ['box.example:8443', 'wss://box.example:8443/link', 'https://box.example:8443'],
  ] as const)('"%s" is taken', ([text, link, base]) => {
    expect(readRemoteAddress(text)).toMatchObject({ link, base });
  });

  // Without encryption nothing leaves this machine.
  test.for([
    'ws://box.example',
    'http://10.0.0.1:7777',
    '',
    'ws://',
    'wss://a b',
    'wss://user:pw@box',
    'ftp://x',
    'ws://127.0.0.1:0',
    'wss://x:99999',
  ])('"%s" is not', (text) => {
    expect(readRemoteAddress(text)).toBeNull();
  });
});
