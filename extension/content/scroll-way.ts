/** Which way something scrolls. */

/**
 * Whether what does not fit lies before its beginning, so that places in it are below 0: a page that runs from right to left, a list that grows
 * upwards. https://drafts.csswg.org/css-overflow/#scrollable-overflow-region
 */
export const isReversed = (scroller: Element, isAcross: boolean): boolean => {
  // A page scrolls as its body runs: https://drafts.csswg.org/css-writing-modes/#principal-flow
  const isPage = scroller === document.scrollingElement;
  const { direction, writingMode, display, flexDirection } = getComputedStyle(isPage ? (document.body ?? scroller) : scroller);
  const isAlongLines = isAcross === writingMode.startsWith('horizontal');
  const runsBack = isAlongLines
    ? (direction === 'rtl') !== (writingMode === 'sideways-lr')
    : writingMode === 'vertical-rl' || writingMode === 'sideways-rl';
  const isFlex = !isPage && display.endsWith('flex') && flexDirection.startsWith('row') === isAlongLines;
  return runsBack !== (isFlex && flexDirection.endsWith('-reverse'));
};
