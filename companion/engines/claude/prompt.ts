/** A prompt as the line claude reads. */
import { promptParts } from '#companion/engines/codecs/prompt.ts';
import type { EnginePrompt } from '../engine.ts';

/** What the Messages API takes as an image; anything else is named as a file, which claude can read. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Images come first, the user's words after them. By the `uuid` claude tells what becomes of the message. */
export const toUserLine = (prompt: EnginePrompt, uuid: string): string => {
  const { text, images } = promptParts(prompt);
  const shown = images.filter(({ mimeType }) => IMAGE_TYPES.has(mimeType));
  const named = images
    .filter(({ mimeType }) => !IMAGE_TYPES.has(mimeType))
    .map(({ name, path }) => `The attached image ${JSON.stringify(name)} is at ${path}`);
  const content = [
    ...shown.map(({ mimeType, dataBase64 }) => ({ type: 'image', source: { type: 'base64', media_type: mimeType, data: dataBase64 } })),
    { type: 'text', text: [text, ...named].join('\n\n') },
  ];
  return JSON.stringify({ type: 'user', message: { role: 'user', content }, uuid });
};
