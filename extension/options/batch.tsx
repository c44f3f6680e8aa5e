/** The same for each of many, one after the other, with how far it is and a way to give it up. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { useSettings } from './scene.ts';

export interface Batch {
  /** Null while nothing runs. */
  readonly progress: { readonly done: number; readonly total: number } | null;
  readonly error: ErrorBody | null;
  /** Gives what was done, also where it was given up or one failed: then the rest is left as it is. */
  readonly run: <T, R>(each: readonly T[], work: (one: T) => Promise<R>) => Promise<BatchEnd<R>>;
  readonly cancel: () => void;
}

export interface BatchEnd<R> {
  readonly results: readonly R[];
  readonly isWhole: boolean;
}

export const useBatch = (): Batch => {
  const [progress, setProgress] = useState<Batch['progress']>(null);
  const [error, setError] = useState<ErrorBody | null>(null);
  const [stop, setStop] = useState(new AbortController());
  return {
    progress,
    error,
    run: async (each, work) => {
      const stopping = new AbortController();
      setStop(stopping);
      setError(null);
      const results: Awaited<ReturnType<typeof work>>[] = [];
      try {
        for (const one of each) {
          if (stopping.signal.aborted) break;
          setProgress({ done: results.length, total: each.length });
          results.push(await work(one));
        }
      } catch (fault) {
        setError(toErrorBody(fault));
      } finally {
        setProgress(null);
      }
      return { results, isWhole: results.length === each.length };
    },
    cancel: () => stop.abort(),
  };
};

/** How far it is; nothing while nothing runs. */
export const BatchProgress = ({ label, batch: { progress, cancel } }: { label: string; batch: Batch }): JSX.Element | null => {
  const { say } = useSettings();
  if (progress === null) return null;
  return (
    <div class="importing">
      <p role="status">{say('batchDone', { label, done: progress.done, total: progress.total })}</p>
      <progress max={progress.total} value={progress.done} aria-label={label} />
      <button type="button" onClick={cancel}>
        {say('cancel')}
      </button>
    </div>
  );
};
