/** Starts the executable exactly as Chrome does and exchanges one frame: the proof that a browser will get an answer. */
import { spawn } from 'node:child_process';
import { found } from '#protocol/checks.ts';
import { asItCame, type Said } from '#protocol/said.ts';
import { EXTENSION_ORIGIN, MAX_HOST_FRAME_BYTES } from '#protocol/version.ts';

export type HandshakeResult =
  | { reached: 'daemon'; hostMs: number; daemonMs: number }
  /** The host answered but the daemon did not; `reason` is what the host says about it, if anything. */
  | { reached: 'host'; hostMs: number; reason: Said; remedy?: Said }
  | { reached: 'nothing'; reason: Said };

/** How long the host may take to bring the daemon up. */
const TIME_LIMIT_MS = 15_000;

/** One live exchange. `env` is what the browser would hand to the host. */
export const shakeHands = async (executable: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<HandshakeResult> => {
  const startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  const child = spawn(executable, [`${EXTENSION_ORIGIN}/`], { env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
  const { promise, resolve } = Promise.withResolvers<HandshakeResult>();
  let hostMs: number | null = null;
  const stop = (reason: Said): void => {
    resolve(hostMs === null ? { reached: 'nothing', reason } : { reached: 'host', hostMs, reason });
  };

  child.on('error', (error) => stop(found('not_started', { reason: error.message })));
  child.on('close', (code, killedBy) =>
    stop(killedBy === null ? found('ended_with_code', { code: code ?? 0 }) : found('ended_by_signal', { signal: killedBy })),
  );
  // A host that ends before it reads makes the write fail; its exit says more.
  child.stdin.on('error', () => undefined);
  const read = createFrameReader(
    (frame) => {
      switch (frame.type) {
        case 'host':
          hostMs = elapsed();
          return;
        case 'host_failed':
          resolve({ reached: 'host', hostMs: hostMs ?? elapsed(), ...failureOf(frame) });
          return;
        default:
          // Any answer of the daemon proves that it is reached.
          resolve({ reached: 'daemon', hostMs: hostMs ?? elapsed(), daemonMs: elapsed() });
      }
    },
    (reason) => stop(reason),
  );
  child.stdout.on('data', read);
  child.stdin.write(toFrame({ type: 'ping', at: Date.now() }));

  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  const onLimit = (): void => stop(found('too_late'));
  limit.addEventListener('abort', onLimit, { once: true });
  try {
    return await promise;
  } finally {
    limit.removeEventListener('abort', onLimit);
    // Chrome ends a host by closing its input; the kill is for a host that does not react.
    child.stdin.destroy();
    child.kill();
  }
};

const toFrame = (value: unknown): Buffer => {
  const body = Buffer.from(JSON.stringify(value));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
};

/** The doctor reads frames by itself, as Chrome does, and not with the code of the host that it examines. */
const createFrameReader = (onFrame: (frame: { type: unknown }) => void, onNoise: (reason: Said) => void): ((chunk: Buffer) => void) => {
  let pending = Buffer.alloc(0);
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 4) {
      const length = pending.readUInt32LE(0);
      if (length > MAX_HOST_FRAME_BYTES) {
        onNoise(found('no_frame'));
        return;
      }
      if (pending.length < 4 + length) return;
      const frame = parse(pending.subarray(4, 4 + length));
      pending = pending.subarray(4 + length);
      if (frame === null) onNoise(found('frame_without_json'));
      else onFrame(frame);
    }
  };
};

const parse = (body: Buffer): { type: unknown } | null => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && 'type' in value ? value : null;
  } catch {
    return null;
  }
};

const failureOf = (frame: object): { reason: Said; remedy?: Said } => {
  const error: unknown = 'error' in frame ? frame.error : null;
  if (typeof error !== 'object' || error === null) return { reason: found('not_reached') };
  return {
    reason: 'message' in error && typeof error.message === 'string' ? asItCame(error.message) : found('not_reached'),
    ...('remedy' in error && typeof error.remedy === 'string' ? { remedy: asItCame(error.remedy) } : {}),
  };
};
