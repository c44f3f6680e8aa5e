/** The user's settings: one JSON file, written whole or not at all, never lost because of one wrong value. */
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import Conf from 'conf';
import * as z from 'zod';
import type { KnownSecrets } from '#companion/lib/known-secrets.ts';
import type { Log } from '#companion/lib/log.ts';
import { secretsInArguments, secretsSetByHand } from '#companion/lib/redact.ts';
import { Admission } from '#protocol/admission.ts';
import { CompanionError } from '#protocol/errors.ts';
import { BrowserId } from '#protocol/ids.ts';
import { SiteRule } from '#protocol/sites.ts';
import { Preferences } from '#protocol/preferences.ts';
import { DEFAULT_PORT } from '#protocol/version.ts';
import { warn, type Warning } from '#protocol/warnings.ts';
import { explain } from '#protocol/faults.ts';
import { toStoreError } from './store-error.ts';
import { table } from './table.ts';

/** What a user may set for one engine. */
const EngineSettings = z.object({
  /** Whether it is switched off: then it is neither offered nor started. */
  isDisabled: z.boolean().optional(),
  /** The executable to use instead of the one that is found. */
  path: z.string().optional(),
  /** Further arguments, before those that the engine itself adds. */
  args: z.array(z.string()).optional(),
  env: table(z.string()).optional(),
  /** Base URL of a local model server. */
  endpoint: z.string().optional(),
});
export type EngineSettings = z.infer<typeof EngineSettings>;

/** An agent the user added by name. */
const CustomEngine = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,40}$/),
  label: z.string().max(80).optional(),
  command: z.string().min(1),
  args: z.array(z.string()),
  dialect: z.literal('acp'),
});
export type CustomEngine = z.infer<typeof CustomEngine>;

const shape = {
  /** Preferred loopback port. */
  port: z.number().int().min(1).max(65_535).default(DEFAULT_PORT),
  /** How long the daemon stays when no panel, terminal or MCP client is open and nothing runs, in milliseconds; 0 means for ever. */
  idleExitMs: z.number().int().min(0).default(60_000),
  /** Whether the daemon never exits when idle; a login service sets it. */
  keepAlive: z.boolean().default(false),
  /** Folders agents may work in, beside the home folder. */
  allowedRoots: z.array(z.string()).default([]),
  /** Projects whose own files may start things, by real path: the hash of each file that was shown when the user agreed. */
  trustedProjects: table(z.object({ trustedAt: z.string(), files: z.record(z.string(), z.string()) })).prefault({}),
  /** Browsers and programs from outside that the user admitted or refused, by their ids. */
  admissions: table(Admission).prefault({}),
  /** What agents may do on certain sites, by their names. A rule that was misspelled by hand still keeps them out. */
  sites: table(SiteRule.catch('never')).prefault({}),
  /** In which browser each session works, kept by a daemon that ends because nothing needs it. */
  sessionBrowsers: table(
    z.object({ current: z.object({ browserId: BrowserId, label: z.string() }), allowed: z.array(BrowserId).max(100) }),
  ).prefault({}),
  /** Hashes of the browser tools of the last session, by name; null before the first. */
  tools: z
    .object({ built: table(z.string()), foreign: table(z.string()) })
    .nullable()
    .default(null),
  engines: z.object({ byName: table(EngineSettings).prefault({}), custom: z.array(CustomEngine).default([]) }).prefault({}),
  /** How many engine processes are kept between turns. */
  warm: z
    .object({ maxProcesses: z.number().int().min(0).max(128).default(6), idleStopMs: z.number().int().min(1000).default(1_800_000) })
    .default({ maxProcesses: 6, idleStopMs: 1_800_000 }),
  /** How long a working engine may be silent, in milliseconds. */
  hangMs: z.number().int().min(1000).default(600_000),
  /** How long a turn may take in all, in milliseconds; 0 means that there is no limit. */
  turnLimitMs: z.number().int().min(0).default(0),
  /** How long a turn waits at most until the state of its folder is kept; 0: it is not kept. */
  checkpointMs: z.number().int().min(0).default(10_000),
  /** What all sessions together may use in one day; null means that there is no limit. */
  dailyCostUsd: Preferences.shape.dailyCostUsd.default(null),
  dailyTokens: Preferences.shape.dailyTokens.default(null),
  /** Of what the person is notified. */
  notifyApproval: z.boolean().default(true),
  notifyQuestion: z.boolean().default(true),
  notifyFailed: z.boolean().default(true),
  notifyFinished: z.boolean().default(true),
  /** Whether the tabs that a session opened are closed when it is deleted; otherwise they stay, as the person's. */
  closeTabs: z.boolean().default(true),
  /** In which browser new sessions work, if it is connected; null means the one used last. */
  defaultBrowser: Preferences.shape.defaultBrowser.default(null),
  /** In which order agents are offered, by their names. */
  engineOrder: Preferences.shape.engineOrder.default([]),
  /** After how many days a session is deleted that nobody has touched; null means never. */
  keepDays: Preferences.shape.keepDays.default(null),
  waitForBrowserMs: z.number().int().min(0).default(15_000),
  /** Names of the secrets in the keychain, by engine; a keychain is only opened for what is known to be there. */
  keychainNames: table(z.array(z.string())).prefault({}),
};
const SettingsData = z.object(shape);
export type SettingsData = z.infer<typeof SettingsData>;

/** The settings in `file`. */
export class Settings {
  readonly #file: string;
  readonly #log: Log;
  readonly #known: KnownSecrets | undefined;
  readonly #conf: Conf | null;
  /** What was wrong with the file as a whole, as a message for a person. */
  #fault: Warning | null = null;
  readonly #wrong = new Map<string, Warning>();
  /** The text of the file as it was last read, once it had been the same for a while. */
  #text: { readonly state: string; readonly text: string | null } | null = null;
  /** The text of the file when it was last parsed, and what it said. */
  #parsed: { readonly text: string | null; readonly data: SettingsData } | null = null;

  /** `known` learns the secrets among the variables and arguments of agents. */
  constructor(file: string, log: Log, known?: KnownSecrets) {
    this.#file = file;
    this.#log = log;
    this.#known = known;
    this.#conf = this.#open();
    this.current();
  }

  /** What is wrong with the file now, as messages for a person. */
  get warnings(): readonly Warning[] {
    this.current();
    return [...(this.#fault === null ? [] : [this.#fault]), ...this.#wrong.values()];
  }

  /** A turn asks a dozen times. The file is looked at each time, because another program may write it, and parsed when it has changed. */
  current(): SettingsData {
    const text = this.#readText();
    if (this.#parsed === null || this.#parsed.text !== text) this.#parsed = { text, data: this.#parse() };
    return this.#parsed.data;
  }

  /** Replaces the given keys; keys that this version does not know stay in the file. */
  change(change: Partial<SettingsData>): SettingsData {
    const valid = SettingsData.partial().safeParse(change);
    if (!valid.success) throw new CompanionError('INPUT_INVALID', z.prettifyError(valid.error));
    if (this.#conf === null) throw new CompanionError('STORE_FAILED', explain('unreadable_unwritten', { file: this.#file }));
    try {
      this.#conf.set(Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)));
    } catch (error) {
      throw toStoreError(error, this.#file);
    }
    return this.current();
  }

  #parse(): SettingsData {
    const stored = this.#read();
    this.#wrong.clear();
    for (const [key, schema] of Object.entries(shape)) {
      const found = schema.safeParse(stored[key]);
      if (found.success) continue;
      const reason = z.prettifyError(found.error).split('\n')[0] ?? '';
      this.#wrong.set(key, { what: warn('setting_wrong', { file: this.#file, key, reason }) });
      delete stored[key];
    }
    const data = SettingsData.parse(stored);
    for (const { env, args } of Object.values(data.engines.byName))
      this.#known?.learn([...secretsSetByHand(env ?? {}), ...secretsInArguments(args ?? [])]);
    return data;
  }

  /** Null for a file that is not there, or cannot be read. */
  #readText(): string | null {
    if (this.#conf === null) return null;
    try {
      const state = stateOf(this.#file);
      if (state !== null && state === this.#text?.state) return this.#text.text;
      const text = readFileSync(this.#file, 'utf8');
      this.#text = state === null ? null : { state, text };
      return text;
    } catch {
      return null;
    }
  }

  /** The file as it is now. One that another program has just damaged counts as empty until it is whole again. */
  #read(): Record<string, unknown> {
    try {
      return this.#conf === null ? {} : { ...this.#conf.store };
    } catch (error) {
      this.#log.error('settings.unreadable', { file: this.#file, error });
      return {};
    }
  }

  /** A file that is not a JSON object is moved aside with a warning; when it may not be read, the defaults are used. */
  #open(): Conf | null {
    try {
      return openConf(this.#file);
    } catch (error) {
      this.#log.error('settings.unreadable', { file: this.#file, error });
      if (!(error instanceof SyntaxError) || !existsSync(this.#file)) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#fault = { what: warn('settings_unreadable', { file: this.#file, reason }) };
        return null;
      }
      const aside = `${this.#file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
      renameSync(this.#file, aside);
      this.#fault = { what: warn('settings_invalid', { file: this.#file, aside }) };
      return openConf(this.#file);
    }
  }
}

/** The clock of a file system may stand still for this long between two changes. */
const COARSE_MS = 3_000;

/** The same as long as nobody has written the file; null where that cannot be told, because it was written only just now. */
const stateOf = (file: string): string | null => {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(file);
  const isOld = Math.abs(Date.now() - Math.max(mtimeMs, ctimeMs)) > COARSE_MS;
  return isOld ? `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}` : null;
};

const openConf = (file: string): Conf => {
  const { dir, name, ext } = path.parse(file);
  const options = {
    cwd: dir,
    configName: name,
    fileExtension: ext.slice(1),
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
  };
  const conf = new Conf(options);
  // It reads the file, so that a fault in it shows now.
  void conf.store;
  return conf;
};
