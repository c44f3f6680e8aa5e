/** A prompt as ACP content blocks, and our MCP server as the agent takes it. */
import { pathToFileURL } from 'node:url';
import type { ContentBlock, McpServer } from '@agentclientprotocol/sdk';
import { embeddedText, plainName, promptParts } from '#companion/engines/codecs/prompt.ts';
import type { EngineAttachment, EnginePrompt, McpAccess } from '../engine.ts';

/** What an agent says it accepts in a prompt beside text and links. */
export interface Takes {
  readonly images: boolean;
  readonly embedded: boolean;
}

/** `prefaces` stand before the user's words: ACP has no other place for a system prompt or the reason of a refusal. */
export const toBlocks = (prompt: EnginePrompt, takes: Takes, prefaces: readonly string[]): ContentBlock[] => {
  const { words: said, blocks, images, files } = promptParts(prompt);
  // The user's words are the last text: some agents look there for commands and for files to read, and the text of a page must
  // not choose them.
  const texts = [...prefaces, ...blocks.map(({ text }) => `${text}\n\n`), said];
  const words = texts.map((text) => ({ type: 'text', text }) as const);
  const unseen = takes.images ? [] : images;
  // A link makes some agents ask before they read the file, so it is the second choice.
  if (!takes.embedded) return [...words, ...(takes.images ? images.map(toImage) : []), ...[...files, ...unseen].map(toLink)];
  const embedded = files.flatMap(toResource);
  // Gemini ignores the images of a prompt that embeds anything, except for images that are embedded too.
  const shown = takes.images ? images.map(embedded.length === 0 ? toImage : toBlob) : [];
  return [...words, ...shown, ...embedded, ...unseen.map(toLink)];
};

const toImage = ({ mimeType, dataBase64 }: EngineAttachment): ContentBlock => ({ type: 'image', mimeType, data: dataBase64 });

const toBlob = ({ path, mimeType, dataBase64 }: EngineAttachment): ContentBlock => ({
  type: 'resource',
  resource: { uri: pathToFileURL(path).href, mimeType, blob: dataBase64 },
});

/** Models read text and PDF; the provider refuses a whole prompt that holds other bytes. */
const toResource = (file: EngineAttachment): ContentBlock[] => {
  const text = embeddedText(file);
  if (text !== null) return [{ type: 'resource', resource: { uri: pathToFileURL(file.path).href, mimeType: file.mimeType, text } }];
  return file.mimeType === 'application/pdf' ? [toBlob(file)] : [];
};

const toLink = (file: EngineAttachment): ContentBlock => ({
  type: 'resource_link',
  uri: pathToFileURL(file.path).href,
  name: plainName(file),
  mimeType: file.mimeType,
});

/** The token goes over stdin and nowhere else: not into a file, an argument or the agent's environment. */
export const toMcpServers = (mcp: McpAccess | null, takesHttp: boolean): McpServer[] => {
  if (mcp === null) return [];
  if (takesHttp) {
    return [{ type: 'http', name: mcp.serverName, url: mcp.url, headers: [{ name: 'Authorization', value: `Bearer ${mcp.token}` }] }];
  }
  const env = Object.entries(mcp.env).map(([name, value]) => ({ name, value }));
  return [{ name: mcp.serverName, command: mcp.command, args: [...mcp.args], env }];
};
