/** The secrets that the daemon has come across since it started. What is kept of any session, and what is asked, is redacted with them. */
import { MIN_SECRET_CHARS, redactAddresses, Redactor } from './redact.ts';

/** Beyond this number the one that was learned first is forgotten. */
const MAX_SECRETS = 1000;

export class KnownSecrets {
  readonly #secrets = new Set<string>();
  #redactor: Redactor | null = null;

  learn(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret.length < MIN_SECRET_CHARS || this.#secrets.has(secret)) continue;
      this.#secrets.add(secret);
      this.#redactor = null;
    }
    for (const oldest of this.#secrets) {
      if (this.#secrets.size <= MAX_SECRETS) return;
      this.#secrets.delete(oldest);
    }
  }

  /** For a secret that opens nothing any more. */
  forget(secret: string): void {
    if (this.#secrets.delete(secret)) this.#redactor = null;
  }

  /** Blots out what is known now; what is learned later is in the next one. */
  get redactor(): Redactor {
    return (this.#redactor ??= new Redactor(this.#secrets));
  }

  /** A text for a file that outlives its session: also without passwords and keys in addresses that nobody has told us of. */
  redact(text: string): string {
    return redactAddresses(this.redactor.text(text));
  }
}
