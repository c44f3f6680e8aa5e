/** The agents, as the daemon's client sees and sets them. */
import type { CustomEngineInput, EngineSettingsInput, EngineSetup } from '#protocol/engine-setup.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { Errand } from '#protocol/errands.ts';
import { routes } from '#protocol/routes.ts';
import type { Transport } from './transport.ts';

export interface EngineClient {
  list(): Promise<EngineInfo[]>;
  /** Checks one engine again, or all of them. */
  refresh(name?: string, signal?: AbortSignal): Promise<EngineInfo[]>;
  /** All agents with what is set for them, including those that are switched off. `warning` says when keys are not kept safely. */
  setups(): Promise<{ engines: EngineSetup[]; warning: string | null }>;
  setup(name: string): Promise<EngineSetup>;
  change(name: string, change: EngineSettingsInput): Promise<EngineSetup>;
  /** Stores a key, or with null removes it. */
  setSecret(name: string, secretName: string, value: string | null): Promise<EngineSetup>;
  add(input: CustomEngineInput): Promise<EngineSetup>;
  remove(name: string): Promise<void>;
  /** What a terminal window was opened for; nobody gets it a second time. */
  errand(id: string): Promise<Errand>;
  /** Resolves when the proposal of that id has ended. */
  proposalEnd(answerId: string, signal: AbortSignal): Promise<void>;
  answerProposal(answerId: string, isAllowed: boolean): Promise<void>;
}

export const createEngineClient = (transport: Pick<Transport, 'call'>): EngineClient => ({
  list: async () => (await transport.call(routes.listEngines, {})).engines,
  refresh: async (name, signal) =>
    (await transport.call(routes.refreshEngines, { body: name === undefined ? {} : { name } }, { signal })).engines,
  setups: () => transport.call(routes.listEngineSetups, {}),
  setup: (name) => transport.call(routes.readEngineSetup, { params: { name } }),
  change: (name, body) => transport.call(routes.changeEngineSetup, { params: { name }, body }),
  setSecret: (name, secretName, value) => transport.call(routes.storeSecret, { params: { name, secretName }, body: { value } }),
  add: (body) => transport.call(routes.addEngine, { body }),
  errand: (id) => transport.call(routes.takeErrand, { params: { id } }),
  proposalEnd: async (id, signal) => void (await transport.call(routes.awaitProposal, { params: { id } }, { signal, silenceMs: 0 })),
  answerProposal: async (id, isAllowed) => void (await transport.call(routes.answerProposal, { params: { id }, body: { isAllowed } })),
  remove: async (name) => void (await transport.call(routes.removeEngine, { params: { name } })),
});
