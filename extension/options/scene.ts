/** What every part of the page may use. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Look } from '#extension/shared/look.ts';
import type { Call, ReadBytes } from '#extension/shared/wire.ts';
import type { PanelState } from '#extension/sidepanel/state.ts';
import type { Say } from './texts.ts';

export interface Settings {
  readonly say: Say;
  readonly state: PanelState;
  readonly call: Call;
  readonly readBytes: ReadBytes;
  /** Whether there is a daemon to ask. */
  readonly isConnected: boolean;
  readonly look: Look;
}

export const SettingsContext = createContext<Settings | null>(null);

export const useSettings = (): Settings => {
  const settings = useContext(SettingsContext);
  if (settings === null) throw new Error('a part stands outside the page');
  return settings;
};
