/** What a session records of its tabs; the background implements it. */
import type { TraceEvent } from './trace-insights.ts';

export interface RecordingOptions {
  /** Pictures a second; null takes one after each call that does something in the tab. */
  readonly fps: number | null;
  readonly maxFrames: number;
  readonly maxMs: number;
  /** From the end of a call to its picture. */
  readonly delayMs: number;
}

export interface RecordingState {
  readonly isRunning: boolean;
  readonly isByCall: boolean;
  readonly frames: number;
  /** Pictures that were not taken: the tab showed another site, or changed meanwhile. */
  readonly missed: number;
}

export interface GifOptions {
  readonly width: number;
  readonly height: number;
  readonly maxColors: number;
  /** Of a picture after a call, in hundredths of a second; others last as long as they did. */
  readonly frameDelayCs: number;
}

export interface Gif {
  readonly dataBase64: string;
  readonly width: number;
  readonly height: number;
}

/** Pictures of the tab, one after the other. Those of an earlier recording are forgotten when one begins. */
export interface Recorder {
  state(): RecordingState | null;
  start(options: RecordingOptions): void;
  /** One more picture, now. */
  capture(): Promise<void>;
  stop(): void;
  clear(): void;
  /** Null when there is no picture. */
  toGif(options: GifOptions): Promise<Gif | null>;
}

/** What Chrome itself notes of all that goes on in the tab. */
export interface Tracer {
  isRunning(): boolean;
  start(): Promise<void>;
  /** Ends it, at once or a while from now; the newest one is kept. */
  stop(afterMs?: number): Promise<readonly TraceEvent[]>;
  /** The newest one of this session, if it is of the site that the tab shows. */
  last(origin: string): readonly TraceEvent[] | null;
}
