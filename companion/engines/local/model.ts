/** What a model can do, from wherever its server says it. */
import * as z from 'zod';
import { lookUp } from './http.ts';
import { within, type FoundServer, type ModelEntry } from './servers.ts';

const LOOK_MS = 1_500;
/** The windows of models whose servers do not tell them: one on this machine may cut silently, a provider refuses what is too much. */
const DEFAULT_WINDOW = 8_192;
const PROVIDER_WINDOW = 65_536;
/** The window with which Ollama loads a model when nobody has set one. */
const OLLAMA_WINDOW = 4_096;

export interface ModelFacts {
  /** Tokens it can read and write. */
  readonly window: number;
  /** Null when nobody says it; it is tried then. */
  readonly seesImages: boolean | null;
}

const Props = z.looseObject({
  default_generation_settings: z.looseObject({ n_ctx: z.number() }),
  modalities: z.looseObject({ vision: z.boolean() }).nullish().catch(null),
});
const Running = z.looseObject({ models: z.array(z.looseObject({ name: z.string(), context_length: z.number().nullish() })) });
const Shown = z.looseObject({ parameters: z.string().nullish().catch(null), capabilities: z.array(z.string()).nullish().catch(null) });
const Studio = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      type: z.string().nullish(),
      max_context_length: z.number().nullish(),
      loaded_context_length: z.number().nullish(),
    }),
  ),
});

/** Asks the server; a server that has not loaded the model yet may load it to answer. */
export const modelFacts = async (server: FoundServer, model: string, signal: AbortSignal): Promise<ModelFacts> => {
  const entry = server.models?.find(({ id }) => id === model);
  const told = entry?.max_model_len ?? entry?.context_length ?? entry?.context_window ?? entry?.max_context_length;
  if (typeof told === 'number') return { window: told, seesImages: modalitiesOf(entry) };
  const ask = (path: string, body?: unknown): Promise<unknown> => lookUp(server, `${server.url}${path}`, within(signal, LOOK_MS), body);
  const [props, running, studio] = await Promise.all([ask('/props'), ask('/api/ps'), ask('/api/v0/models')]);
  const llama = Props.safeParse(props);
  if (llama.success) return { window: llama.data.default_generation_settings.n_ctx, seesImages: llama.data.modalities?.vision ?? null };
  const listed = Studio.safeParse(studio);
  const own = listed.success ? listed.data.data.find(({ id }) => id === model) : undefined;
  if (own !== undefined) {
    // A model that is not loaded yet gets less than it could take.
    const window = own.loaded_context_length ?? Math.min(own.max_context_length ?? DEFAULT_WINDOW, DEFAULT_WINDOW);
    return { window, seesImages: typeof own.type === 'string' ? own.type === 'vlm' : null };
  }
  if (Running.safeParse(running).success) return askOllama(server, model, running, signal);
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(URL.parse(server.url)?.hostname ?? '');
  return { window: isHere ? DEFAULT_WINDOW : PROVIDER_WINDOW, seesImages: modalitiesOf(entry) };
};

/** Only a loaded model has a window, so the model is loaded now; the answer would have to wait for that anyway. */
const askOllama = async (server: FoundServer, model: string, running: unknown, signal: AbortSignal): Promise<ModelFacts> => {
  const shown = Shown.safeParse(await lookUp(server, `${server.url}/api/show`, within(signal, LOOK_MS), { model }));
  let window = loadedWindow(running, model);
  if (window === null) {
    await lookUp(server, `${server.url}/api/generate`, signal, { model, stream: false });
    window = loadedWindow(await lookUp(server, `${server.url}/api/ps`, within(signal, LOOK_MS)), model);
  }
  const set = shown.success ? /^num_ctx\s+(\d+)/m.exec(shown.data.parameters ?? '')?.[1] : undefined;
  const capabilities = shown.success ? shown.data.capabilities : null;
  return {
    window: window ?? (set === undefined ? OLLAMA_WINDOW : Number(set)),
    seesImages: capabilities?.includes('vision') ?? null,
  };
};

const loadedWindow = (running: unknown, model: string): number | null => {
  const found = Running.safeParse(running);
  const loaded = found.success ? found.data.models.find(({ name }) => name === model || name === `${model}:latest`) : undefined;
  return loaded?.context_length ?? null;
};

const modalitiesOf = (entry: ModelEntry | undefined): boolean | null => entry?.architecture?.input_modalities?.includes('image') ?? null;
