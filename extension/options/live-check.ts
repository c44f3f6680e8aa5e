/**
 * The way from this page to an agent and back into this browser, gone once: worker, native host, daemon, the agents that are
 * ready, a tool call. Each hop says how long it took; what is broken says what to do. Pure but for what it is given.
 */
import { CompanionError, errorSaying, toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import { explainInFront } from '#protocol/front-faults.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import type { Call } from '#extension/shared/wire.ts';

/** The hops that are always there, in their order; the agents stand before the last. */
const HOPS = ['extension', 'host', 'daemon', 'tool'] as const;

export interface Hop {
  readonly id: (typeof HOPS)[number] | 'agent' | 'noAgent';
  /** Which agent it is, as it is shown. */
  readonly label?: string;
  readonly labelCode?: string | undefined;
  readonly state: 'waiting' | 'ok' | 'failed';
  readonly ms?: number;
  readonly error?: ErrorBody;
  /** A command that mends it. */
  readonly fix?: string;
  /** What a button can do about it. */
  readonly mend?: 'reload' | 'connect' | 'agents';
}

export interface Chain {
  /** What the worker says of its connection; it is to be connected. */
  readonly askWorker: () => Promise<ConnectionState>;
  readonly call: Call;
  /** Told of all hops whenever one of them is known. */
  readonly onHops: (hops: readonly Hop[]) => void;
  readonly now?: () => number;
  /** The pause before a connection that is still being made is asked for again. */
  readonly pause?: () => Promise<void>;
}

/** A connection that is not made within this time is broken. */
const CONNECT_WITHIN_MS = 10_000;
const PAUSE_MS = 200;

const silent = errorSaying('INTERNAL', explainInFront('worker_silent'), explainInFront('reload_extension'));

/** Resolves when the way was gone, or is broken; true when all of it is good. */
export const walkChain = async (chain: Chain): Promise<boolean> => {
  const { call, onHops, now = () => performance.now() } = chain;
  let hops: Hop[] = HOPS.map((id) => ({ id, state: 'waiting' }));
  const tell = (id: Hop['id'], known: Omit<Hop, 'id'>): boolean => {
    hops = hops.map((hop) => (hop.id === id ? { id, ...known } : hop));
    onHops(hops);
    return known.state === 'ok';
  };
  const since = (startedAt: number): number => Math.round(now() - startedAt);
  onHops(hops);

  const startedAt = now();
  const asked = await chain.askWorker().then(
    (state) => state,
    () => null,
  );
  if (asked === null) return tell('extension', { state: 'failed', error: silent, mend: 'reload' });
  tell('extension', { state: 'ok', ms: since(startedAt) });
  const fault = await connect(chain, asked);
  if (fault !== null) return tell('host', { state: 'failed', error: fault, mend: 'connect' });
  tell('host', { state: 'ok' });

  const daemonAt = now();
  const known = await call(routes.listEngines, {}).catch(toErrorBody);
  if ('code' in known) return tell('daemon', { state: 'failed', error: known, mend: 'connect' });
  tell('daemon', { state: 'ok', ms: since(daemonAt) });

  // A daemon that has just come does not know its agents yet.
  const isNew = known.engines.some(({ status }) => status === 'unchecked');
  const { engines } = isNew ? await call(routes.refreshEngines, { body: {} }).catch(() => known) : known;
  const ready = engines.filter(({ status }) => status === 'ready');
  const agents = ready.map(({ label, labelCode }): Hop => ({ id: 'agent', label, labelCode, state: 'waiting' }));
  const last = hops.length - 1;
  hops = hops.toSpliced(last, 0, ...(agents.length === 0 ? [{ id: 'noAgent', state: 'failed', mend: 'agents' } as const] : agents));
  onHops(hops);
  const greeted = ready.map(async ({ name, label, labelCode }): Promise<boolean> => {
    const agentAt = now();
    const found = await call(routes.refreshEngines, { body: { name } }).catch(toErrorBody);
    const engine = 'code' in found ? null : found.engines.find((one) => one.name === name);
    const isReady = engine?.status === 'ready';
    const error = 'code' in found ? found : (engine?.error ?? new CompanionError('ENGINE_NOT_FOUND').toBody());
    const fix = engine?.fix === undefined ? {} : { fix: engine.fix };
    const seen: Hop = {
      id: 'agent',
      label,
      labelCode,
      ...(isReady ? { state: 'ok', ms: since(agentAt) } : { state: 'failed', error, ...fix, mend: 'agents' }),
    };
    hops = hops.map((hop) => (hop.id === 'agent' && hop.label === label ? seen : hop));
    onHops(hops);
    return isReady;
  });
  const isBack = await comeBack(call, tell);
  return (await Promise.all(greeted)).every((isReady) => isReady) && ready.length > 0 && isBack;
};

/** Null once there is a connection; otherwise why there is none. */
const connect = async (
  { askWorker, now = () => performance.now(), pause = shortPause }: Chain,
  first: ConnectionState,
): Promise<ErrorBody | null> => {
  const startedAt = now();
  for (let state = first; ; state = await askWorker().catch(() => first)) {
    if (state.state === 'connected') return null;
    if (state.state === 'newcomer') return new CompanionError('BROWSER_NOT_ALLOWED').toBody();
    const isOver = now() - startedAt > CONNECT_WITHIN_MS;
    const isSure = state.state === 'host_missing' || state.state === 'host_forbidden' || state.state === 'refused';
    if ('error' in state && (isSure || isOver)) return state.error;
    if (isOver) return new CompanionError('DAEMON_NOT_RUNNING').toBody();
    await pause();
  }
};

const shortPause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, PAUSE_MS));

/** The daemon goes the way back: through the host into this browser, and calls a tool there. */
const comeBack = async (call: Call, tell: (id: Hop['id'], known: Omit<Hop, 'id'>) => boolean): Promise<boolean> => {
  const names = { link: 'host', tool: 'tool' } as const;
  const back = await call(routes.checkBrowser, { body: {} }).catch(toErrorBody);
  if ('code' in back) return tell('tool', { state: 'failed', error: back, mend: 'reload' });
  return back.hops
    .map(({ hop, ms, error }) => tell(names[hop], error === null ? { state: 'ok', ms } : { state: 'failed', error, mend: 'reload' }))
    .every((isGood) => isGood);
};
