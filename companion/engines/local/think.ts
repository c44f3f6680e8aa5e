/** Thoughts that a server leaves in the text, between `<think>` and `</think>`, told apart from it as they stream. */

const OPEN = '<think>';
const CLOSE = '</think>';

interface ThinkSink {
  readonly onText: (text: string) => void;
  readonly onThought: (text: string) => void;
  readonly onWasThought: () => void;
}

/**
 * Splits one answer. Thoughts stand at its beginning only. Some servers swallow the opening tag: then the closing one, on a line
 * of its own, says that all the text before it was thoughts, and `onWasThought` is called.
 */
export class ThinkSplitter {
  readonly #sink: ThinkSink;
  #state: 'start' | 'thought' | 'after' | 'text' = 'start';
  #hasThought = false;
  /** Text of which it is not certain yet what it is. */
  #held = '';

  constructor(sink: ThinkSink) {
    this.#sink = sink;
  }

  push(text: string): void {
    this.#held += text;
    while (this.#step(false));
  }

  /** The answer is over, so no tag can be completed any more. */
  end(): void {
    while (this.#step(true));
  }

  /** Takes what is certain from the held text; returns whether there may be more to take. */
  #step(isEnd: boolean): boolean {
    switch (this.#state) {
      case 'start':
        return this.#begin(isEnd);
      case 'thought':
        return this.#think(isEnd);
      case 'after':
        this.#held = this.#held.trimStart();
        if (this.#held === '') return false;
        this.#hasThought = true;
        this.#state = 'text';
        return true;
      case 'text':
        return this.#say(isEnd);
    }
  }

  #begin(isEnd: boolean): boolean {
    const begin = this.#held.trimStart();
    if (begin.startsWith(OPEN)) {
      this.#held = begin.slice(OPEN.length);
      this.#state = 'thought';
      return true;
    }
    if ((OPEN.startsWith(begin) || CLOSE.startsWith(begin)) && !isEnd) return false;
    // The server swallowed the opening tag, and there was nothing to think about.
    if (begin.startsWith(CLOSE)) this.#held = begin.slice(CLOSE.length);
    this.#state = begin.startsWith(CLOSE) ? 'after' : 'text';
    return true;
  }

  #think(isEnd: boolean): boolean {
    if (!this.#hasThought) this.#held = this.#held.trimStart();
    const held = this.#held;
    const at = held.indexOf(CLOSE);
    const end = at === -1 ? (isEnd ? held.length : held.length - overlap(held, CLOSE)) : at;
    const thought = held.slice(0, end);
    // A model that was told not to think leaves the tags empty.
    if (thought !== '') this.#sink.onThought(thought);
    this.#hasThought ||= thought !== '';
    this.#held = held.slice(at === -1 ? end : at + CLOSE.length);
    if (at === -1) return false;
    this.#state = 'after';
    return true;
  }

  #say(isEnd: boolean): boolean {
    const held = this.#held;
    const at = this.#hasThought ? -1 : held.search(/\n<\/think>\s/);
    if (at !== -1) {
      if (at > 0) this.#sink.onText(held.slice(0, at));
      this.#sink.onWasThought();
      this.#held = held.slice(at + 1 + CLOSE.length);
      this.#state = 'after';
      return true;
    }
    const kept = this.#hasThought || isEnd ? 0 : overlap(held, `\n${CLOSE}\n`);
    const text = held.slice(0, held.length - kept);
    if (text !== '') this.#sink.onText(text);
    this.#held = held.slice(held.length - kept);
    return false;
  }
}

/** How many characters at the end of `text` begin `tag`. */
const overlap = (text: string, tag: string): number => {
  for (let length = Math.min(text.length, tag.length); length > 0; length -= 1) if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
};
