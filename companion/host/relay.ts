/** Chrome's stdio door: answers at once, proves itself to the daemon, then copies frames both ways. It holds no state and decides nothing. */
import type { Duplex } from 'node:stream';
import type { ErrorBody } from '#protocol/errors.ts';
import type { DownFrame } from '#protocol/link.ts';
import { EXTENSION_ORIGIN, MAX_HOST_FRAME_BYTES, MAX_MESSAGE_BYTES, VERSION } from '#protocol/version.ts';
import { encodeFrame } from '#companion/lib/framing.ts';
import { createFrameGuard } from './framing.ts';
import { HostError } from './host-error.ts';

/** Before the daemon is there the extension says hello and no more. */
const MAX_EARLY_BYTES = 1_048_576;

/** Runs until Chrome or the daemon closes its end; the exit code. `args` are Chrome's: the calling extension's origin comes first (S16). */
export const runHost = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  if (args[0] !== `${EXTENSION_ORIGIN}/`) return 1;
  const chrome = openChrome();
  chrome.send({ type: 'host', version: VERSION, pid: process.pid });
  try {
    // Loaded only now: Chrome has had its first frame by then.
    const [{ connectDaemon }, { createPaths }] = await Promise.all([import('./connect.ts'), import('#companion/lib/paths.ts')]);
    const daemon = await connectDaemon(createPaths(env), env, chrome.signal);
    await relay(chrome, daemon.socket, daemon.head);
    return 0;
  } catch (error) {
    // Chrome went away while we were still connecting: nobody is left to tell.
    if (chrome.signal.aborted) return 0;
    chrome.send({ type: 'host_failed', error: error instanceof HostError ? error.body : unexpected(error) });
    return 1;
  } finally {
    chrome.close();
  }
};

interface Chrome {
  /** Aborted when Chrome has closed its end. */
  readonly signal: AbortSignal;
  send(frame: DownFrame): void;
  /** False when Chrome should be given time to read. */
  write(bytes: Buffer): boolean;
  onDrain(listener: () => void): void;
  /** Hands over what came so far, then everything as it comes. */
  read(listener: (bytes: Buffer) => void): void;
  pause(): void;
  resume(): void;
  close(): void;
}

const openChrome = (): Chrome => {
  const { stdin, stdout } = process;
  const gone = new AbortController();
  const early: Buffer[] = [];
  let earlyBytes = 0;
  let receive = (bytes: Buffer): void => {
    early.push(bytes);
    earlyBytes += bytes.length;
    if (earlyBytes > MAX_EARLY_BYTES) stdin.pause();
  };
  stdin.on('data', (bytes: Buffer) => receive(bytes));
  stdin.on('end', () => gone.abort());
  stdin.on('error', () => gone.abort());
  stdout.on('error', () => gone.abort());
  return {
    signal: gone.signal,
    send: (frame) => void stdout.write(encodeFrame(JSON.stringify(frame))),
    write: (bytes) => stdout.write(bytes),
    onDrain: (listener) => void stdout.on('drain', listener),
    read: (listener) => {
      receive = listener;
      for (const bytes of early.splice(0)) listener(bytes);
      stdin.resume();
    },
    pause: () => void stdin.pause(),
    resume: () => void stdin.resume(),
    close: () => void stdin.destroy(),
  };
};

/** Copies until either end closes; rejects when an end sends what the other must not get. */
const relay = (chrome: Chrome, daemon: Duplex, head: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const finish = (error?: HostError): void => {
      daemon.destroy();
      if (error === undefined) resolve();
      else reject(error);
    };
    const guardDown = createFrameGuard(MAX_HOST_FRAME_BYTES);
    const guardUp = createFrameGuard(MAX_MESSAGE_BYTES);
    const down = (bytes: Buffer): void => {
      const { pass, tooLarge } = guardDown(bytes);
      if (pass.length > 0 && !chrome.write(pass)) daemon.pause();
      if (tooLarge !== null) finish(frameTooLarge(tooLarge));
    };
    const up = (bytes: Buffer): void => {
      const { pass, tooLarge } = guardUp(bytes);
      if (pass.length > 0 && !daemon.write(pass)) chrome.pause();
      if (tooLarge !== null) finish(frameTooLarge(tooLarge));
    };
    daemon.on('data', down);
    daemon.on('drain', () => chrome.resume());
    daemon.on('error', () => finish());
    daemon.on('close', () => finish());
    chrome.onDrain(() => daemon.resume());
    chrome.signal.addEventListener('abort', () => finish());
    down(head);
    chrome.read(up);
    if (chrome.signal.aborted) finish();
  });

const frameTooLarge = (bytes: number): HostError =>
  new HostError({
    code: 'FRAME_TOO_LARGE',
    message: `A message on the link was too large: ${bytes} bytes.`,
    remedy: 'Update the extension and pilotfish to the same version.',
  });

const unexpected = (error: unknown): ErrorBody => ({
  code: 'INTERNAL',
  message: `The native messaging host failed. ${error instanceof Error ? error.message : String(error)}`,
  remedy: 'Run `pilotfish doctor`.',
});
