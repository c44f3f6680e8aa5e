/** What every view may use beside its own props. It stays the same as long as the panel is open; a view that reads of `state` or `shown` follows what it reads. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Look } from '#extension/shared/look.ts';
import type { Actions } from '../actions.ts';
import type { Translate } from '../i18n.ts';
import type { Shown } from '../shown.ts';
import type { PanelState } from '../state.ts';

export interface Scene {
  readonly t: Translate;
  readonly actions: Actions;
  readonly state: PanelState;
  readonly shown: Shown;
  /** What Enter does where the person writes. */
  readonly enter: Look['enter'];
  /** Brings the focus back to where the person writes. */
  readonly focusComposer: () => void;
}

export const SceneContext = createContext<Scene | null>(null);

export const useScene = (): Scene => {
  const scene = useContext(SceneContext);
  if (scene === null) throw new Error('a view stands outside the panel');
  return scene;
};
