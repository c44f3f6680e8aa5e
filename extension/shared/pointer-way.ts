/** The way of a pointer that drags. Pure. */

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Pages take a drag for one after some pixels, and draw what lies between two places as a line. */
const STEPS = 8;

/** How far a thing is moved before its end is looked for. */
export const BEGIN_PX = 12;

/** Where the pointer comes by, the last place included; each leg of a way of many in fewer steps. */
export const stepsAlong = (from: Place, way: readonly Place[]): Place[] => {
  const steps = Math.max(1, Math.ceil(STEPS / way.length));
  return way.flatMap((to, leg) => {
    const start = way[leg - 1] ?? from;
    return Array.from({ length: steps }, (_, step) => {
      const share = (step + 1) / steps;
      return { x: start.x + (to.x - start.x) * share, y: start.y + (to.y - start.y) * share };
    });
  });
};
