/** Marks what was found in the conversation. The browser draws it over the text; the document stays as it is. */

const NAME = 'found';
/** New text is marked so soon after it came. */
const REDRAW_MS = 100;

/** Marks each of `texts` in `root`, also in what is shown there later, until the returned function is called. Tells each time what is marked. */
export const markFound = (root: Element, texts: readonly string[], onMarked: (marks: readonly StaticRange[]) => void): (() => void) => {
  // A word is marked from its beginning, as it is searched for; scripts without spaces have none.
  const pattern = new RegExp(`(?<!\\w)(?:${texts.map(toPattern).join('|')})`, 'gi');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = (): void => {
    timer = undefined;
    const found = new Highlight();
    const marks: StaticRange[] = [];
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode())
      for (const { 0: text, index } of (node.nodeValue ?? '').matchAll(pattern)) {
        const mark = new StaticRange({ startContainer: node, startOffset: index, endContainer: node, endOffset: index + text.length });
        found.add(mark);
        marks.push(mark);
      }
    CSS.highlights.set(NAME, found);
    onMarked(marks);
  };
  const watch = new MutationObserver(() => (timer ??= setTimeout(draw, REDRAW_MS)));
  watch.observe(root, { childList: true, characterData: true, subtree: true, attributeFilter: ['class'] });
  draw();
  return () => {
    watch.disconnect();
    clearTimeout(timer);
    CSS.highlights.delete(NAME);
  };
};

/** Scrolls a mark into sight, in the conversation and in what is scrolled within it. */
export const showMark = ({ startContainer, startOffset, endContainer, endOffset }: StaticRange): void => {
  const range = new Range();
  range.setStart(startContainer, startOffset);
  range.setEnd(endContainer, endOffset);
  let box = startContainer.parentElement;
  for (; box !== null && !box.matches('.conversation-frame'); box = box.parentElement) {
    const { top, bottom } = range.getBoundingClientRect();
    const around = box.getBoundingClientRect();
    if (top < around.top || bottom > around.bottom) box.scrollTop += top - around.top - around.height / 2;
  }
};

const toPattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
