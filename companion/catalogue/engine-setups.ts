/** What the user set for each agent, read and changed in one place: settings, secrets, and agents that the user added. */
import type { Engine } from '#companion/engines/engine.ts';
import type { Log } from '#companion/lib/log.ts';
import { own } from '#companion/lib/own.ts';
import type { CustomEngine, EngineSettings } from '#companion/store/settings.ts';
import type { Store } from '#companion/store/store.ts';
import { type CustomEngineInput, type EngineSettingsInput, type EngineSetup, VariableName } from '#protocol/engine-setup.ts';
import { CompanionError } from '#protocol/errors.ts';
import { nameIn } from '#protocol/modes.ts';
import type { Warning } from '#protocol/warnings.ts';
import { explain } from '#protocol/faults.ts';
import type { EngineCatalogue, KnownEngine } from './engine-catalogue.ts';

export interface EngineSetupsOptions {
  readonly store: Pick<Store, 'settings' | 'secrets'>;
  readonly catalogue: Pick<EngineCatalogue, 'known'>;
  readonly log: Log;
  /** Called with the name of an agent whose setup has changed. */
  readonly onChange: (name: string) => void;
}

export class EngineSetups {
  readonly #settings: Store['settings'];
  readonly #secrets: Store['secrets'];
  readonly #catalogue: Pick<EngineCatalogue, 'known'>;
  readonly #log: Log;
  readonly #onChange: (name: string) => void;

  constructor(options: EngineSetupsOptions) {
    this.#settings = options.store.settings;
    this.#secrets = options.store.secrets;
    this.#catalogue = options.catalogue;
    this.#log = options.log;
    this.#onChange = options.onChange;
  }

  /** All agents, including those that are switched off. */
  list(): EngineSetup[] {
    return this.#catalogue.known().map((known) => this.#toSetup(known));
  }

  /** Throws ENGINE_UNKNOWN, like all methods below. */
  read(name: string): EngineSetup {
    return this.#toSetup(this.#find(name));
  }

  /** Throws where the agent has nothing of that kind to set. */
  checkChange(name: string, change: EngineSettingsInput): void {
    checkFits(this.#find(name).engine, change);
  }

  /** The program and first arguments of an agent that the user added; empty for the others, which are found. */
  ownCommand(name: string): readonly string[] {
    const { engine } = this.#find(name);
    return engine.type === 'process' ? (engine.command ?? []) : [];
  }

  change(name: string, change: EngineSettingsInput): EngineSetup {
    const { engine } = this.#find(name);
    checkFits(engine, change);
    const { byName, custom } = this.#settings.current().engines;
    const { [name]: _, ...others } = byName;
    const old = own(byName, name) ?? {};
    checkKey(engine, old.endpoint, change.endpoint, own(this.#secrets.names(), name) ?? []);
    const next = merge(old, change);
    this.#settings.change({ engines: { byName: Object.keys(next).length === 0 ? others : { ...others, [name]: next }, custom } });
    this.#log.warn('engine.settings_changed', { name, what: Object.keys(change) });
    this.#onChange(name);
    return this.read(name);
  }

  /** Stores a secret; null removes it. */
  async setSecret(name: string, secretName: string, value: string | null): Promise<EngineSetup> {
    const { engine } = this.#find(name);
    const isKnown = this.read(name).secrets.some((secret) => secret.name === secretName);
    if (!isKnown && !(engine.secretNames === null && VariableName.safeParse(secretName).success)) {
      const names = engine.secretNames?.join(', ') ?? '';
      const agent = nameIn(engine);
      throw new CompanionError(
        'INPUT_INVALID',
        names === '' ? explain('reads_no_secret', { agent }) : explain('reads_secrets', { agent, names }),
      );
    }
    if (value === null) await this.#secrets.remove(name, secretName);
    else await this.#secrets.set(name, secretName, value);
    this.#log.warn('engine.secret_changed', { name, secretName, isSet: value !== null });
    this.#onChange(name);
    return this.read(name);
  }

  add({ name, label, command, args }: CustomEngineInput): EngineSetup {
    const { byName, custom } = this.#settings.current().engines;
    if (this.#catalogue.known().some(({ engine, info }) => engine.name === name && !info.isCustom)) {
      throw new CompanionError('INPUT_INVALID', explain('name_of_built_in', { name }));
    }
    const added: CustomEngine = { name, ...(label === undefined ? {} : { label }), command, args, dialect: 'acp' };
    this.#settings.change({ engines: { byName, custom: [...custom.filter((other) => other.name !== name), added] } });
    this.#log.warn('engine.added', { name, command });
    this.#onChange(name);
    return this.read(name);
  }

  /** Takes away an agent that the user added, with its settings and secrets. */
  async remove(name: string): Promise<void> {
    if (!this.#find(name).info.isCustom) {
      throw new CompanionError('INPUT_INVALID', explain('is_built_in', { name }), {
        remedy: explain('switch_it_off', { command: `pilotfish engine set ${name} disabled=yes` }),
      });
    }
    for (const secretName of own(this.#secrets.names(), name) ?? []) await this.#secrets.remove(name, secretName);
    const { byName, custom } = this.#settings.current().engines;
    const { [name]: _, ...others } = byName;
    this.#settings.change({ engines: { byName: others, custom: custom.filter((other) => other.name !== name) } });
    this.#log.warn('engine.removed', { name });
    this.#onChange(name);
  }

  /** A warning as long as a secret is kept in a file. */
  get warnings(): readonly Warning[] {
    return this.#secrets.warnings;
  }

  #find(name: string): KnownEngine {
    const known = this.#catalogue.known().find(({ engine }) => engine.name === name);
    if (known === undefined) throw new CompanionError('ENGINE_UNKNOWN', name);
    return known;
  }

  #toSetup({ engine, info }: KnownEngine): EngineSetup {
    const { engines, keychainNames } = this.#settings.current();
    const settings = own(engines.byName, engine.name) ?? {};
    const set = own(this.#secrets.names(), engine.name) ?? [];
    const inKeychain = own(keychainNames, engine.name) ?? [];
    const names = [...new Set([...(engine.secretNames ?? []), ...set])];
    return {
      engine: info,
      isDisabled: settings.isDisabled ?? false,
      settings: {
        ...(settings.path === undefined ? {} : { path: settings.path }),
        args: settings.args ?? [],
        envNames: Object.keys(settings.env ?? {}),
        ...(settings.endpoint === undefined ? {} : { endpoint: settings.endpoint }),
      },
      hasEndpoint: engine.type === 'loop',
      secrets: names.map((name) => ({
        name,
        isSet: set.includes(name),
        ...(set.includes(name) ? { place: inKeychain.includes(name) ? 'keychain' : 'file' } : {}),
      })),
      hasOpenSecrets: engine.secretNames === null,
    };
  }
}

const checkFits = (engine: Engine, { path, args, env, endpoint }: EngineSettingsInput): void => {
  const agent = nameIn(engine);
  if (engine.type === 'loop' && [path, args, env].some((value) => value !== undefined))
    throw new CompanionError('INPUT_INVALID', explain('has_endpoint', { agent }));
  if (engine.type === 'process' && endpoint !== undefined) throw new CompanionError('INPUT_INVALID', explain('has_no_endpoint', { agent }));
  const [secret] = Object.entries(env ?? {}).find(([name, value]) => value !== null && engine.secretNames?.includes(name) === true) ?? [];
  if (secret !== undefined)
    throw new CompanionError('INPUT_INVALID', explain('is_a_secret', { agent, name: secret }), {
      remedy: explain('store_as_secret', { command: `pilotfish engine key ${engine.name} ${secret}` }),
    });
};

/** A key goes only to the server it was stored for, so that nobody can have it sent elsewhere by naming another address. */
const checkKey = (engine: Engine, old: string | undefined, next: string | null | undefined, keys: readonly string[]): void => {
  const [key] = keys;
  if (key === undefined || old === undefined || next === undefined) return;
  if (next !== null && URL.parse(next)?.origin === URL.parse(old)?.origin) return;
  throw new CompanionError('INPUT_INVALID', explain('key_of_address', { key, address: old }), {
    remedy: explain('remove_key_first', { command: `pilotfish engine key ${engine.name} ${key} --remove` }),
  });
};

/** Fields that the change leaves out stay, null removes a field, and no empty field is kept. */
const merge = (old: EngineSettings, change: EngineSettingsInput): EngineSettings => {
  const path = change.path === undefined ? old.path : change.path;
  const endpoint = change.endpoint === undefined ? old.endpoint : change.endpoint;
  const args = change.args === undefined ? old.args : change.args;
  const env = Object.fromEntries(
    Object.entries({ ...old.env, ...change.env }).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  return {
    ...((change.isDisabled ?? old.isDisabled) === true ? { isDisabled: true } : {}),
    ...(typeof path === 'string' ? { path } : {}),
    ...(typeof endpoint === 'string' ? { endpoint } : {}),
    ...(args === undefined || args === null || args.length === 0 ? {} : { args }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
};
