/** What a tab can pretend to be, each as a command of Chrome's debugger, and how it is given back. */
import type { Emulation } from '#extension/toolkit/page.ts';

type Command = readonly [method: string, params: Record<string, unknown>];

interface Way {
  /** What the command needs to be heard. */
  readonly first?: Command;
  readonly method: string;
  readonly reset: Command;
}

const WAYS: { readonly [E in keyof Emulation]-?: Way } = {
  size: { method: 'Emulation.setDeviceMetricsOverride', reset: ['Emulation.clearDeviceMetricsOverride', {}] },
  media: { method: 'Emulation.setEmulatedMedia', reset: ['Emulation.setEmulatedMedia', { media: '', features: [] }] },
  timezone: { method: 'Emulation.setTimezoneOverride', reset: ['Emulation.setTimezoneOverride', { timezoneId: '' }] },
  locale: { method: 'Emulation.setLocaleOverride', reset: ['Emulation.setLocaleOverride', {}] },
  agent: { method: 'Emulation.setUserAgentOverride', reset: ['Emulation.setUserAgentOverride', { userAgent: '' }] },
  network: {
    first: ['Network.enable', {}],
    method: 'Network.emulateNetworkConditions',
    reset: ['Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }],
  },
  geolocation: { method: 'Emulation.setGeolocationOverride', reset: ['Emulation.clearGeolocationOverride', {}] },
  routes: { method: 'Fetch.enable', reset: ['Fetch.disable', {}] },
  cpu: { method: 'Emulation.setCPUThrottlingRate', reset: ['Emulation.setCPUThrottlingRate', { rate: 1 }] },
};

export type EmulationName = keyof Emulation;

export const isEmulationName = (name: string): name is EmulationName => Object.hasOwn(WAYS, name);

/** The names of what is set or given back. */
export const namesIn = (emulation: Emulation): EmulationName[] => Object.keys(emulation).filter(isEmulationName);

/** With null it is given back. */
export const commandsFor = (name: EmulationName, params: Record<string, unknown> | null): Command[] => {
  const { first, method, reset } = WAYS[name];
  return [...(first === undefined ? [] : [first]), params === null ? reset : [method, params]];
};
