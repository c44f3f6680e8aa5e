/** What a session has cost, from engines that count per process as well as from those that count per conversation. */

export interface CostMeter {
  /** The engine's figure as it came; returns the session's total. */
  read(reported: number): number;
}

/** A meter for one run of a session that had cost `before` until then. */
export const createCostMeter = (before: number): CostMeter => {
  let total = before;
  let last: number | null = null;
  return {
    read: (reported) => {
      // A first figure below what was spent can only be of this process alone.
      if (last === null) total = reported >= before ? reported : before + reported;
      else total += reported >= last ? reported - last : reported;
      last = reported;
      return total;
    },
  };
};
