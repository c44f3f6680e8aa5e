/** What the user set for each agent, read and changed in one place: settings, secrets, agents of the user's own. */
import type { Engine } from '#companion/engines/engine.ts';
import type { Log } from '#companion/lib/log.ts';
import type { CustomEngine, EngineSettings } from '#companion/store/settings.ts';
import type { Store } from '#companion/store/store.ts';
import { type CustomEngineInput, type EngineSettingsInput, type EngineSetup, VariableName } from '#protocol/engine-setup.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { EngineDirectory, KnownEngine } from './engine-directory.ts';

export interface EngineSetups {
  /** All agents, those that are switched off too. */
  list(): EngineSetup[];
  /** Throws ENGINE_UNKNOWN, as all below. */
  read(name: string): EngineSetup;
  change(name: string, change: EngineSettingsInput): EngineSetup;
  /** Null removes it. */
  setSecret(name: string, secretName: string, value: string | null): Promise<EngineSetup>;
  add(input: CustomEngineInput): EngineSetup;
  /** Takes away an agent the user added, with its settings and secrets. */
  remove(name: string): Promise<void>;
  /** Set while a secret lies in a file. */
  readonly warning: string | null;
}

/** `onChange` hears which agent is no longer what it was. */
export const createEngineSetups = (options: {
  readonly store: Pick<Store, 'settings' | 'secrets'>;
  readonly directory: Pick<EngineDirectory, 'known'>;
  readonly log: Log;
  readonly onChange: (name: string) => void;
}): EngineSetups => {
  const { store, directory, log, onChange } = options;
  const { settings, secrets } = store;

  const find = (name: string): KnownEngine => {
    const known = directory.known().find(({ engine }) => engine.name === name);
    if (known === undefined) throw new CompanionError('ENGINE_UNKNOWN', name);
    return known;
  };
  const toSetup = ({ engine, info }: KnownEngine): EngineSetup => {
    const { engines, keychainNames } = settings.current();
    const own = engines.byName[engine.name] ?? {};
    const set = secrets.names()[engine.name] ?? [];
    const names = [...new Set([...(engine.secretNames ?? []), ...set])];
    return {
      engine: info,
      isDisabled: own.isDisabled ?? false,
      settings: {
        ...(own.path === undefined ? {} : { path: own.path }),
        args: own.args ?? [],
        envNames: Object.keys(own.env ?? {}),
        ...(own.endpoint === undefined ? {} : { endpoint: own.endpoint }),
      },
      hasEndpoint: engine.type === 'loop',
      secrets: names.map((name) => ({
        name,
        isSet: set.includes(name),
        ...(set.includes(name) ? { place: keychainNames[engine.name]?.includes(name) === true ? 'keychain' : 'file' } : {}),
      })),
      hasOpenSecrets: engine.secretNames === null,
    };
  };
  const read = (name: string): EngineSetup => toSetup(find(name));

  return {
    list: () => directory.known().map(toSetup),
    read,
    change: (name, change) => {
      const { engine } = find(name);
      checkFits(engine, change);
      const { byName, custom } = settings.current().engines;
      const { [name]: old = {}, ...others } = byName;
      checkKey(engine, old.endpoint, change.endpoint, secrets.names()[name] ?? []);
      const next = merge(old, change);
      settings.change({ engines: { byName: Object.keys(next).length === 0 ? others : { ...others, [name]: next }, custom } });
      log.warn('engine.settings_changed', { name, what: Object.keys(change) });
      onChange(name);
      return read(name);
    },
    setSecret: async (name, secretName, value) => {
      const { engine } = find(name);
      const isKnown = read(name).secrets.some((secret) => secret.name === secretName);
      if (!isKnown && !(engine.secretNames === null && VariableName.safeParse(secretName).success)) {
        const names = engine.secretNames?.join(', ') ?? '';
        throw new CompanionError('INPUT_INVALID', `${engine.label} reads ${names === '' ? 'no secret' : `these: ${names}`}.`);
      }
      if (value === null) await secrets.remove(name, secretName);
      else await secrets.set(name, secretName, value);
      log.warn('engine.secret_changed', { name, secretName, isSet: value !== null });
      onChange(name);
      return read(name);
    },
    add: ({ name, label, command, args }) => {
      const { byName, custom } = settings.current().engines;
      if (directory.known().some(({ engine, info }) => engine.name === name && !info.isCustom)) {
        throw new CompanionError('INPUT_INVALID', `"${name}" is the name of a built-in agent.`);
      }
      const added: CustomEngine = { name, ...(label === undefined ? {} : { label }), command, args, dialect: 'acp' };
      settings.change({ engines: { byName, custom: [...custom.filter((other) => other.name !== name), added] } });
      log.warn('engine.added', { name, command });
      onChange(name);
      return read(name);
    },
    remove: async (name) => {
      if (!find(name).info.isCustom) {
        throw new CompanionError('INPUT_INVALID', `"${name}" is built in.`, {
          remedy: `Switch it off: \`pilotfish engine set ${name} disabled=yes\`.`,
        });
      }
      for (const secretName of secrets.names()[name] ?? []) await secrets.remove(name, secretName);
      const { byName, custom } = settings.current().engines;
      const { [name]: _, ...others } = byName;
      settings.change({ engines: { byName: others, custom: custom.filter((other) => other.name !== name) } });
      log.warn('engine.removed', { name });
      onChange(name);
    },
    get warning() {
      return secrets.warning;
    },
  };
};

const checkFits = (engine: Engine, { path, args, env, endpoint }: EngineSettingsInput): void => {
  const refuse = (detail: string, remedy?: string): never => {
    throw new CompanionError('INPUT_INVALID', `${engine.label} ${detail}`, remedy === undefined ? {} : { remedy });
  };
  if (engine.type === 'loop' && [path, args, env].some((value) => value !== undefined)) refuse('is no program; it has an endpoint.');
  if (engine.type === 'process' && endpoint !== undefined) refuse('is a program and has no endpoint.');
  const secret = Object.entries(env ?? {}).find(([name, value]) => value !== null && engine.secretNames?.includes(name) === true);
  if (secret !== undefined)
    refuse(`has ${secret[0]} as a secret.`, `Store it as one: \`pilotfish engine key ${engine.name} ${secret[0]}\`.`);
};

/** A key goes to the server it was stored for: whoever may name another address does not get it told there. */
const checkKey = (engine: Engine, old: string | undefined, next: string | null | undefined, keys: readonly string[]): void => {
  const [key] = keys;
  if (key === undefined || old === undefined || next === undefined) return;
  if (next !== null && URL.parse(next)?.origin === URL.parse(old)?.origin) return;
  throw new CompanionError('INPUT_INVALID', `${key} is the key of ${old}.`, {
    remedy: `Remove it first: \`pilotfish engine key ${engine.name} ${key} --remove\`; then name the address and store its own key.`,
  });
};

/** Absent stays, null goes, and what is empty is not kept. */
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
