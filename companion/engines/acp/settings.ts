/** Modes, models and efforts of a session: two generations of ACP say them in two ways, some agents in both. */
import type { RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { ModeInfo, ModelInfo } from '#protocol/engines.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { Effect } from '../engine.ts';
import { updates, type ConfigOption, type SessionAnswer } from './schema.ts';
import type { AcpSpec } from './spec.ts';

type Aspect = 'mode' | 'model' | 'effort';

/** Categories of config options that are these settings. */
const categories: ReadonlyMap<string, Aspect> = new Map<string, Aspect>([
  ['mode', 'mode'],
  ['model', 'model'],
  ['thought_level', 'effort'],
]);

/** Names agents give to modes in which nothing asks any more. */
const DANGEROUS = /yolo|bypass|danger|full.?access|skip|autopilot/i;

export interface Settings {
  /** Takes up what the agent tells of a session it made or loaded. */
  read(answer: SessionAnswer): { modes: ModeInfo[]; models: ModelInfo[]; defaultMode: string | undefined };
  /** What to send so that the session is as wanted; `done` follows when all of it is answered. */
  apply(sessionId: string, wanted: SessionSettings, done: () => Effect[]): Effect[];
  /** The agent has changed a setting by itself. */
  noteMode(modeId: string): Effect[];
  noteOptions(options: readonly ConfigOption[]): Effect[];
  /** Whether the session is in a mode in which what the agent asks is allowed without asking the user. */
  allowsAll(): boolean;
}

export const createSettings = (peer: RpcPeer, spec: AcpSpec): Settings => {
  const current: Partial<Record<Aspect, string>> = {};
  const initial: Partial<Record<Aspect, string>> = {};
  const optionIds: Partial<Record<Aspect, string>> = {};
  let hasModes = false;
  let hasModels = false;
  let wantedMode: string | null = null;

  const noteOptions = (options: readonly ConfigOption[]): Aspect[] =>
    options.flatMap((option) => {
      const aspect = categories.get(option.category ?? '');
      if (aspect === undefined || typeof option.currentValue !== 'string') return [];
      optionIds[aspect] = option.id;
      const isNew = current[aspect] !== option.currentValue;
      current[aspect] = option.currentValue;
      return isNew ? [aspect] : [];
    });

  const told = (aspects: readonly Aspect[]): Effect[] =>
    aspects.length === 0
      ? []
      : [say({ type: 'settings.changed', settings: Object.fromEntries(aspects.map((aspect) => [aspect, current[aspect] ?? null])) })];

  /** The request that changes one setting, if the agent has a way to. */
  const change = (sessionId: string, aspect: Aspect, value: string): [method: string, params: object] | null => {
    const configId = optionIds[aspect];
    if (aspect === 'mode' && hasModes) return ['session/set_mode', { sessionId, modeId: value }];
    // An option is of the session only; what is set the other way qwen also writes into the user's own settings.
    if (aspect === 'model' && hasModels && configId === undefined) return ['session/set_model', { sessionId, modelId: value }];
    return configId === undefined ? null : ['session/set_config_option', { sessionId, configId, value }];
  };

  const defaultMode = (): string | undefined => (spec.setsDefaultMode === true ? spec.defaultMode : initial.mode);

  return {
    read: (answer) => {
      const options = answer.configOptions ?? [];
      noteOptions(options);
      hasModes = typeof answer.modes?.currentModeId === 'string';
      hasModels = typeof answer.models?.currentModelId === 'string';
      if (answer.modes !== null && answer.modes !== undefined) current.mode = answer.modes.currentModeId;
      if (answer.models !== null && answer.models !== undefined) current.model = answer.models.currentModelId;
      Object.assign(initial, current);
      const efforts = choices(options, 'effort').map(({ value }) => value);
      const models = answer.models?.availableModels.map(({ modelId, name }) => ({ value: modelId, name })) ?? choices(options, 'model');
      const modes = spec.modes === undefined ? modesOf(answer, options) : [...spec.modes];
      return {
        modes,
        defaultMode: [defaultMode(), spec.defaultMode].find((modeId) => modes.some((mode) => mode.modeId === modeId)),
        models: models.map(({ value, name }) => ({ modelId: value, label: name, ...(efforts.length === 0 ? {} : { efforts }) })),
      };
    },
    apply: (sessionId, wanted, done) => {
      wantedMode = wanted.mode;
      const modeId = wanted.mode ?? defaultMode();
      const target: Record<Aspect, string | undefined> = {
        mode: modeId === undefined ? undefined : (spec.allowingModes?.get(modeId)?.base ?? modeId),
        model: wanted.model ?? initial.model,
        effort: wanted.effort ?? initial.effort,
      };
      let open = 1;
      const answered = (): Effect[] => {
        open -= 1;
        return open === 0 ? done() : [];
      };
      // The model first: it decides which efforts there are.
      const calls = (['model', 'mode', 'effort'] as const).flatMap((aspect) => {
        const value = target[aspect];
        if (value === undefined || value === current[aspect]) return [];
        const request = change(sessionId, aspect, value);
        if (request === null) return [];
        open += 1;
        current[aspect] = value;
        return [
          peer.call(request[0], request[1], (answer) => [
            ...('error' in answer ? [notChanged(aspect, value, answer.error.message)] : []),
            ...answered(),
          ]),
        ];
      });
      return [...calls, ...answered()];
    },
    noteMode: (modeId) => {
      if (current.mode === modeId) return [];
      current.mode = modeId;
      wantedMode = modeId;
      return told(['mode']);
    },
    noteOptions: (options) => told(noteOptions(options)),
    allowsAll: () => spec.allowingModes?.has(wantedMode ?? '') === true,
  };
};

/** Params of an update about settings, or null. */
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
  say({ type: 'notice', level: 'warning', text: `The agent did not change its ${aspect} to ${value}: ${reason}` });
