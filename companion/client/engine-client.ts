/** The agents, as the daemon's client sees and sets them. */
import * as z from 'zod';
import { EngineSetup, type CustomEngineInput, type EngineSettingsInput } from '#protocol/engine-setup.ts';
import { EngineInfo } from '#protocol/engines.ts';
import type { Transport } from './transport.ts';

export interface EngineClient {
  list(): Promise<EngineInfo[]>;
  /** Looks again, for one engine or for all. */
  refresh(name?: string, signal?: AbortSignal): Promise<EngineInfo[]>;
  /** With what is set for each; those that are switched off too. `warning`: how secrets are kept, when that is not well. */
  setups(): Promise<{ engines: EngineSetup[]; warning: string | null }>;
  setup(name: string): Promise<EngineSetup>;
  change(name: string, change: EngineSettingsInput): Promise<EngineSetup>;
  /** Null removes it. */
  setSecret(name: string, secretName: string, value: string | null): Promise<EngineSetup>;
  add(input: CustomEngineInput): Promise<EngineSetup>;
  remove(name: string): Promise<void>;
}

const Engines = z.object({ engines: z.array(EngineInfo) });
const Setups = z.object({ engines: z.array(EngineSetup), warning: z.string().nullable() });

export const createEngineClient = ({ send }: Pick<Transport, 'send'>): EngineClient => {
  const engine = (name: string): string => `/api/engines/${encodeURIComponent(name)}`;
  return {
    list: async () => (await send(Engines, 'GET', '/agent/engines')).engines,
    refresh: async (name, signal) =>
      (await send(Engines, 'POST', '/api/engines/refresh', { body: name === undefined ? {} : { name }, signal })).engines,
    setups: () => send(Setups, 'GET', '/api/engines'),
    setup: (name) => send(EngineSetup, 'GET', `${engine(name)}/settings`),
    change: (name, body) => send(EngineSetup, 'PUT', `${engine(name)}/settings`, { body }),
    setSecret: (name, secretName, value) =>
      send(EngineSetup, 'PUT', `${engine(name)}/secrets/${encodeURIComponent(secretName)}`, { body: { value } }),
    add: (body) => send(EngineSetup, 'POST', '/api/engines', { body }),
    remove: async (name) => void (await send(z.null(), 'DELETE', engine(name))),
  };
};
