/** What the user can do on the screen of the agents: keys, the address of a model server, and which agents and projects are allowed. */
import type { EngineSettingsInput, EngineSetup } from '#protocol/engine-setup.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import type { Store } from './state.ts';
import type { Call } from '#extension/shared/wire.ts';

export interface EngineActions {
  /** Shows the screen, with what is set now. */
  openEngineSetups(): Promise<void>;
  closeEngineSetups(): void;
  /** Rejects with an error that the form shows. The agent is checked again. */
  changeEngine(name: string, change: Pick<EngineSettingsInput, 'isDisabled' | 'endpoint'>): Promise<void>;
  /** Rejects with an error that the form shows. Null removes the secret. */
  storeSecret(name: string, secretName: string, value: string | null): Promise<void>;
  /** The project's files may no longer start programs. Rejects with an error that the form shows. */
  revokeTrust(path: string): Promise<void>;
  /** Lets a browser or a program from outside in. Rejects with an error that the form shows. */
  allowAdmission(id: string): Promise<void>;
  /** It is asked for again when it comes. Rejects with an error that the form shows. */
  forgetAdmission(id: string): Promise<void>;
}

export const createEngineActions = (options: { store: Store; call: Call; check: (name: string) => Promise<void> }): EngineActions => {
  const { store, call, check } = options;

  const read = async (): Promise<void> => store.set({ engineSetups: await call(routes.listEngineSetups, {}) });
  /** A companion that is older than the panel has no lists to show. */
  const readTrusted = async (): Promise<void> => {
    try {
      store.set({ trustedProjects: (await call(routes.listTrust, {})).projects });
      store.set({ admissions: (await call(routes.listAdmissions, {})).admissions });
    } catch (error) {
      if (!(error instanceof CompanionError) || error.code !== 'ROUTE_NOT_FOUND') throw error;
    }
  };
  /** The whole screen is read again, because a key that is kept in a file is a warning for all agents. */
  const follow = async (name: string, change: Promise<EngineSetup>): Promise<void> => {
    const { isDisabled } = await change;
    if (store.state.engineSetups !== null) await read();
    if (isDisabled) store.set({ engines: (await call(routes.listEngines, {})).engines });
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
    changeEngine: (name, body) => follow(name, call(routes.changeEngineSetup, { params: { name }, body })),
    storeSecret: (name, secretName, value) => follow(name, call(routes.storeSecret, { params: { name, secretName }, body: { value } })),
    allowAdmission: async (id) => {
      await call(routes.decideAdmission, { params: { id }, body: { isAllowed: true } });
      store.set({ admissions: (await call(routes.listAdmissions, {})).admissions });
    },
    forgetAdmission: async (id) => store.set({ admissions: (await call(routes.removeAdmission, { params: { id } })).admissions }),
    revokeTrust: async (path) => store.set({ trustedProjects: (await call(routes.revokeTrust, { query: { path } })).projects }),
  };
};
