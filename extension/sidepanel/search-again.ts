/** A search while somebody types, which goes on while the daemon still reads in what it looks through. */
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { SearchAnswer } from '#protocol/search.ts';

/** So long nobody types before it is asked for. */
const PAUSE_MS = 150;
const AGAIN_MS = 1000;

/** Asks when the person pauses, and again until nothing is left to be read in; returns what ends it. Only what was typed last counts. */
export const searchUntilWhole = (
  ask: () => Promise<SearchAnswer>,
  on: { readonly found: (answer: SearchAnswer) => void; readonly failed: (error: ErrorBody) => void },
): (() => void) => {
  let isWanted = true;
  const go = async (): Promise<void> => {
    try {
      const answer = await ask();
      if (!isWanted) return;
      on.found(answer);
      if (answer.indexing !== null) timer = setTimeout(() => void go(), AGAIN_MS);
    } catch (error) {
      if (isWanted) on.failed(toErrorBody(error));
    }
  };
  let timer = setTimeout(() => void go(), PAUSE_MS);
  return () => {
    isWanted = false;
    clearTimeout(timer);
  };
};
