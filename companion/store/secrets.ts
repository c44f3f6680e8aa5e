/** API keys and the like: in the system's keychain, or in a 0600 file with a warning where there is none (S22). */
import type { Log } from '#companion/lib/log.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Keychain } from './keychain.ts';
import type { Settings } from './settings.ts';
import { createVault } from './vault.ts';

export interface Secrets {
  /** All of one engine's, by name. What cannot be read is left out. */
  all(engineName: string): Promise<Record<string, string>>;
  set(engineName: string, name: string, value: string): Promise<void>;
  remove(engineName: string, name: string): Promise<void>;
  /** Names only, by engine. */
  names(): Record<string, string[]>;
  /** Set while a secret lies in a file. */
  readonly warning: string | null;
}

/** The user's secrets; `loadKeychain` is called when one is first needed, so that nobody is asked to unlock it for nothing. */
export const createSecrets = (options: { vaultFile: string; settings: Settings; loadKeychain: () => Keychain; log: Log }): Secrets => {
  const { vaultFile, settings, log } = options;
  const vault = createVault(vaultFile, log);
  let loaded: Keychain | null = null;
  const keychain = (): Keychain => (loaded ??= options.loadKeychain());

  const setNames = (engineName: string, change: (names: readonly string[]) => string[]): void => {
    const { keychainNames } = settings.current();
    const { [engineName]: old = [], ...others } = keychainNames;
    const names = change(old);
    settings.change({ keychainNames: names.length === 0 ? others : { ...others, [engineName]: names } });
  };
  const dropFromVault = (engineName: string, name: string): void => {
    const { [name]: value, ...others } = vault.entries()[engineName] ?? {};
    if (value !== undefined) vault.replace(engineName, others);
  };

  return {
    all: async (engineName) => {
      const found: Record<string, string> = { ...vault.entries()[engineName] };
      for (const name of settings.current().keychainNames[engineName] ?? []) {
        try {
          const value = await keychain().get(account(engineName, name));
          if (value !== null) found[name] = value;
        } catch (error) {
          log.warn('secrets.keychain_failed', { engineName, name, error });
        }
      }
      return found;
    },
    set: async (engineName, name, value) => {
      if (value === '') throw new CompanionError('INPUT_INVALID', 'A secret cannot be empty.');
      try {
        await keychain().set(account(engineName, name), value);
        setNames(engineName, (names) => [...names.filter((other) => other !== name), name]);
        dropFromVault(engineName, name);
      } catch (error) {
        log.warn('secrets.keychain_failed', { engineName, name, error });
        vault.replace(engineName, { ...vault.entries()[engineName], [name]: value });
        setNames(engineName, (names) => names.filter((other) => other !== name));
      }
    },
    remove: async (engineName, name) => {
      dropFromVault(engineName, name);
      if (settings.current().keychainNames[engineName]?.includes(name) !== true) return;
      try {
        await keychain().remove(account(engineName, name));
      } catch (error) {
        throw new CompanionError('STORE_FAILED', 'The keychain did not remove the secret.', { cause: error });
      }
      setNames(engineName, (names) => names.filter((other) => other !== name));
    },
    names: () => {
      const names: Record<string, string[]> = { ...settings.current().keychainNames };
      for (const [engineName, entries] of Object.entries(vault.entries())) {
        names[engineName] = [...new Set([...(names[engineName] ?? []), ...Object.keys(entries)])];
      }
      return names;
    },
    get warning() {
      const count = Object.values(vault.entries()).reduce((sum, entries) => sum + Object.keys(entries).length, 0);
      const kept = `This system has no usable keychain: ${count === 1 ? 'a secret is' : `${count} secrets are`} kept in ${vaultFile}, readable by you only but not encrypted.`;
      return [vault.warning, count === 0 ? null : kept].filter((warning) => warning !== null).join(' ') || null;
    },
  };
};

const account = (engineName: string, name: string): string => `${engineName}/${name}`;
