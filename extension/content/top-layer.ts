/**
 * What the extension draws over a page. The page learns nothing of what is drawn, and neither presses, covers nor removes it; pictures for
 * agents, and paper, show the page without it.
 */
import { unnoticed } from './changes.ts';
import { addOwn } from './own.ts';

/** A page that fights against it is not fought for ever. */
const MAX_REPAIRS = 200;

/** The page may read this, so it says nothing of what is drawn. */
const HOST =
  'all: initial !important; position: fixed !important; inset: 0 !important; width: auto !important; height: auto !important;' +
  'margin: 0 !important; padding: 0 !important; border: 0 !important; background: none !important; overflow: hidden !important;' +
  'pointer-events: none !important;';

/** A page that darkens what is behind its own dialogs does not darken itself behind this. */
const SHEET = ':host::backdrop { display: none !important } @media print { * { display: none !important } }';

/** Why nothing of the extension's is in the page for a moment: a picture is taken, or a real pointer finds its way. */
type Absence = 'picture' | 'pointer';

/** Pictures that follow each other closely are of a page that does not blink between them, and none of them waits for a frame. */
const AFTER_PICTURE_MS = 300;

/** The person sees it again after this, however many pictures are taken. */
const LONGEST_AWAY_MS = 1_000;

/** What is drawn is placed by what the view shows, which the page's own zoom has changed already. */
const placeInView = (drawn: HTMLElement): void =>
  drawn.style.setProperty('zoom', String(1 / document.documentElement.currentCSSZoom), 'important');

const layers = new Set<TopLayer>();
const absences = new Set<Absence>();
let awaySince = 0;
let returning: ReturnType<typeof setTimeout> | undefined;

/** Takes everything of the extension's out of the page; returns whether there was anything. */
export const hideLayers = (why: Absence): boolean => {
  if (why === 'picture') clearTimeout(returning);
  const shown = [...layers].filter(({ isShown }) => isShown);
  if (shown.length > 0) awaySince = performance.now();
  absences.add(why);
  for (const layer of shown) layer.hide();
  return shown.length > 0;
};

export const showLayers = (why: Absence): void => {
  if (why === 'pointer') return bringBack(why);
  // A picture may be begun again before the last one's time is over.
  clearTimeout(returning);
  const leftMs = awaySince + LONGEST_AWAY_MS - performance.now();
  returning = setTimeout(bringBack, Math.min(leftMs, AFTER_PICTURE_MS), why);
};

const bringBack = (why: Absence): void => {
  if (absences.delete(why) && absences.size === 0) for (const layer of layers) layer.show();
};

export class TopLayer {
  readonly #host = document.createElement('div');
  readonly #ending = new AbortController();
  readonly #watch = new MutationObserver(() => this.#repair());
  #repairs = 0;
  #isShown = false;

  constructor(...content: readonly Element[]) {
    addOwn(this.#host);
    // From this world a closed root is out of the page's reach.
    const root = this.#host.attachShadow({ mode: 'closed' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(SHEET);
    root.adoptedStyleSheets = [sheet];
    root.append(...content);
    // Whatever the page puts into the top layer after it would cover it.
    for (const type of ['toggle', 'fullscreenchange'])
      addEventListener(type, (event) => (event.target === this.#host ? undefined : this.#repair()), {
        capture: true,
        signal: this.signal,
      });
    layers.add(this);
    this.show();
  }

  /** Aborted when it is removed. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  /** Into the top layer, above whatever is there. */
  show(): void {
    if (absences.size > 0 || this.signal.aborted) return;
    this.#isShown = true;
    this.#watch.disconnect();
    unnoticed(() => {
      this.#host.remove();
      this.#host.style.cssText = HOST;
      placeInView(this.#host);
      this.#host.setAttribute('aria-hidden', 'true');
      this.#host.popover = 'manual';
      document.documentElement.append(this.#host);
      this.#host.showPopover();
    });
    this.#watch.observe(document.documentElement, { childList: true });
    this.#watch.observe(this.#host, { attributes: true });
  }

  hide(): void {
    this.#isShown = false;
    this.#watch.disconnect();
    unnoticed(() => this.#host.remove());
  }

  remove(): void {
    this.#ending.abort();
    layers.delete(this);
    this.hide();
  }

  #repair(): void {
    if (!this.#isShown || this.#repairs === MAX_REPAIRS) return;
    this.#repairs += 1;
    this.show();
  }
}
