/** Waits until what an action set off has come to rest, by what really goes on: requests, changes of the page, a navigation. No fixed pauses. */
import type { Loaded } from '#extension/toolkit/page.ts';
import { pause } from './queue.ts';
import type { NavigationWatch } from './navigation.ts';

/** No change for this long, and nothing under way: the page is at rest. */
const QUIET_MS = 60;
/** The first effects of an action show within this. */
const FIRST_MS = 25;
/** A page that never stops changing is read as it is. */
const NOISE_LIMIT_MS = 1_500;
const REQUEST_LIMIT_MS = 4_000;
/** A page that said it is leaving begins to load another one within this. */
const LEAVING_MS = 1_000;

export interface Scene {
  readonly watch: NavigationWatch;
  readonly signal: AbortSignal;
  readonly startedAt: number;
  /** Requests that began since then and are under way. */
  requests(): number;
  lastRequestEnd(): number;
  /** Null when the document has gone. */
  activity(): Promise<{ quietMs: number; mutations: number } | null>;
  loaded(isReady: boolean): Promise<Loaded>;
}

/** The page that was loaded, or null when it is still the same one. */
export const settle = async (scene: Scene, isLeaving: boolean): Promise<Loaded | null> => {
  const { watch, signal, startedAt } = scene;
  if (isLeaving && watch.phase === 'none') await watch.next(LEAVING_MS, signal);
  const passedMs = Date.now() - startedAt;
  if (passedMs < FIRST_MS) await watch.next(FIRST_MS - passedMs, signal);
  const isReady = await rest(scene);
  if (watch.phase === 'none') return null;
  const loaded = await scene.loaded(isReady);
  return watch.phase === 'moved' ? { ...loaded, status: 0 } : loaded;
};

/** False when a page was still loading at the end. */
const rest = async (scene: Scene): Promise<boolean> => {
  const { watch, signal, startedAt } = scene;
  for (;;) {
    if (watch.phase === 'begun' || watch.phase === 'committed') {
      await watch.committed(signal);
      return watch.ready(signal);
    }
    const state = await scene.activity();
    const passedMs = Date.now() - startedAt;
    const underWay = scene.requests();
    if (state === null) {
      // The document went and no navigation was seen yet: it comes.
      if (passedMs > NOISE_LIMIT_MS) return true;
      await watch.next(QUIET_MS, signal);
      continue;
    }
    const sinceRequestMs = Date.now() - scene.lastRequestEnd();
    if (underWay === 0 && state.mutations === 0 && sinceRequestMs > passedMs) return true;
    const quietMs = Math.min(state.quietMs, sinceRequestMs);
    if (underWay === 0 && quietMs >= QUIET_MS) return true;
    if (passedMs > (underWay === 0 ? NOISE_LIMIT_MS : REQUEST_LIMIT_MS)) return true;
    await pause(Math.max(5, QUIET_MS - (underWay === 0 ? quietMs : QUIET_MS / 2)), signal);
  }
};
