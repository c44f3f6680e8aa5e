/** What the user can do on the screen of the agents: keys, the address of a model server, which agents and projects are let in. */
import type { EngineSettingsInput, EngineSetup } from '#protocol/engine-setup.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { Api } from './api.ts';
import type { Store } from './state.ts';

export interface EngineActions {
  /** Shows the screen, with what is set now. */
  openEngineSetups(): Promise<void>;
  closeEngineSetups(): void;
  /** Rejects with what is wrong, for the form to show. The agent is checked anew. */
  changeEngine(name: string, change: Pick<EngineSettingsInput, 'isDisabled' | 'endpoint'>): Promise<void>;
  /** Rejects with what is wrong, for the form to show. Null removes the secret. */
  storeSecret(name: string, secretName: string, value: string | null): Promise<void>;
  /** The project's files may no longer start programs. Rejects with what is wrong, for the form to show. */
  revokeTrust(path: string): Promise<void>;
}

export const createEngineActions = (options: { store: Store; api: Api; check: (name: string) => Promise<void> }): EngineActions => {
  const { store, api, check } = options;

  const read = async (): Promise<void> => store.set({ engineSetups: await api.engineSetups() });
  /** A companion that is older than the panel has no list to show. */
  const readTrusted = async (): Promise<void> => {
    try {
      store.set({ trustedProjects: await api.trustedProjects() });
    } catch (error) {
      if (!(error instanceof CompanionError) || error.code !== 'ROUTE_NOT_FOUND') throw error;
    }
  };
  /** The whole screen is read again: a key that went into a file is a warning for all. */
  const follow = async (name: string, change: Promise<EngineSetup>): Promise<void> => {
    const { isDisabled } = await change;
    if (store.state.engineSetups !== null) await read();
    if (isDisabled) store.set({ engines: await api.engines() });
    else await check(name);
  };

  return {
    async openEngineSetups() {
      try {
        await readTrusted();
        await read();
      } catch (error) {
        store.set({ failure: toErrorBody(error) });
      }
    },
    closeEngineSetups: () => store.set({ engineSetups: null }),
    changeEngine: (name, change) => follow(name, api.changeEngine(name, change)),
    storeSecret: (name, secretName, value) => follow(name, api.storeSecret(name, secretName, value)),
    revokeTrust: async (path) => store.set({ trustedProjects: await api.revokeTrust(path) }),
  };
};
