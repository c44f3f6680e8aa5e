/** A list that may be very long: it is cut into stretches, and only those near what is seen have their rows on the page. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const ROWS = 40;
/** How high a row is about, until a stretch was drawn and measured. */
const ROW_PX = 48;
const NEAR = '600px';

export const Stretches = <T,>({
  list,
  isFirst,
  draw,
}: {
  list: readonly T[];
  /** It begins where one looks first. */
  isFirst: boolean;
  draw: (row: T) => JSX.Element;
}): JSX.Element => (
  <>
    {Array.from({ length: Math.ceil(list.length / ROWS) }, (_, index) => (
      <Stretch key={index} rows={list.slice(index * ROWS, (index + 1) * ROWS)} isFirst={isFirst && index === 0} draw={draw} />
    ))}
  </>
);

const Stretch = <T,>({ rows, isFirst, draw }: { rows: readonly T[]; isFirst: boolean; draw: (row: T) => JSX.Element }): JSX.Element => {
  const place = useRef<HTMLUListElement>(null);
  const [isNear, setNear] = useState(isFirst);
  const [heightPx, setHeight] = useState(rows.length * ROW_PX);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const newest = entries.at(-1);
        if (newest === undefined) return;
        const { isIntersecting, boundingClientRect } = newest;
        // What has the focus stays, and what is folded away has no height.
        if (!isIntersecting && current.contains(document.activeElement)) return;
        if (!isIntersecting && boundingClientRect.height > 0) setHeight(boundingClientRect.height);
        setNear(isIntersecting);
      },
      { scrollMargin: NEAR },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <ul ref={place} class="list sessions" {...(isNear ? {} : { style: { blockSize: `${heightPx}px` }, 'aria-hidden': true })}>
      {isNear ? rows.map(draw) : null}
    </ul>
  );
};
