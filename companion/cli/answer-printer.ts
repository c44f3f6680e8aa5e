/** What an agent says and does as lines of a plain terminal, a pipe or a file. */
import { toolTarget } from '#display/tool-line.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { isTurnError } from '#protocol/items.ts';
import type { ViewItem } from '#protocol/view.ts';
import type { Io } from './io.ts';

/** Prints what an item has grown by: messages on stdout, what the agent does on stderr. */
export class AnswerPrinter {
  readonly #io: Io;
  /** What was printed of each item. */
  readonly #printed = new Map<string, string>();
  #isFirst = true;
  #isInLine = false;

  constructor(io: Io) {
    this.#io = io;
  }

  /** Makes sure that whatever comes next, on either stream, begins a new line. */
  endLine(): void {
    if (this.#isInLine) this.#io.write('\n');
    this.#isInLine = false;
  }

  print({ itemId, parentItemId, body, status }: ViewItem, eventType: SessionEvent['type']): void {
    if (body.kind === 'message' && body.role === 'assistant' && parentItemId === null) this.#printText(itemId, body.text);
    if (body.kind === 'notice' && eventType === 'item.started' && !isTurnError(body)) this.note(`! ${body.text}`);
    if (body.kind !== 'tool') return;
    const isEnd = eventType === 'item.completed';
    // The name comes first; what the call works on often comes only with an update.
    if (!this.#printed.has(itemId) && (body.title !== body.tool || isEnd)) {
      this.#printed.set(itemId, '');
      this.note(`· ${body.tool} ${toolTarget(body)}`.trimEnd());
    }
    if (isEnd && status !== 'completed') this.note(`· ${body.tool} ${status}`);
  }

  /** Prints a line of its own on stderr. */
  note(line: string): void {
    this.endLine();
    this.#io.note(line);
  }

  #printText(itemId: string, text: string): void {
    const known = this.#printed.get(itemId) ?? '';
    // A final text that differs from the streamed one is printed whole, on lines of its own.
    const addition = text.startsWith(known) ? text.slice(known.length) : `\n${text}`;
    if (addition === '') return;
    if (!this.#printed.has(itemId) && !this.#isFirst) {
      this.endLine();
      this.#io.write('\n');
    }
    this.#isFirst = false;
    this.#isInLine = !addition.endsWith('\n');
    this.#printed.set(itemId, text);
    this.#io.write(addition);
  }
}
