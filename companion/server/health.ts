/** The handshake on a socket: is a pilotfish daemon behind it, and does it own the place? */
import { get } from 'node:http';
import { type Greeting, Health, HEALTH_PATH } from '#protocol/health.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';

export const toGreeting = (): Greeting => ({ name: 'pilotfish', version: VERSION, protocol: PROTOCOL.current });

export const toHealth = (isOwner: boolean, port: number | null): Health => ({
  ...toGreeting(),
  pid: process.pid,
  isOwner,
  port,
});

/** `gone`: there is nothing; `dead`: nobody listens; `silent`: somebody listens but does not answer like a daemon. */
export type Handshake = { state: 'gone' | 'dead' | 'silent' } | { state: 'alive'; health: Health };

const ANSWER_WITHIN_MS = 1000;

/** Asks once; never rejects. */
export const askHealth = (socketPath: string): Promise<Handshake> =>
  new Promise((resolve) => {
    const request = get({ socketPath, path: HEALTH_PATH, agent: false, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve({ state: 'silent' }));
      response.on('end', () => {
        const health = Health.safeParse(parseJson(Buffer.concat(chunks).toString()));
        resolve(health.success ? { state: 'alive', health: health.data } : { state: 'silent' });
      });
    });
    request.on('error', (error) => resolve({ state: stateOf('code' in error ? error.code : undefined) }));
  });

const stateOf = (code: unknown): 'gone' | 'dead' | 'silent' => {
  if (code === 'ENOENT') return 'gone';
  return code === 'ECONNREFUSED' || code === 'ENOTSOCK' ? 'dead' : 'silent';
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
