/** Thoughts that a server leaves in the text, between `<think>` and `</think>`, told apart from it as they stream. */

const OPEN = '<think>';
const CLOSE = '</think>';

export interface ThinkSplitter {
  push(text: string): void;
  /** The answer is over: what was held back is what it looks like. */
  end(): void;
}

/**
 * Thoughts stand at the beginning of an answer only. Where the server has swallowed the opening tag, the closing one, on a line
 * of its own, says that all the text before it was thoughts: `onWasThought`.
 */
export const createThinkSplitter = (sink: {
  readonly onText: (text: string) => void;
  readonly onThought: (text: string) => void;
  readonly onWasThought: () => void;
}): ThinkSplitter => {
  let state: 'start' | 'thought' | 'after' | 'text' = 'start';
  let hasThought = false;
  let held = '';

  /** Takes what is certain out of `held`; true when there may be more to take. */
  const step = (isEnd: boolean): boolean => {
    switch (state) {
      case 'start': {
        const begin = held.trimStart();
        if (begin.startsWith(OPEN)) {
          held = begin.slice(OPEN.length);
          state = 'thought';
          return true;
        }
        if ((OPEN.startsWith(begin) || CLOSE.startsWith(begin)) && !isEnd) return false;
        // The opening tag was swallowed, and there was nothing to think about.
        if (begin.startsWith(CLOSE)) held = begin.slice(CLOSE.length);
        state = begin.startsWith(CLOSE) ? 'after' : 'text';
        return true;
      }
      case 'thought': {
        if (!hasThought) held = held.trimStart();
        const at = held.indexOf(CLOSE);
        const end = at === -1 ? (isEnd ? held.length : held.length - overlap(held, CLOSE)) : at;
        const thought = held.slice(0, end);
        // A model that was told not to think leaves the tags empty.
        if (thought !== '') sink.onThought(thought);
        hasThought ||= thought !== '';
        held = held.slice(at === -1 ? end : at + CLOSE.length);
        if (at === -1) return false;
        state = 'after';
        return true;
      }
      case 'after':
        held = held.trimStart();
        if (held === '') return false;
        hasThought = true;
        state = 'text';
        return true;
      case 'text': {
        const at = hasThought ? -1 : held.search(/\n<\/think>\s/);
        if (at !== -1) {
          if (at > 0) sink.onText(held.slice(0, at));
          sink.onWasThought();
          held = held.slice(at + 1 + CLOSE.length);
          state = 'after';
          return true;
        }
        const keep = hasThought || isEnd ? 0 : overlap(held, `\n${CLOSE}\n`);
        const text = held.slice(0, held.length - keep);
        if (text !== '') sink.onText(text);
        held = held.slice(held.length - keep);
        return false;
      }
    }
  };
  const drain = (isEnd: boolean): void => {
    while (step(isEnd));
  };
  return {
    push: (text) => {
      held += text;
      drain(false);
    },
    end: () => drain(true),
  };
};

/** How many characters at the end of `text` begin `tag`. */
const overlap = (text: string, tag: string): number => {
  for (let length = Math.min(text.length, tag.length); length > 0; length -= 1) if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
};
