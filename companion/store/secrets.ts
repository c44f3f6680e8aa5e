/** API keys and the like: in the system's keychain, or, where there is none, in a file that only the user can read, with a warning. */
import type { KnownSecrets } from '#companion/lib/known-secrets.ts';
import type { Log } from '#companion/lib/log.ts';
import { CompanionError } from '#protocol/errors.ts';
import { warn, type Warning } from '#protocol/warnings.ts';
import { explain } from '#protocol/faults.ts';
import type { Keychain } from './keychain.ts';
import { keychainRemedy } from './keychain-remedy.ts';
import type { Settings } from './settings.ts';
import { Vault } from './vault.ts';

/** The user's secrets. */
export class Secrets {
  readonly #vaultFile: string;
  readonly #vault: Vault;
  readonly #settings: Settings;
  readonly #loadKeychain: () => Keychain;
  readonly #log: Log;
  readonly #known: KnownSecrets | undefined;
  #keychain: Keychain | null = null;
  /** Why it did not take the last secret; null when it did, or was not asked. */
  #writeFault: unknown = null;
  /** The names of those that it neither took anew nor removed, so that it holds what they were before. */
  readonly #left = new Set<string>();
  /** Why it did not give the last one. */
  #readFault: unknown = null;

  /** `loadKeychain` is called when a secret is first needed, so that nobody is asked to unlock the keychain for nothing. */
  constructor(options: { vaultFile: string; settings: Settings; loadKeychain: () => Keychain; log: Log; known?: KnownSecrets }) {
    this.#vaultFile = options.vaultFile;
    this.#vault = new Vault(options.vaultFile, options.log);
    this.#settings = options.settings;
    this.#loadKeychain = options.loadKeychain;
    this.#log = options.log;
    this.#known = options.known;
    for (const entries of Object.values(this.#vault.entries())) this.#known?.learn(Object.values(entries));
  }

  /** Told as long as a secret is kept in a file, or was not given by the keychain. */
  get warnings(): Warning[] {
    const count = Object.values(this.#vault.entries()).reduce((sum, entries) => sum + Object.keys(entries).length, 0);
    const file = this.#vaultFile;
    const isUnread = this.#readFault !== null && Object.keys(this.#settings.current().keychainNames).length > 0;
    const mend = keychainRemedy(this.#writeFault, process.platform);
    const kept: Warning = {
      what: count === 1 ? warn('secret_in_file', { file }) : warn('secrets_in_file', { count, file }),
      remedy: warn('mend_and_enter', { remedy: mend }),
    };
    const left: Warning = {
      what: warn('old_secrets_left', { names: [...this.#left].join(', ') }),
      remedy: warn('mend_then_enter', { remedy: mend }),
    };
    const unread: Warning = { what: warn('secret_not_given'), remedy: keychainRemedy(this.#readFault, process.platform) };
    return [this.#vault.warning, count === 0 ? null : kept, this.#left.size === 0 ? null : left, isUnread ? unread : null].filter(
      (warning) => warning !== null,
    );
  }

  /** The names of the stored secrets, by engine. */
  names(): Record<string, string[]> {
    const names = new Map(Object.entries(this.#settings.current().keychainNames));
    for (const [engineName, entries] of Object.entries(this.#vault.entries())) {
      names.set(engineName, [...new Set([...(names.get(engineName) ?? []), ...Object.keys(entries)])]);
    }
    return Object.fromEntries(names);
  }

  /** All secrets of one engine, by name. A secret that cannot be read is left out. */
  async all(engineName: string): Promise<Record<string, string>> {
    const found = new Map(Object.entries(this.#vault.entries()[engineName] ?? {}));
    for (const name of this.#settings.current().keychainNames[engineName] ?? []) {
      try {
        const value = await this.#openKeychain().get(account(engineName, name));
        if (value !== null) found.set(name, value);
        this.#readFault = null;
      } catch (error) {
        this.#readFault = error;
        this.#log.warn('secrets.keychain_failed', { engineName, name, error });
      }
    }
    this.#known?.learn(found.values());
    return Object.fromEntries(found);
  }

  async set(engineName: string, name: string, value: string): Promise<void> {
    if (value === '') throw new CompanionError('INPUT_INVALID', explain('secret_empty'));
    this.#known?.learn([value]);
    try {
      await this.#openKeychain().set(account(engineName, name), value);
      this.#setNames(engineName, (names) => [...names.filter((other) => other !== name), name]);
      this.#dropFromVault(engineName, name);
      this.#left.delete(account(engineName, name));
      this.#writeFault = null;
    } catch (error) {
      this.#writeFault = error;
      this.#log.warn('secrets.keychain_failed', { engineName, name, error });
      this.#vault.replace(engineName, { ...this.#vault.entries()[engineName], [name]: value });
      if (this.#settings.current().keychainNames[engineName]?.includes(name) === true) await this.#removeOld(account(engineName, name));
      this.#setNames(engineName, (names) => names.filter((other) => other !== name));
    }
  }

  async remove(engineName: string, name: string): Promise<void> {
    this.#dropFromVault(engineName, name);
    if (this.#settings.current().keychainNames[engineName]?.includes(name) !== true) return;
    try {
      await this.#openKeychain().remove(account(engineName, name));
    } catch (error) {
      throw new CompanionError('STORE_FAILED', explain('keychain_kept'), { cause: error });
    }
    this.#setNames(engineName, (names) => names.filter((other) => other !== name));
  }

  /** A value that is not the one to be used any more must not stay where it is hard to find. */
  async #removeOld(entry: string): Promise<void> {
    try {
      await this.#openKeychain().remove(entry);
    } catch (error) {
      this.#left.add(entry);
      this.#log.warn('secrets.keychain_failed', { entry, error });
    }
  }

  #openKeychain(): Keychain {
    return (this.#keychain ??= this.#loadKeychain());
  }

  #setNames(engineName: string, change: (names: readonly string[]) => string[]): void {
    const names = new Map(Object.entries(this.#settings.current().keychainNames));
    const changed = change(names.get(engineName) ?? []);
    if (changed.length === 0) names.delete(engineName);
    else names.set(engineName, changed);
    this.#settings.change({ keychainNames: Object.fromEntries(names) });
  }

  #dropFromVault(engineName: string, name: string): void {
    const { [name]: value, ...others } = this.#vault.entries()[engineName] ?? {};
    if (value !== undefined) this.#vault.replace(engineName, others);
  }
}

const account = (engineName: string, name: string): string => `${engineName}/${name}`;
