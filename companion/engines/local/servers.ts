/** Model servers on this machine: where they usually listen and which models they have. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import { lookUp, type Server } from './http.ts';

/** A port of this machine without a server answers at once; a busy server gets this long. */
const LOOK_MS = 1_500;
/** The server that the user named, or whose model the session has, gets this long: it may be far away or busy with another answer. */
const WANTED_MS = 10_000;

/** The usual ports. No two servers here share one: LocalAI and llamafile are found where llama.cpp is. */
const usual = [
  { key: 'ollama', label: 'Ollama', url: 'http://127.0.0.1:11434' },
  { key: 'lmstudio', label: 'LM Studio', url: 'http://127.0.0.1:1234' },
  { key: 'llamacpp', label: 'llama.cpp', url: 'http://127.0.0.1:8080' },
  { key: 'vllm', label: 'vLLM', url: 'http://127.0.0.1:8000' },
  { key: 'jan', label: 'Jan', url: 'http://127.0.0.1:1337' },
  { key: 'koboldcpp', label: 'KoboldCpp', url: 'http://127.0.0.1:5001' },
  { key: 'sglang', label: 'SGLang', url: 'http://127.0.0.1:30000' },
] as const;

interface Place {
  /** What the ids of its models begin with; null for the server that the user named. */
  readonly key: string | null;
  readonly label: string;
  readonly url: string;
}

const ModelEntry = z.looseObject({
  id: z.string(),
  max_model_len: z.number().nullish().catch(null),
  context_length: z.number().nullish().catch(null),
  context_window: z.number().nullish().catch(null),
  max_context_length: z.number().nullish().catch(null),
  architecture: z
    .looseObject({ input_modalities: z.array(z.string()).nullish() })
    .nullish()
    .catch(null),
});
export type ModelEntry = z.infer<typeof ModelEntry>;

/** Ollama without a model says null. */
const ModelList = z.looseObject({ data: z.array(z.unknown()).nullable() }).transform(({ data }) =>
  (data ?? []).flatMap((entry) => {
    const found = ModelEntry.safeParse(entry);
    return found.success ? [found.data] : [];
  }),
);

const Refused = z.object({ status: z.union([z.literal(401), z.literal(403)]) });
const NoList = z.object({ status: z.union([z.literal(404), z.literal(405), z.literal(501)]) });
const Moved = z.object({ status: z.number().min(300).max(399) });

export interface FoundServer extends Server, Place {
  /** Null when it does not say which it has. */
  readonly models: readonly ModelEntry[] | null;
}

const NAME_IT = 'pilotfish engine set local endpoint=URL';
const STORE_KEY = 'pilotfish engine key local LOCAL_API_KEY';

/** The servers that answer: the one the user named, or those on their usual ports; of these only the one that has `modelId`, where its name says so. */
export const findServers = async (
  endpoint: string | null,
  apiKey: string | null,
  modelId: string | null,
  signal: AbortSignal,
): Promise<FoundServer[]> => {
  if (endpoint !== null) return [await askNamed(endpoint, apiKey, signal)];
  const wanted = usual.filter(({ key }) => modelId?.startsWith(`${key}/`) === true);
  const places = wanted.length > 0 ? wanted : usual;
  const answers = await Promise.all(
    places.map(async (place) => {
      // What answers on a usual port may be anything, and gets no key.
      const server = { ...place, apiUrl: `${place.url}/v1`, apiKey: null };
      const answer = await lookUp(server, `${server.apiUrl}/models`, within(signal, wanted.length > 0 ? WANTED_MS : LOOK_MS));
      const list = ModelList.safeParse(answer);
      return { server, models: list.success ? list.data : null, isLocked: Refused.safeParse(answer).success };
    }),
  );
  if (signal.aborted) throw new CompanionError('CALL_CANCELLED');
  const found = answers.flatMap(({ server, models }) => (models === null ? [] : [{ ...server, models }]));
  if (found.length > 0) return found;
  const locked = answers.find(({ server, isLocked }) => isLocked && server.key !== 'llamacpp' && server.key !== 'vllm');
  if (locked !== undefined) {
    const { label, url } = locked.server;
    throw new CompanionError('ENGINE_NOT_LOGGED_IN', explain('wants_key', { agent: label, url }), {
      remedy: explain('name_and_store_key', { command: NAME_IT, other: STORE_KEY }),
    });
  }
  throw new CompanionError(
    'ENGINE_SERVER_NOT_FOUND',
    explain('looked_for', { places: places.map(({ label, url }) => `${label} (${url})`).join(', ') }),
    {
      remedy: explain('start_a_server', { command: NAME_IT }),
    },
  );
};

const askNamed = async (endpoint: string, apiKey: string | null, signal: AbortSignal): Promise<FoundServer> => {
  const server = { key: null, label: 'Model server', ...addressesOf(endpoint), apiKey };
  const answer = await lookUp(server, `${server.apiUrl}/models`, within(signal, WANTED_MS));
  if (signal.aborted) throw new CompanionError('CALL_CANCELLED');
  if (Refused.safeParse(answer).success) {
    throw new CompanionError('ENGINE_NOT_LOGGED_IN', server.url, { remedy: explain('store_server_key', { command: STORE_KEY }) });
  }
  const list = ModelList.safeParse(answer);
  if (list.success) return { ...server, models: list.data };
  if (NoList.safeParse(answer).success) return { ...server, models: null };
  const what = Moved.safeParse(answer).success ? 'looked_at_redirects' : 'looked_at';
  throw new CompanionError('ENGINE_SERVER_NOT_FOUND', explain(what, { url: server.url }), {
    remedy: explain('start_or_name_address', { command: NAME_IT }),
  });
};

/** Id of a model among those of all servers. */
export const modelIdOf = (server: Place, model: string): string => (server.key === null ? model : `${server.key}/${model}`);

/** The models one can talk with; servers list others beside them. */
export const talkingModels = ({ models }: FoundServer): ModelEntry[] =>
  (models ?? []).filter(({ id }) => !/embed|rerank|whisper|tts\b|moderation/i.test(id));

/** The server and its model behind an id; null: the first there is. */
export const pickModel = (servers: readonly FoundServer[], modelId: string | null): { server: FoundServer; model: string } => {
  for (const server of servers) {
    if (modelId === null) {
      const [first] = talkingModels(server);
      if (first !== undefined) return { server, model: first.id };
    } else if (server.models === null) return { server, model: modelId };
    else {
      const model = server.models.find(({ id }) => modelIdOf(server, id) === modelId);
      if (model !== undefined) return { server, model: model.id };
    }
  }
  if (modelId !== null) throw new CompanionError('ENGINE_MODEL_UNKNOWN', modelId);
  throw servers.some(({ models }) => models === null)
    ? new CompanionError('ENGINE_MODEL_UNKNOWN', explain('models_not_told'), {
        remedy: explain('name_model'),
      })
    : new CompanionError('ENGINE_MODEL_UNKNOWN', explain('no_model'), {
        remedy: explain('load_one', { command: 'ollama pull qwen3' }),
      });
};

/** A limit for looking around that does not outlive the turn. */
export const within = (signal: AbortSignal, ms: number): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(ms)]);

/** Users paste the address with or without `/v1`; the versions of some providers have other names. */
const addressesOf = (endpoint: string): { url: string; apiUrl: string } => {
  const given = endpoint.replace(/\/chat\/completions\/?$/, '').replace(/\/+$/, '');
  const url = given.replace(/\/v1$/, '');
  return { url, apiUrl: /\/v\d+\w*(?:\/openai)?$/.test(given) ? given : `${url}/v1` };
};
