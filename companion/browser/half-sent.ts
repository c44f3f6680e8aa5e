/** Limits what all links together may hold of unfinished messages: any link may announce much and never send the rest. */
import type { Duplex } from 'node:stream';

/** The size of the two largest messages. */
const MAX_BYTES = 128 * 1024 * 1024;

export class HalfSent {
  readonly #bytes = new Map<Duplex, number>();

  /** Adds bytes of an unfinished message. When there are too many, the link that holds the most is ended and returned. */
  add(socket: Duplex, bytes: number): Duplex | null {
    this.#bytes.set(socket, (this.#bytes.get(socket) ?? 0) + bytes);
    const sum = this.#bytes.values().reduce((total, held) => total + held, 0);
    if (sum <= MAX_BYTES) return null;
    const [largest] = this.#bytes.entries().reduce((most, next) => (next[1] > most[1] ? next : most));
    this.clear(largest);
    largest.destroy();
    return largest;
  }

  /** The message of this link is complete, or the link has ended. */
  clear(socket: Duplex): void {
    this.#bytes.delete(socket);
  }
}
