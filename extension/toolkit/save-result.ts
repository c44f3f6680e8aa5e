/** Saves what a tool has to say as a file among the person's downloads. */
import type { ToolResult } from '#protocol/browser.ts';
import { sizeOfBase64, textToBase64 } from '#extension/shared/base64.ts';
import { toFileName } from './file-name.ts';
import type { ToolContext } from './tool.ts';

/** A text has whatever ending it was given: the browser would give it that of its type. */
const ENDINGS = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
]);

/** A picture is still shown; a text is in the file alone, as it would have been told: in the envelope that says whose words it holds. */
export const saveResult = async (result: ToolResult, name: string, { profile, signal }: ToolContext): Promise<ToolResult> => {
  if (result.isError === true) return result;
  const picture = result.content.find(({ type }) => type === 'image');
  const mimeType = picture === undefined ? 'application/octet-stream' : String(picture['mimeType']);
  const text = result.content.map((block) => (typeof block['text'] === 'string' ? block['text'] : '')).join('\n');
  const dataBase64 = picture === undefined ? textToBase64(text) : String(picture['data']);
  const path = await profile.save({ name: toFileName(name, ENDINGS.get(mimeType) ?? 'md', 'page'), mimeType, dataBase64 }, signal);
  const saved = { type: 'text', text: `Saved ${sizeOfBase64(dataBase64)} bytes as ${path}` };
  return { ...result, content: picture === undefined ? [saved] : [...result.content, saved] };
};
