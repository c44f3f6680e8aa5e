/** The real host as Chrome starts it: one process, its pipes, and a daemon's end that the test holds. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FrameReader, encodeFrame } from '#companion/lib/framing.ts';
import { readLinkKey } from '#companion/reach/link-key.ts';
import { LINK_HEADERS, prove } from '#companion/reach/link-proof.ts';
import { type Paths, createPaths, ensurePrivateDir } from '#companion/lib/paths.ts';
import { EXTENSION_ORIGIN, LINK_PROTOCOL } from '#protocol/version.ts';
import { compileCache } from '#test/fixtures/compile-cache.ts';

const MAIN = path.resolve(import.meta.dirname, '..', '..', '..', 'companion', 'main.ts');

export interface HostHome {
  readonly paths: Paths;
  readonly env: Record<string, string>;
  remove(): void;
}

export const createHostHome = (): HostHome => {
  const dir = mkdtempSync(path.join(tmpdir(), 'pf-host-'));
  const env = { ...compileCache, PATH: process.env['PATH'] ?? '', HOME: dir, PILOTFISH_HOME: path.join(dir, 'pilotfish') };
  return { paths: createPaths(env), env, remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }) };
};

export interface HostProcess {
  readonly child: ChildProcess;
  /** Bytes to its stdin. */
  write(bytes: Buffer | string): void;
  /** The next frame from its stdout; rejects when it ends before. */
  frame(): Promise<unknown>;
  readonly exited: Promise<number | null>;
  stdoutBytes(): number;
}

export const startHost = (env: Record<string, string>, args: readonly string[] = [`${EXTENSION_ORIGIN}/`]): HostProcess => {
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const frames: unknown[] = [];
  const waiting: { resolve(frame: unknown): void; reject(error: Error): void }[] = [];
  let sizeBytes = 0;
  const reader = new FrameReader({
    maxBytes: 100_000_000,
    onFrame: (body) => {
      const frame: unknown = JSON.parse(body.toString('utf8'));
      const next = waiting.shift();
      if (next === undefined) frames.push(frame);
      else next.resolve(frame);
    },
    onTooLarge: () => {},
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    reader.push(chunk);
  });
  child.stdin?.on('error', () => {
    // It ended before it read everything.
  });
  const exited = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      for (const next of waiting.splice(0)) next.reject(new Error('the host has ended'));
      resolve(code);
    });
  });
  return {
    child,
    write: (bytes) => void child.stdin?.write(typeof bytes === 'string' ? encodeFrame(bytes) : bytes),
    frame: () =>
      frames.length > 0
        ? Promise.resolve(frames.shift())
        : new Promise((resolve, reject) => {
            if (child.exitCode !== null) reject(new Error('the host has ended'));
            else waiting.push({ resolve, reject });
          }),
    exited,
    stdoutBytes: () => sizeBytes,
  };
};

/** Takes the place of the daemon on the private socket. `proof` is what it says it knows. */
export const listenAsDaemon = async (
  paths: Paths,
  onLink: (socket: Duplex, head: Buffer) => void,
  proof: (nonce: string) => string = (nonce) => prove(readLinkKey(paths), 'daemon', nonce),
): Promise<{ close(): Promise<void> }> => {
  ensurePrivateDir(paths.root);
  ensurePrivateDir(paths.socketDir);
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connection', (socket) => sockets.add(socket));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const nonce = String(request.headers[LINK_HEADERS.nonce]);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINK_PROTOCOL}\r\n${LINK_HEADERS.proof}: ${proof(nonce)}\r\n\r\n`,
    );
    onLink(socket, head);
  });
  await new Promise<void>((resolve) => server.listen(paths.socket, resolve));
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
};
