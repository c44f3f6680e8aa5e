/** What a session does now, how a turn ended and what it has used, in a few words. */
import type { ErrorBody } from '#protocol/errors.ts';
import type { Usage } from '#protocol/events.ts';
import type { SessionView, ViewTurn } from '#protocol/view.ts';
import { toCost, toDuration, toMoment } from './amounts.ts';
import type { SayWord } from './words.ts';

/** What the agent does now; empty while nothing runs. The engine's own words say that it retries, or that nothing comes. */
export const activityText = (say: SayWord, view: SessionView, engineLabel: string, now: number): string => {
  const { state, text, retryAt } = view.run;
  switch (view.status) {
    case 'idle':
      return '';
    case 'stopping':
      return say('stopping');
    case 'waiting':
      return say('jump_request');
    case 'starting':
    case 'running':
      if (state === 'retrying') {
        const told = text ?? say('engine_retrying');
        if (retryAt === null || retryAt <= now) return told;
        const next = say('retry_in', { time: toDuration(retryAt - now, say) });
        return /[\p{L}\p{N}]$/u.test(told) ? `${told} · ${next}` : `${told} ${next}`;
      }
      return view.status === 'starting' ? say('engine_starting', { engine: engineLabel }) : say('working');
  }
};

const outcomes = {
  completed: 'turn_done',
  cancelled: 'turn_stopped',
  failed: 'turn_failed',
  interrupted: 'turn_interrupted',
} as const;

/** How a turn ended and how long it took; null while it runs. */
export const turnEndText = (say: SayWord, { status, durationMs }: ViewTurn): string | null => {
  if (status === 'queued' || status === 'running' || status === 'cancelling') return null;
  return durationMs === null ? say(outcomes[status]) : `${say(outcomes[status])} · ${toDuration(durationMs, say)}`;
};

/** What to do about an error, and from when on, if that is known. */
export const remedyText = (say: SayWord, { remedy, retryAt }: ErrorBody, now: number, languageTag?: string): string =>
  retryAt === undefined ? remedy : `${remedy} ${say('retry_at', { time: toMoment(retryAt, now, languageTag) })}`;

/** How full the context is and what the session has cost, where that is worth saying; what cannot be true is cut to what fits. */
export const usageTexts = (say: SayWord, { contextUsed, contextWindow, costUsd }: Usage): string[] => [
  ...(contextUsed !== undefined && contextWindow !== undefined && contextWindow > 0 && contextUsed * 200 >= contextWindow && contextUsed > 0
    ? [say('context', { percent: Math.min(999, Math.round((contextUsed / contextWindow) * 100)) })]
    : []),
  ...(costUsd === undefined || costUsd < 0.0005 ? [] : [toCost(costUsd)]),
];
