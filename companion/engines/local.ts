/** A model on the user's own machine, as an agent in the browser: any server with an OpenAI-compatible endpoint. */
import { labelled } from '#protocol/modes.ts';
import { defineEngine } from './engine.ts';
import { findServers, modelIdOf, talkingModels } from './local/servers.ts';
import { API_KEY, runTurn } from './local/turn.ts';

export const local = defineEngine({
  type: 'loop',
  name: 'local',
  ...labelled('local_model'),
  // It has browser tools only. Whether it sees images or calls tools depends on the model.
  capabilities: {
    canResume: true,
    canInterrupt: true,
    canSteer: false,
    hasPermissions: false,
    hasQuestions: false,
    hasPlan: false,
    hasThoughts: true,
    hasUsage: true,
    hasImages: true,
    hasShell: false,
    hasModels: true,
    mcp: ['bridge'],
  },
  modes: [],
  secretNames: [API_KEY],
  probe: async ({ secrets, endpoint, signal }) => {
    const servers = await findServers(endpoint, secrets[API_KEY] ?? null, null, signal);
    return {
      account: servers.map(({ label, url }) => `${label} (${url})`).join(', '),
      models: servers.flatMap((server) =>
        talkingModels(server).map(({ id }) => ({
          modelId: modelIdOf(server, id),
          label: server.key === null ? id : `${id} (${server.label})`,
        })),
      ),
    };
  },
  turn: runTurn,
});
