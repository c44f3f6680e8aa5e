/** A browser call of an outside MCP client as an item of its log. */
import type { ToolResult } from '#protocol/browser.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { ItemBody, ItemImage, ItemPatch } from '#protocol/items.ts';

/** Limits of what is kept for a person; the client itself gets the whole result. */
const MAX_TEXT_CHARS = 8 * 1024;
const MAX_INPUT_CHARS = 4 * 1024;
const MAX_IMAGE_CHARS = 256 * 1024;

export interface ClientCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly title: string;
}

/** A call that has begun. */
export interface CallRecord {
  finish(result: ToolResult | ErrorBody): void;
}

/** How a call that is over ended. */
export interface CallEnd {
  readonly result: ToolResult | ErrorBody;
  readonly durationMs: number;
}

export const toCallItem = ({ name, args, title }: ClientCall): ItemBody => ({
  kind: 'tool',
  tool: name,
  toolKind: 'browser',
  title,
  input: capped(args),
  text: '',
});

export const toCallEnd = (result: ToolResult | ErrorBody): { status: 'completed' | 'failed'; patch: ItemPatch } => ({
  status: 'code' in result || result.isError === true ? 'failed' : 'completed',
  patch: toPatch(result),
});

const capped = (args: Record<string, unknown>): Record<string, unknown> => {
  const json = JSON.stringify(args);
  return json.length <= MAX_INPUT_CHARS ? args : { cut: `${json.slice(0, MAX_INPUT_CHARS)}…` };
};

const toPatch = (result: ToolResult | ErrorBody): ItemPatch => {
  // As the client is told it, and an agent of Pilotfish: by its code a front end has words of its own.
  if (isErrorBody(result)) return { text: `${result.code}: ${result.message} ${result.remedy}` };
  const texts = result.content.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).filter((text) => text !== '');
  const images = result.content.flatMap((part): ItemImage[] =>
    part.type === 'image' &&
    typeof part['data'] === 'string' &&
    typeof part['mimeType'] === 'string' &&
    part['data'].length <= MAX_IMAGE_CHARS
      ? [{ mimeType: part['mimeType'], dataBase64: part['data'] }]
      : [],
  );
  const text = texts.join('\n');
  return {
    text: text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}\n… output cut` : text,
    ...(images.length === 0 ? {} : { images }),
  };
};

const isErrorBody = (result: ToolResult | ErrorBody): result is ErrorBody => 'code' in result && 'remedy' in result;
