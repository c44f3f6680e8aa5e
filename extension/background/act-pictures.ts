/** Takes small pictures of a page before and after an agent's act, where the person wants them. */
import { forgetPictures, keepPictures } from '#extension/shared/act-pictures.ts';
import { type OffLimits, isAllowedPage } from '#extension/shared/addresses.ts';
import { usualLook, watchLook } from '#extension/shared/look.ts';
import { toBase64, toBitmap } from './picture.ts';
import type { TabPage } from './tab-page.ts';

/** An act waits no longer for its picture, and fails for none. */
const LIMIT_MS = 2_000;

/** As wide as the panel shows it. */
const WIDTH = 320;
const QUALITY = 0.6;

interface Act {
  readonly callId: string;
  readonly sessionId: string;
  readonly tabId: number;
}

interface Options {
  pageOf(tabId: number, signal: AbortSignal): TabPage;
  offLimits(): OffLimits;
}

export class ActPictures {
  readonly #options: Options;
  #isOn = usualLook.pictures;

  constructor(options: Options) {
    this.#options = options;
    watchLook(({ pictures }) => {
      const isEnded = this.#isOn && !pictures;
      this.#isOn = pictures;
      if (isEnded) forgetPictures().catch((error: unknown) => console.warn('pictures of acts were not removed', error));
    });
  }

  async during<T>({ callId, sessionId, tabId }: Act, run: () => Promise<T>): Promise<T> {
    if (!this.#isOn) return run();
    const before = await this.#take(tabId);
    try {
      return await run();
    } finally {
      const after = await this.#take(tabId);
      if (this.#isOn && (before !== null || after !== null))
        await keepPictures({ callId, sessionId, at: Date.now(), before, after }).catch((error: unknown) =>
          console.warn('pictures of an act were not kept', error),
        );
    }
  }

  /** Secret fields and frames of closed sites are hidden in it as in every picture; of a closed site itself there is none. */
  async #take(tabId: number): Promise<string | null> {
    const page = this.#options.pageOf(tabId, AbortSignal.timeout(LIMIT_MS));
    try {
      if (!this.#isOpen((await page.info()).url)) return null;
      const { picture, url } = await page.capture({ type: 'jpeg', target: null, fullPage: false });
      return this.#isOpen(url) ? await shrink(picture.data) : null;
    } catch {
      // The page has gone, hangs or is none that may be pictured.
      return null;
    }
  }

  #isOpen(url: string): boolean {
    return isAllowedPage(url, this.#options.offLimits());
  }
}

const shrink = async (base64: string): Promise<string> => {
  const bitmap = await toBitmap(base64, 'image/jpeg');
  const scale = Math.min(1, WIDTH / bitmap.width);
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(bitmap.width * scale)), Math.max(1, Math.round(bitmap.height * scale)));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return toBase64(await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY }));
};
