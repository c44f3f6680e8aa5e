/** A prompt as the input items of a turn. */
import { promptParts } from '#companion/engines/codecs/prompt.ts';
import type { EnginePrompt } from '../engine.ts';

export type TurnItem =
  | { readonly type: 'text'; readonly text: string; readonly text_elements: readonly never[] }
  | { readonly type: 'localImage'; readonly path: string }
  | { readonly type: 'skill'; readonly name: string; readonly path: string };

/** Images are given by the path of a file that the runner keeps: codex would copy a data URL into its own history. */
export const toInput = (prompt: EnginePrompt): readonly TurnItem[] => {
  const { text, images } = promptParts(prompt);
  return [{ type: 'text', text, text_elements: [] }, ...images.map((image) => ({ type: 'localImage' as const, path: image.path }))];
};
