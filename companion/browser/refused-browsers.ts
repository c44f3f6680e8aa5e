/** Browsers that have come and were refused for the age of their extension: where they are missed, it is told why. */
import { CompanionError, ERRORS } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import { foreignName } from '#protocol/foreign-name.ts';
import type { BrowserId } from '#protocol/ids.ts';
import type { Said } from '#protocol/said.ts';
import type { Warning } from '#protocol/warnings.ts';
import type { Hello } from './connection.ts';

/** An extension that was refused comes again each half minute; one that does not has gone. */
const KEPT_MS = 100_000;

interface Refused {
  readonly label: string;
  readonly error: CompanionError;
  readonly at: number;
}

export class RefusedBrowsers {
  /** The one that came last is the last. */
  readonly #byId = new Map<BrowserId, Refused>();

  note({ browserId, label }: Pick<Hello, 'browserId' | 'label'>, error: CompanionError): void {
    const others = this.#list().filter(([id]) => id !== browserId);
    this.#byId.clear();
    for (const [id, refused] of others) this.#byId.set(id, refused);
    this.#byId.set(browserId, { label: foreignName(label), error, at: performance.now() });
  }

  /** It has come with an extension that is understood. */
  forget(browserId: BrowserId): void {
    this.#byId.delete(browserId);
  }

  /** Why no browser is there; null where none was refused. */
  reason(): CompanionError | null {
    const [, refused] = this.#list().at(-1) ?? [];
    return refused === undefined ? null : new CompanionError('BROWSER_NOT_CONNECTED', whatOf(refused), { remedy: remedyOf(refused) });
  }

  /** For a person. */
  get warnings(): Warning[] {
    return this.#list().map(([, refused]) => ({ what: whatOf(refused), remedy: remedyOf(refused) }));
  }

  #list(): [BrowserId, Refused][] {
    return [...this.#byId].filter(([, { at }]) => performance.now() - at < KEPT_MS);
  }
}

const whatOf = ({ label, error: { code } }: Refused): Said =>
  explain('extension_refused', { name: label, why: { code, values: {}, text: ERRORS[code].message } });

const remedyOf = ({ error: { code } }: Refused): Said => ({ code: `${code}_REMEDY`, values: {}, text: ERRORS[code].remedy });
