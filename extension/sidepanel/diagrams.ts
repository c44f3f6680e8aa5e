/** Draws diagrams in place of their source, which stays at hand. */
import type { Translate } from './i18n.ts';

/** An SVG for each theme. */
interface Diagram {
  readonly light: string;
  readonly dark: string;
}

/** A graph that takes longer to lay out stays code. */
const DRAW_MS = 5_000;
/** Diagrams that scroll out of sight and back are not drawn again. */
const MAX_KEPT = 30;

/** Has diagrams drawn one after the other, by a worker that is there while there is something to draw. */
class Draughtsman {
  readonly #drawn = new Map<string, Promise<Diagram | null>>();
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** Null when it cannot be drawn whole. */
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
    const worker = (this.#worker ??= new Worker('diagram-worker.js'));
    const { promise, resolve } = Promise.withResolvers<Diagram | null>();
    worker.onmessage = ({ data }: MessageEvent<Diagram | null>) => resolve(data);
    // Where the extension was replaced while the panel was open, the script is gone.
    worker.onerror = () => resolve(null);
    const timer = setTimeout(() => {
      this.#end();
      resolve(null);
    }, DRAW_MS);
    worker.postMessage(source);
    const diagram = await promise;
    clearTimeout(timer);
    return diagram;
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }
}

const draughtsman = new Draughtsman();

/** Adds to each framed block of Mermaid its picture; what cannot be drawn whole stays code. */
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
