/** Model servers on this machine: where they usually listen, which models they have, how much these can read. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { lookUp, type Server } from './http.ts';

/** A server that is not there answers at once; one that is busy gets this long. */
const LOOK_MS = 1_500;
const DEFAULT_WINDOW = 8_192;

const usual = [
  { key: 'ollama', label: 'Ollama', url: 'http://127.0.0.1:11434' },
  { key: 'lmstudio', label: 'LM Studio', url: 'http://127.0.0.1:1234' },
  { key: 'llamacpp', label: 'llama.cpp', url: 'http://127.0.0.1:8080' },
  { key: 'vllm', label: 'vLLM', url: 'http://127.0.0.1:8000' },
] as const;

const ModelEntry = z.looseObject({
  id: z.string(),
  max_model_len: z.number().nullish(),
  context_length: z.number().nullish(),
  max_context_length: z.number().nullish(),
  loaded_context_length: z.number().nullish(),
});
type ModelEntry = z.infer<typeof ModelEntry>;

const Refused = z.object({ status: z.union([z.literal(401), z.literal(403)]) });

const keyRemedy = { remedy: 'Store the key of your model server: `pilotfish engine key local LOCAL_API_KEY`.' };

const ModelList = z.looseObject({ data: z.array(ModelEntry) });

export interface FoundServer extends Server {
  /** Begins the ids of its models; null for the one the user named. */
  readonly key: string | null;
  readonly label: string;
  readonly models: readonly ModelEntry[];
}

/** The servers that answer: the one the user named, or those on their usual ports. */
export const findServers = async (endpoint: string | null, apiKey: string | null, signal: AbortSignal): Promise<FoundServer[]> => {
  const places = endpoint === null ? usual : [{ key: null, label: 'Model server', url: baseOf(endpoint) }];
  const found = await Promise.all(
    places.map(async (place) => {
      // What answers on a usual port may be anything, and gets no key.
      const server = { ...place, apiKey: endpoint === null ? null : apiKey };
      const answer = await lookUp(server, '/v1/models', within(signal));
      if (endpoint !== null && Refused.safeParse(answer).success) throw new CompanionError('ENGINE_NOT_LOGGED_IN', place.url, keyRemedy);
      const list = ModelList.safeParse(answer);
      return list.success ? [{ ...server, models: list.data.data }] : [];
    }),
  );
  if (signal.aborted) throw new CompanionError('CALL_CANCELLED');
  const servers = found.flat();
  if (servers.length > 0) return servers;
  const where = places.map(({ url }) => url).join(', ');
  throw new CompanionError('ENGINE_NOT_FOUND', `No model server answers at ${where}.`, {
    remedy: 'Start Ollama, LM Studio, llama.cpp or vLLM, or name the address of yours: `pilotfish engine set local endpoint=URL`.',
  });
};

/** Id of a model among those of all servers. */
export const modelIdOf = (server: FoundServer, model: string): string => (server.key === null ? model : `${server.key}/${model}`);

/** The server and its model behind an id; null: the first there is. */
export const pickModel = (servers: readonly FoundServer[], modelId: string | null): { server: FoundServer; model: string } => {
  for (const server of servers) {
    const model = server.models.find(
      ({ id }) => modelId === null || modelIdOf(server, id) === modelId || (server.key === null && id === modelId),
    );
    if (model !== undefined) return { server, model: model.id };
  }
  if (modelId !== null) throw new CompanionError('ENGINE_MODEL_UNKNOWN', modelId);
  throw new CompanionError('ENGINE_MODEL_UNKNOWN', 'The model server has no model yet.', {
    remedy: 'Load one, for example: `ollama pull qwen3`.',
  });
};

const Props = z.looseObject({ default_generation_settings: z.looseObject({ n_ctx: z.number() }) });
const Running = z.looseObject({ models: z.array(z.looseObject({ name: z.string(), context_length: z.number().optional() })) });

/** How many tokens the model can read, from wherever its server says so. */
export const contextWindow = async (server: FoundServer, model: string, signal: AbortSignal): Promise<number> => {
  const entry = server.models.find(({ id }) => id === model);
  const told = entry?.max_model_len ?? entry?.loaded_context_length ?? entry?.context_length;
  if (typeof told === 'number') return told;
  const [props, running, studio] = await Promise.all([
    lookUp(server, '/props', within(signal)),
    lookUp(server, '/api/ps', within(signal)),
    lookUp(server, '/api/v0/models', within(signal)),
  ]);
  const llama = Props.safeParse(props);
  if (llama.success) return llama.data.default_generation_settings.n_ctx;
  // What Ollama has loaded it with, which is less than what the model could take.
  const ollama = Running.safeParse(running);
  const loaded = ollama.success ? ollama.data.models.find(({ name }) => name === model)?.context_length : undefined;
  if (loaded !== undefined) return loaded;
  const listed = ModelList.safeParse(studio);
  const own = listed.success ? listed.data.data.find(({ id }) => id === model) : undefined;
  return own?.loaded_context_length ?? own?.max_context_length ?? DEFAULT_WINDOW;
};

const within = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);

/** Users paste the address with or without `/v1`. */
const baseOf = (endpoint: string): string => endpoint.replace(/\/+$/, '').replace(/\/v1$/, '');
