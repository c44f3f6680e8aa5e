/**
 * How long something takes is measured by `performance.now()`, a clock that nobody sets. What a page and the worker tell each other of a moment
 * goes by the system's clock, as it stands then.
 */

/** A moment of this process's own clock, as the system's clock tells it now. */
export const toSystemTime = (moment: number): number => Date.now() - (performance.now() - moment);
