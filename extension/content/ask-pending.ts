/** Asks what watches the page in its own world, from this one: a question less to the page for each look at it. */
import type { PageMethods } from './api.ts';

/** What `countPending` tells, which the page may have told in our place; null where nothing watches. */
export const askPending = ({ key, awaitsFrame }: NonNullable<PageMethods['activity']['options']>): unknown => {
  let told: unknown = null;
  const hear = (event: Event): void => {
    if (event instanceof CustomEvent) told = event.detail;
  };
  document.addEventListener(`${key} told`, hear);
  document.dispatchEvent(new CustomEvent(`${key} asked`, { detail: { awaitsFrame } }));
  document.removeEventListener(`${key} told`, hear);
  return told;
};
