/** What the user can do on the screen of the agents: keys, the address of a model server, and which agents and projects are allowed. */
import type { EngineSettingsInput, EngineSetup } from '#protocol/engine-setup.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import type { PanelState, Store } from './state.ts';
import type { Call } from '#extension/shared/wire.ts';

export class EngineActions {
  readonly #store: Store;
  readonly #call: Call;
  readonly #check: (name: string) => Promise<void>;

  /** `check` looks at an agent again. */
  constructor({ store, call, check }: { store: Store; call: Call; check: (name: string) => Promise<void> }) {
    this.#store = store;
    this.#call = call;
    this.#check = check;
  }

  /** Shows the screen, with what is set now. */
  async openEngineSetups(): Promise<void> {
    try {
      await this.#readAllowed();
      await this.#readSetups();
    } catch (error) {
      this.#store.set({ failure: toErrorBody(error) });
    }
  }

  /** Rejects with an error that the form shows. The agent is checked again. */
  async changeEngine(name: string, body: Pick<EngineSettingsInput, 'isDisabled' | 'endpoint'>): Promise<void> {
    await this.#follow(name, await this.#call(routes.changeEngineSetup, { params: { name }, body }));
  }

  /** Rejects with an error that the form shows. Null removes the secret. */
  async storeSecret(name: string, secretName: string, value: string | null): Promise<void> {
    await this.#follow(name, await this.#call(routes.storeSecret, { params: { name, secretName }, body: { value } }));
  }

  /** Opens a terminal window in which the agent's own login runs. Rejects where there is none. */
  async logIn(name: string): Promise<void> {
    await this.#call(routes.logInEngine, { params: { name } });
  }

  /** Resolves with true when the agent was looked at from now on and is ready, with false when `signal` is aborted. */
  async whenReady(name: string, signal: AbortSignal): Promise<boolean> {
    const findIn = (engines: PanelState['engines']): EngineInfo | undefined => engines?.find((engine) => engine.name === name);
    const before = findIn(this.#store.state.engines)?.checkedAt;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const stop = this.#store.watch('engines', (engines) => {
      const engine = findIn(engines);
      if (engine?.status === 'ready' && engine.checkedAt !== before) resolve(true);
    });
    signal.addEventListener('abort', () => resolve(false), { once: true });
    try {
      return await promise;
    } finally {
      stop();
    }
  }

  /** The project's files may no longer start programs. Rejects with an error that the form shows. */
  async revokeTrust(path: string): Promise<void> {
    this.#store.set({ trustedProjects: (await this.#call(routes.revokeTrust, { query: { path } })).projects });
  }

  /** Lets a browser or a program from outside in. Rejects with an error that the form shows. */
  async allowAdmission(id: string): Promise<void> {
    await this.#call(routes.decideAdmission, { params: { id }, body: { isAllowed: true } });
    await this.#readAdmissions();
  }

  /** It is asked for again when it comes. Rejects with an error that the form shows. */
  async forgetAdmission(id: string): Promise<void> {
    this.#store.set({ admissions: (await this.#call(routes.removeAdmission, { params: { id } })).admissions });
  }

  /** The whole screen is read again, because a key that is kept in a file is a warning for all agents. */
  async #follow(name: string, { isDisabled }: EngineSetup): Promise<void> {
    if (this.#store.state.engineSetups !== null) await this.#readSetups();
    if (isDisabled) this.#store.set({ engines: (await this.#call(routes.listEngines, {})).engines });
    else await this.#check(name);
  }

  async #readSetups(): Promise<void> {
    this.#store.set({ engineSetups: await this.#call(routes.listEngineSetups, {}) });
  }

  /** A companion that is older than the panel has no lists to show. */
  async #readAllowed(): Promise<void> {
    try {
      this.#store.set({ trustedProjects: (await this.#call(routes.listTrust, {})).projects });
      await this.#readAdmissions();
    } catch (error) {
      if (!(error instanceof CompanionError) || error.code !== 'ROUTE_NOT_FOUND') throw error;
    }
  }

  async #readAdmissions(): Promise<void> {
    this.#store.set({ admissions: (await this.#call(routes.listAdmissions, {})).admissions });
  }
}
