/** Draws diagrams in place of their source, which stays at hand. */
import * as z from 'zod';
import type { Translate } from './i18n.ts';

/** An SVG for each theme; null when the source cannot be drawn. What draws it is believed no more than its source. */
const Answer = z.object({ light: z.string().max(2_000_000), dark: z.string().max(2_000_000) }).nullable();
type Diagram = NonNullable<z.infer<typeof Answer>>;

/** A graph that takes longer to lay out stays code. */
const DRAW_MS = 10_000;
/** Diagrams that scroll out of sight and back are not drawn again. */
const MAX_KEPT = 30;
/** In pixels: some kinds of diagram are as wide as the page they are drawn in. */
const PAGE = { width: 640, height: 480 };

/** Has diagrams drawn one after the other, by a page without rights that is there while there is something to draw. */
class Draughtsman {
  readonly #drawn = new Map<string, Promise<Diagram | null>>();
  #page: Promise<HTMLIFrameElement> | null = null;
  #frame: HTMLIFrameElement | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** Null when it cannot be drawn. */
  draw(source: string): Promise<Diagram | null> {
    const known = this.#drawn.get(source);
    if (known !== undefined) return known;
    const drawn = this.#last.then(() => this.#ask(source));
    this.#last = drawn;
    this.#drawn.set(source, drawn);
    for (const [oldest] of this.#drawn) if (this.#drawn.size > MAX_KEPT) this.#drawn.delete(oldest);
    void drawn.then(() => (this.#last === drawn ? this.#end() : undefined));
    return drawn;
  }

  async #ask(source: string): Promise<Diagram | null> {
    const { promise, resolve } = Promise.withResolvers<Diagram | null>();
    const timer = setTimeout(() => {
      this.#end();
      resolve(null);
    }, DRAW_MS);
    const channel = new MessageChannel();
    channel.port1.addEventListener('message', ({ data }: MessageEvent<unknown>) => resolve(Answer.catch(null).parse(data)));
    channel.port1.start();
    // A page that is given up before it was there never comes.
    void (this.#page ??= this.#open()).then(({ contentWindow }) => contentWindow?.postMessage(source, '*', [channel.port2]));
    const diagram = await promise;
    clearTimeout(timer);
    channel.port1.close();
    return diagram;
  }

  /** It has to be laid out to measure texts, and is not seen. Where the extension was replaced while the panel was open, it stays empty. */
  #open(): Promise<HTMLIFrameElement> {
    const frame = (this.#frame = document.createElement('iframe'));
    frame.src = 'diagram.html';
    frame.sandbox.add('allow-scripts');
    frame.inert = true;
    Object.assign(frame, { ...PAGE, ariaHidden: 'true' });
    Object.assign(frame.style, { position: 'fixed', top: '0', insetInlineStart: '0', visibility: 'hidden', border: '0', zIndex: '-1' });
    const loaded = new Promise<HTMLIFrameElement>((resolve) => frame.addEventListener('load', () => resolve(frame), { once: true }));
    document.body.append(frame);
    return loaded;
  }

  #end(): void {
    this.#frame?.remove();
    this.#frame = null;
    this.#page = null;
  }
}

const draughtsman = new Draughtsman();

/** Adds to each framed block of Mermaid its picture; what cannot be drawn stays code. */
export const drawDiagrams = async (root: ParentNode, t: Translate): Promise<void> => {
  for (const source of root.querySelectorAll('.code > pre > code.language-mermaid')) {
    const diagram = await draughtsman.draw(source.textContent);
    const frame = source.closest('.code');
    if (diagram !== null && frame !== null) show(frame, diagram, t);
  }
};

const MAX_WORDS_UNITS = 400;

/** The diagram as pictures, which run nothing and load nothing. */
const show = (frame: Element, diagram: Diagram, t: Translate): void => {
  const { documentElement: root } = new DOMParser().parseFromString(diagram.light, 'image/svg+xml');
  // What is no XML is no picture.
  if (root.localName !== 'svg' || root.querySelector('parsererror') !== null) return;
  const words = Array.from(root.querySelectorAll('text'), ({ textContent }) => textContent.trim());
  const button = makeButton('diagram');
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-label', t('diagram', { words: words.filter(Boolean).join(', ').slice(0, MAX_WORDS_UNITS) }));
  for (const theme of ['light', 'dark'] as const) {
    const image = new Image(Number(root.getAttribute('width')), Number(root.getAttribute('height')));
    image.className = `in-${theme}`;
    image.alt = '';
    image.src = `data:image/svg+xml,${encodeURIComponent(diagram[theme])}`;
    button.append(image);
  }
  button.addEventListener('click', () => button.setAttribute('aria-expanded', String(frame.classList.toggle('large'))));
  const toggle = makeButton('small');
  toggle.textContent = t('show_code');
  toggle.addEventListener('click', () => {
    toggle.textContent = t(frame.classList.toggle('drawn') ? 'show_code' : 'show_diagram');
  });
  frame.querySelector('.code-bar > span')?.after(toggle);
  frame.querySelector('pre')?.before(button);
  frame.classList.add('drawn');
};

const makeButton = (className: string): HTMLButtonElement => {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = className;
  return button;
};
