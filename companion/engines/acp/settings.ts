/** Modes, models and efforts of a session. Two generations of ACP express them in two ways, and some agents use both. */
import type { RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { ModeInfo, ModelInfo } from '#protocol/engines.ts';
import type { SessionSettings } from '#protocol/events.ts';
import { notice } from '#protocol/notices.ts';
import type { Effect } from '../engine.ts';
import { updates, type ConfigOption, type SessionAnswer } from './schema.ts';
import type { AcpSpec } from './spec.ts';

type Aspect = 'mode' | 'model' | 'effort';

/** The categories of config options that stand for these settings. */
const categories: ReadonlyMap<string, Aspect> = new Map<string, Aspect>([
  ['mode', 'mode'],
  ['model', 'model'],
  ['thought_level', 'effort'],
]);

/** Matches the names that agents give to modes in which they no longer ask. */
const DANGEROUS = /yolo|bypass|danger|full.?access|skip|autopilot/i;

export class Settings {
  readonly #peer: RpcPeer;
  readonly #spec: AcpSpec;
  readonly #current: Partial<Record<Aspect, string>> = {};
  readonly #initial: Partial<Record<Aspect, string>> = {};
  readonly #optionIds: Partial<Record<Aspect, string>> = {};
  #hasModes = false;
  #hasModels = false;
  #wantedMode: string | null = null;

  constructor(peer: RpcPeer, spec: AcpSpec) {
    this.#peer = peer;
    this.#spec = spec;
  }

  /** Takes over what the agent tells of a session that it made or loaded. */
  read(answer: SessionAnswer): { modes: ModeInfo[]; models: ModelInfo[]; defaultMode: string | undefined } {
    const options = answer.configOptions ?? [];
    this.#take(options);
    this.#hasModes = typeof answer.modes?.currentModeId === 'string';
    this.#hasModels = typeof answer.models?.currentModelId === 'string';
    if (answer.modes !== null && answer.modes !== undefined) this.#current.mode = answer.modes.currentModeId;
    if (answer.models !== null && answer.models !== undefined) this.#current.model = answer.models.currentModelId;
    Object.assign(this.#initial, this.#current);
    const efforts = choices(options, 'effort').map(({ value }) => value);
    const models = answer.models?.availableModels.map(({ modelId, name }) => ({ value: modelId, name })) ?? choices(options, 'model');
    const modes = this.#spec.modes === undefined ? modesOf(answer, options) : [...this.#spec.modes];
    return {
      modes,
      defaultMode: [this.#defaultMode(), this.#spec.defaultMode].find((modeId) => modes.some((mode) => mode.modeId === modeId)),
      models: models.map(({ value, name }) => ({ modelId: value, label: name, ...(efforts.length === 0 ? {} : { efforts }) })),
    };
  }

  /** What to send so that the session has the wanted settings; `done` is called once everything is answered. */
  apply(sessionId: string, wanted: SessionSettings, done: () => Effect[]): Effect[] {
    this.#wantedMode = wanted.mode;
    const target = this.#targetOf(wanted);
    let open = 1;
    const answered = (): Effect[] => {
      open -= 1;
      return open === 0 ? done() : [];
    };
    // The model is set first, because it decides which efforts there are.
    const calls = (['model', 'mode', 'effort'] as const).flatMap((aspect) => {
      const value = target[aspect];
      if (value === undefined || value === this.#current[aspect]) return [];
      const request = this.#change(sessionId, aspect, value);
      if (request === null) return [];
      open += 1;
      this.#current[aspect] = value;
      return [
        this.#peer.call(request[0], request[1], (answer) => [
          ...('error' in answer ? [notChanged(aspect, value, answer.error.message)] : []),
          ...answered(),
        ]),
      ];
    });
    return [...calls, ...answered()];
  }

  /** The agent has changed its mode by itself. */
  noteMode(modeId: string): Effect[] {
    if (this.#current.mode === modeId) return [];
    this.#current.mode = modeId;
    this.#wantedMode = modeId;
    return this.#told(['mode']);
  }

  /** The agent has changed settings by itself. */
  noteOptions(options: readonly ConfigOption[]): Effect[] {
    return this.#told(this.#take(options));
  }

  /** Whether the session is in a mode in which what the agent asks is allowed without asking the user. */
  allowsAll(): boolean {
    return this.#spec.allowingModes?.has(this.#wantedMode ?? '') === true;
  }

  #defaultMode(): string | undefined {
    return this.#spec.setsDefaultMode === true ? this.#spec.defaultMode : this.#initial.mode;
  }

  #targetOf(wanted: SessionSettings): Record<Aspect, string | undefined> {
    const modeId = wanted.mode ?? this.#defaultMode();
    return {
      mode: modeId === undefined ? undefined : (this.#spec.allowingModes?.get(modeId)?.base ?? modeId),
      model: wanted.model ?? this.#initial.model,
      effort: wanted.effort ?? this.#initial.effort,
    };
  }

  /** The request that changes one setting, or null when the agent has none. */
  #change(sessionId: string, aspect: Aspect, value: string): [method: string, params: object] | null {
    const configId = this.#optionIds[aspect];
    if (aspect === 'mode' && this.#hasModes) return ['session/set_mode', { sessionId, modeId: value }];
    // A config option is of this session only; qwen writes what is set by the other request into the user's own settings too.
    if (aspect === 'model' && this.#hasModels && configId === undefined) return ['session/set_model', { sessionId, modelId: value }];
    return configId === undefined ? null : ['session/set_config_option', { sessionId, configId, value }];
  }

  /** Takes over the agent's options, and returns those of our settings that they have changed. */
  #take(options: readonly ConfigOption[]): Aspect[] {
    return options.flatMap((option) => {
      const aspect = categories.get(option.category ?? '');
      if (aspect === undefined || typeof option.currentValue !== 'string') return [];
      this.#optionIds[aspect] = option.id;
      const isNew = this.#current[aspect] !== option.currentValue;
      this.#current[aspect] = option.currentValue;
      return isNew ? [aspect] : [];
    });
  }

  #told(aspects: readonly Aspect[]): Effect[] {
    if (aspects.length === 0) return [];
    const settings = Object.fromEntries(aspects.map((aspect) => [aspect, this.#current[aspect] ?? null]));
    return [say({ type: 'settings.changed', settings })];
  }
}

/** The params of an update about settings, or null when they cannot be read. */
export const readOptions = (params: unknown): readonly ConfigOption[] | null => {
  const parsed = updates.config_option_update.safeParse(params);
  return parsed.success ? parsed.data.configOptions : null;
};

const choices = (
  options: readonly ConfigOption[],
  aspect: Aspect,
): { value: string; name: string; description?: string | null | undefined }[] =>
  options
    .filter((option) => categories.get(option.category ?? '') === aspect)
    .flatMap((option) => option.options ?? [])
    .flatMap((choice) => ('options' in choice ? choice.options : [choice]));

const modesOf = (answer: SessionAnswer, options: readonly ConfigOption[]): ModeInfo[] =>
  (answer.modes?.availableModes ?? choices(options, 'mode').map(({ value, ...choice }) => ({ id: value, ...choice }))).map(
    ({ id, name, description }) => ({
      modeId: id,
      label: name,
      ...(typeof description === 'string' ? { description } : {}),
      isDangerous: DANGEROUS.test(`${id} ${name}`),
    }),
  );

const notChanged = (aspect: Aspect, value: string, reason: string): Effect =>
  say({ type: 'notice', level: 'warning', ...notice(`${aspect}_not_changed`, { value, reason }) });
