/** The lines of an agent without secrets, also without one that comes in pieces, a line each: the pieces of a text stand behind the same beginning of a line. */
import { BLOT, RedactedStream, type Redactor } from '#companion/lib/redact.ts';

/** A text in a line of JSON, by the names that agents give to pieces. */
const PIECE = /"(?:text|thinking|partial_json|delta|content|arguments|chunk|output)":\s?("(?:[^"\\]|\\.)*")/g;
/** Claude says only at the end of a line whose piece it is. */
const PARENT = /"parent_tool_use_id":"([\w-]*)"/;
/** What stands further back in a line is a part of something whole, and so is a longer line. */
const MAX_PLACE_CHARS = 600;
const MAX_LINE_CHARS = 64 * 1024;
/** No more texts are followed at once. */
const MAX_PLACES = 64;
/** A text that has not gone on after so many lines has ended. */
const MAX_WAITING = 200;

interface Waiting {
  readonly line: string;
  readonly places: readonly string[];
}

export class RedactedLines {
  readonly #known: { readonly redactor: Redactor };
  readonly #tell: (line: string) => void;
  /** The text at each place, and the one that went on last stands last. */
  readonly #texts = new Map<string, RedactedStream>();
  /** Its place. */
  #last: string | null = null;
  /** Lines from the first one on whose piece may be a part of a secret. */
  #waiting: Waiting[] = [];

  /** `tell` is called for each line in turn; a line that contains a part of a secret is left out. */
  constructor(known: { readonly redactor: Redactor }, tell: (line: string) => void) {
    this.#known = known;
    this.#tell = tell;
  }

  add(line: string): void {
    const places: string[] = [];
    let isPart = false;
    for (const { place, text } of piecesIn(line)) {
      const stream = this.#textAt(place);
      stream.push(text);
      places.push(place);
      if (!stream.wasCut) continue;
      stream.wasCut = false;
      isPart = true;
      this.#waiting = this.#waiting.filter((waiting) => !waiting.places.includes(place));
    }
    if (!isPart) this.#waiting.push({ line: this.#known.redactor.line(line), places });
    this.#release();
  }

  /** No text goes on. */
  end(): void {
    const parts = new Set<string>();
    for (const [place, stream] of this.#texts) if (stream.end().includes(BLOT)) parts.add(place);
    this.#texts.clear();
    this.#last = null;
    for (const { line, places } of this.#waiting) if (!places.some((place) => parts.has(place))) this.#tell(line);
    this.#waiting = [];
  }

  #release(): void {
    let first = this.#waiting[0];
    while (first !== undefined) {
      const isDoubtful = first.places.some((place) => this.#texts.get(place)?.isRevealing === true);
      if (isDoubtful && this.#waiting.length <= MAX_WAITING) return;
      this.#waiting.shift();
      if (!isDoubtful) this.#tell(first.line);
      first = this.#waiting[0];
    }
  }

  #textAt(place: string): RedactedStream {
    const stream = this.#texts.get(place) ?? new RedactedStream(this.#known);
    if (place === this.#last) return stream;
    this.#last = place;
    this.#texts.delete(place);
    this.#texts.set(place, stream);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MAX_PLACES && oldest !== undefined) this.#texts.delete(oldest);
    return stream;
  }
}

const piecesIn = (line: string): { place: string; text: string }[] => {
  if (line.length > MAX_LINE_CHARS) return [];
  const pieces: { place: string; text: string }[] = [];
  for (const { 0: whole, 1: quoted = '', index } of line.matchAll(PIECE)) {
    const at = index + whole.length - quoted.length;
    if (at > MAX_PLACE_CHARS) break;
    const parent = PARENT.exec(line)?.[1] ?? '';
    pieces.push({ place: `${line.slice(0, at)} ${parent}`, text: textIn(quoted) });
  }
  return pieces;
};

const textIn = (quoted: string): string => {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
};
