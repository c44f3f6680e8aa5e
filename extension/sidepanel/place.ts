/** Where a person is in a list that grows at its end: they follow that end, or read elsewhere. Pure. */

/** Who comes as near to the end as this is there. */
const NEAR_PX = 40;

/** What is known of a scrolled box. */
type Box = Pick<Element, 'scrollTop' | 'scrollHeight' | 'clientHeight'>;

interface Measured {
  readonly top: number;
  /** From the end. */
  readonly distance: number;
  /** Of the box. */
  readonly height: number;
}

/** Where the list stood when that was last known. */
export interface Place extends Measured {
  readonly isFollowing: boolean;
  /** The newest entry when the person left the end. */
  readonly leftAt: string | null;
}

export const atEnd: Place = { isFollowing: true, top: 0, distance: 0, height: 0, leftAt: null };

export const measured = ({ scrollTop, scrollHeight, clientHeight }: Box): Measured => ({
  top: scrollTop,
  distance: scrollHeight - scrollTop - clientHeight,
  height: clientHeight,
});

/** After whatever was scrolled since. Growth alone never counts as leaving the end: only a move upwards does, however small, and one back to it returns. */
export const moved = (before: Place, box: Box, newest: string | null): Place => {
  const now = { ...before, ...measured(box) };
  // A list that has become shorter, or has got a higher box, was moved up by the browser, to its end; and more may have come there since.
  const byBrowser = Math.max(0, now.height - before.height);
  const isUpwards = now.top < before.top - byBrowser - 1;
  if (now.distance <= 1) return { ...now, isFollowing: true };
  if (isUpwards) return before.isFollowing ? { ...now, isFollowing: false, leftAt: newest } : now;
  return { ...now, isFollowing: before.isFollowing || (now.distance <= NEAR_PX && now.distance < before.distance) };
};
