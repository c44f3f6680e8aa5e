/** What every view may use beside its own props. It stays the same as long as the panel is open. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Actions } from '../actions.ts';
import type { Translate } from '../i18n.ts';
import type { Storage } from '../storage.ts';

export interface Scene {
  readonly t: Translate;
  readonly actions: Actions;
  readonly local: Storage;
  /** Puts a text into the composer, to be edited and sent again; null brings back the focus only. */
  readonly compose: (text: string | null) => void;
}

export const SceneContext = createContext<Scene | null>(null);

export const useScene = (): Scene => {
  const scene = useContext(SceneContext);
  if (scene === null) throw new Error('a view stands outside the panel');
  return scene;
};
