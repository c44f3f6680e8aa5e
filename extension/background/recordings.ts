/** Recordings of tabs as pictures one after the other, each for the session that began it, kept until they are cleared or the tab closes. */
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { HeldGrant } from '#protocol/link.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { GifWriter } from '#extension/toolkit/gif.ts';
import type { Gif, GifOptions, Recorder, RecordingOptions, RecordingState } from '#extension/toolkit/records.ts';
import { toBitmap, toBase64 } from './picture.ts';
import type { TabPage } from './tab-page.ts';

/** For which site a recording or a trace was allowed, and by which permission; null where it was allowed for itself. */
export interface Allowance {
  readonly origin: string;
  readonly grant: HeldGrant | null;
}

/** A GIF shows no picture for less. */
const SHORTEST_CS = 2;

type ToPage = (tabId: number, signal: AbortSignal) => Pick<TabPage, 'capture'>;

export class Recordings {
  readonly #kept = new Set<Kept>();
  readonly #toPage: ToPage;

  constructor(toPage: ToPage) {
    this.#toPage = toPage;
  }

  /** The recorder of a session in a tab, for a call. */
  of(sessionId: SessionId, tabId: number, allowance: Allowance): Recorder {
    const isMine = (kept: Kept): boolean => kept.sessionId === sessionId && kept.tabId === tabId;
    const recording = (): Recording | undefined => [...this.#kept].find(isMine)?.recording;
    return {
      state: () => recording()?.state ?? null,
      start: (options) => {
        this.#forget(isMine);
        this.#kept.add({
          sessionId,
          tabId,
          allowance,
          recording: new Recording({ ...options, origin: allowance.origin, toPage: (signal) => this.#toPage(tabId, signal) }),
        });
      },
      capture: () => ofCall(recording()).capture(),
      stop: () => existing(recording()).end(),
      clear: () => this.#forget(isMine),
      toGif: (options) => ofCall(recording()).toGif(options),
    };
  }

  /** A call has done something in the tab. */
  afterCall(tabId: number): void {
    for (const kept of this.#kept) if (kept.tabId === tabId) kept.recording.afterCall();
  }

  forget(tabId: number): void {
    this.#forget((kept) => kept.tabId === tabId);
  }

  /** Those that are allowed no more take no further pictures. */
  endWhere(isOver: (allowance: Allowance) => boolean): void {
    for (const { allowance, recording } of this.#kept) if (isOver(allowance)) recording.end();
  }

  /** Nobody is left for whom tabs of the person are recorded either. */
  endSession(sessionId: SessionId): void {
    this.#forget((kept) => kept.sessionId === sessionId);
  }

  #forget(isMeant: (kept: Kept) => boolean): void {
    for (const kept of [...this.#kept].filter(isMeant)) {
      kept.recording.end();
      this.#kept.delete(kept);
    }
  }
}

interface Kept {
  readonly sessionId: SessionId;
  readonly tabId: number;
  readonly allowance: Allowance;
  readonly recording: Recording;
}

const existing = (recording: Recording | undefined): Recording => {
  if (recording !== undefined) return recording;
  throw new CompanionError('TOOL_FAILED', 'This tab is not recorded.', { remedy: 'Begin with chrome_gif_recorder and "action": "start".' });
};

const ofCall = (recording: Recording | undefined): Recording => existing(recording).ownCall();

interface Options extends RecordingOptions {
  readonly origin: string;
  readonly toPage: (signal: AbortSignal) => Pick<TabPage, 'capture'>;
}

class Recording {
  readonly #options: Options;
  readonly #frames: { readonly data: string; readonly at: number }[] = [];
  readonly #ended = new AbortController();
  #missed = 0;
  /** Whether the call under way is about the recording, and does nothing in the page. */
  #isOwnCall = true;
  #taking: Promise<void> | null = null;

  constructor(options: Options) {
    this.#options = options;
    const limit = setTimeout(() => this.end(), options.maxMs);
    this.#ended.signal.addEventListener('abort', () => clearTimeout(limit));
    if (options.fps !== null) void this.#takeAtRate(1000 / options.fps);
  }

  get state(): RecordingState {
    return {
      isRunning: !this.#ended.signal.aborted,
      isByCall: this.#options.fps === null,
      frames: this.#frames.length,
      missed: this.#missed,
    };
  }

  /** Pictures one at a time; those who ask meanwhile get the same one. */
  capture(): Promise<void> {
    return (this.#taking ??= this.#take().finally(() => {
      this.#taking = null;
    }));
  }

  ownCall(): this {
    this.#isOwnCall = true;
    return this;
  }

  afterCall(): void {
    if (this.#options.fps !== null || this.#ended.signal.aborted) return;
    const isOwnCall = this.#isOwnCall;
    this.#isOwnCall = false;
    if (isOwnCall) return;
    setTimeout(() => void this.capture(), this.#options.delayMs);
  }

  end(): void {
    this.#ended.abort();
  }

  async toGif({ width, height, maxColors, frameDelayCs }: GifOptions): Promise<Gif | null> {
    await this.#taking;
    const [first] = this.#frames;
    if (first === undefined) return null;
    const bitmap = await toBitmap(first.data, 'image/jpeg');
    const scale = Math.min(1, width / bitmap.width, height / bitmap.height);
    const [w, h] = [Math.max(1, Math.round(bitmap.width * scale)), Math.max(1, Math.round(bitmap.height * scale))];
    bitmap.close();
    const canvas = new OffscreenCanvas(w, h);
    const writer = new GifWriter(w, h);
    for (const { data } of this.#frames) writer.count(await pixelsOf(data, canvas));
    for (const [index, { data, at }] of this.#frames.entries()) {
      const next = this.#frames[index + 1]?.at;
      const delayCs = this.#options.fps === null || next === undefined ? frameDelayCs : Math.max(SHORTEST_CS, Math.round((next - at) / 10));
      writer.draw(await pixelsOf(data, canvas), delayCs, maxColors);
    }
    return { dataBase64: await toBase64(new Blob([writer.end()])), width: w, height: h };
  }

  async #takeAtRate(everyMs: number): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const begun = performance.now();
      await this.capture();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + everyMs - performance.now())));
    }
  }

  /** What a yes was given for is one site; while the tab shows another one there are no pictures. */
  async #take(): Promise<void> {
    const { origin, toPage, maxFrames } = this.#options;
    const { signal } = this.#ended;
    if (signal.aborted) return;
    try {
      const { picture, url } = await toPage(signal).capture({ type: 'jpeg', target: null, fullPage: false });
      if (originOf(url) === origin) this.#frames.push({ data: picture.data, at: performance.now() });
      else this.#missed += 1;
    } catch {
      // The page went away under the picture, shows a dialog, or is off limits.
      if (!signal.aborted) this.#missed += 1;
    }
    if (this.#frames.length >= maxFrames) this.end();
  }
}

const pixelsOf = async (data: string, canvas: OffscreenCanvas): Promise<Uint8ClampedArray> => {
  const bitmap = await toBitmap(data, 'image/jpeg');
  const drawing = canvas.getContext('2d', { willReadFrequently: true });
  if (drawing === null) throw new CompanionError('TOOL_FAILED', 'The browser draws no pictures in its worker.');
  drawing.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return drawing.getImageData(0, 0, canvas.width, canvas.height).data;
};
