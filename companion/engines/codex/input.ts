/** A prompt as the input items of a turn. */
import { promptParts } from '#companion/engines/codecs/prompt.ts';
import type { EnginePrompt } from '../engine.ts';

/** Images go by the path of the file the runner keeps: a data URL would be copied into codex's own history. */
export const toInput = (prompt: EnginePrompt): readonly unknown[] => {
  const { text, images } = promptParts(prompt);
  return [{ type: 'text', text, text_elements: [] }, ...images.map((image) => ({ type: 'localImage', path: image.path }))];
};
