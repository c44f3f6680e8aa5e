/** The content blocks of MCP, which ACP uses too, as the text and images of an item. */
import * as z from 'zod';
import type { ItemImage } from '#protocol/items.ts';

const Block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal('audio'), mimeType: z.string() }),
  z.object({ type: z.literal('resource_link'), uri: z.string() }),
  z.object({ type: z.literal('resource'), resource: z.looseObject({ uri: z.string(), text: z.string().optional() }) }),
]);

/** Blocks of an unknown kind are left out: a newer server may have more of them. */
export const readBlocks = (blocks: readonly unknown[]): { text: string; images: ItemImage[] } => {
  const texts: string[] = [];
  const images: ItemImage[] = [];
  for (const block of blocks) {
    const parsed = Block.safeParse(block);
    if (!parsed.success) continue;
    const found = parsed.data;
    switch (found.type) {
      case 'text':
        texts.push(found.text);
        break;
      case 'image':
        images.push({ mimeType: found.mimeType, dataBase64: found.data });
        break;
      case 'audio':
        texts.push(`[${found.mimeType}]`);
        break;
      case 'resource_link':
        texts.push(found.uri);
        break;
      case 'resource':
        texts.push(found.resource.text ?? found.resource.uri);
        break;
    }
  }
  return { text: texts.join('\n'), images };
};
