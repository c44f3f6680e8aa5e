/** A prompt as the line claude reads. */
import { promptParts, quotedName } from '#companion/engines/codecs/prompt.ts';
import type { EnginePrompt } from '../engine.ts';

/** What the Messages API takes as an image; anything else is named as a file, which claude can read. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * Images and attached text come first, the user's words last: claude reads the files that its last text names with an `@`,
 * and a page must not choose them. By the `uuid` claude tells what becomes of the message.
 */
export const toUserLine = (prompt: EnginePrompt, uuid: string): string => {
  const { words, blocks, images } = promptParts(prompt);
  const shown = images.filter(({ mimeType }) => IMAGE_TYPES.has(mimeType));
  const named = images
    .filter(({ mimeType }) => !IMAGE_TYPES.has(mimeType))
    .map((image) => `The attached image ${quotedName(image)} is at ${image.path}`);
  const content = [
    ...shown.map(({ mimeType, dataBase64 }) => ({ type: 'image', source: { type: 'base64', media_type: mimeType, data: dataBase64 } })),
    ...[...blocks.map(({ text }) => text), ...named, words].map((text) => ({ type: 'text', text })),
  ];
  return JSON.stringify({ type: 'user', message: { role: 'user', content }, uuid });
};
