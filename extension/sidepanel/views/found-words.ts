/** Marks what was found in the conversation. The browser draws it over the text; the document stays as it is. */

const NAME = 'found';
/** New text is marked so soon after it came. */
const REDRAW_MS = 100;

/** Marks each of `texts` in `root`, also in what is shown there later, until the returned function is called. */
export const markFound = (root: Element, texts: readonly string[]): (() => void) => {
  // A word is marked from its beginning, as it is searched for; scripts without spaces have none.
  const pattern = new RegExp(`(?<!\\w)(?:${texts.map(toPattern).join('|')})`, 'gi');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = (): void => {
    timer = undefined;
    const found = new Highlight();
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode())
      for (const { 0: text, index } of (node.nodeValue ?? '').matchAll(pattern))
        found.add(new StaticRange({ startContainer: node, startOffset: index, endContainer: node, endOffset: index + text.length }));
    CSS.highlights.set(NAME, found);
  };
  const watch = new MutationObserver(() => (timer ??= setTimeout(draw, REDRAW_MS)));
  watch.observe(root, { childList: true, characterData: true, subtree: true });
  draw();
  return () => {
    watch.disconnect();
    clearTimeout(timer);
    CSS.highlights.delete(NAME);
  };
};

const toPattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
