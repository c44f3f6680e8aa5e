/** What all links together may hold of messages that are not whole yet: any of them may announce much and never send the rest. */
import type { Duplex } from 'node:stream';

/** Two of the largest messages there are. */
const MAX_BYTES = 128 * 1024 * 1024;

export class HalfSent {
  readonly #bytes = new Map<Duplex, number>();

  /** More has come for a message that is not whole. When that is too much, the link that holds the most is ended and given back. */
  add(socket: Duplex, bytes: number): Duplex | null {
    this.#bytes.set(socket, (this.#bytes.get(socket) ?? 0) + bytes);
    const sum = this.#bytes.values().reduce((total, held) => total + held, 0);
    if (sum <= MAX_BYTES) return null;
    const [largest] = this.#bytes.entries().reduce((most, next) => (next[1] > most[1] ? next : most));
    this.clear(largest);
    largest.destroy();
    return largest;
  }

  /** A message is whole, or its link has ended. */
  clear(socket: Duplex): void {
    this.#bytes.delete(socket);
  }
}
