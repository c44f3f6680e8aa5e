/** All that watches a page while it comes to rest, as one function: each script that is put into a page holds up those behind it. */
import {
  answerAgain,
  watchAgain,
  watchAnswers,
  watchAsks,
  watchChanges,
  watchErrands,
  watchErrors,
  watchFrame,
  watchPictures,
  watchTasks,
  watchWorks,
} from './pending.ts';

/**
 * Runs in the page's own world; the build puts into it what it uses. Called again it only begins anew. `isInner`: a frame in which nothing is done
 * itself. When the watching has ended, what can begin it anew stays: to put it there takes longer than all that it does.
 */
export const watchPending = (key: string, isInner = false): void => {
  if (watchAgain(key, isInner)) return;
  const inPage = [watchFrame, watchTasks, watchAnswers, watchWorks, watchPictures, watchErrors, watchAsks];
  const begin = (): void => {
    for (const watch of isInner ? [watchErrands, watchAnswers, watchChanges] : inPage) {
      try {
        watch(key);
      } catch {
        // What a page has taken out of its world cannot be watched; all else can.
      }
    }
  };
  begin();
  answerAgain(key, isInner, begin);
};
