/** A prompt as ACP content blocks, and our MCP server as the agent takes it. */
import { pathToFileURL } from 'node:url';
import { promptParts } from '#companion/engines/codecs/prompt.ts';
import type { EnginePrompt, McpAccess } from '../engine.ts';

/** `prefaces` stand before the user's words: ACP has no other place for a system prompt or the reason of a refusal. */
export const toBlocks = (prompt: EnginePrompt, takesImages: boolean, prefaces: readonly string[]): unknown[] => {
  const { text, images, files } = promptParts(prompt);
  return [
    ...prefaces.map((preface) => ({ type: 'text', text: preface })),
    { type: 'text', text },
    ...(takesImages ? images.map((image) => ({ type: 'image', mimeType: image.mimeType, data: image.dataBase64 })) : []),
    ...[...files, ...(takesImages ? [] : images)].map((file) => ({
      type: 'resource_link',
      uri: pathToFileURL(file.path).href,
      name: file.name,
      mimeType: file.mimeType,
    })),
  ];
};

/** The token goes over stdin and nowhere else: not into a file, an argument or the agent's environment. */
export const toMcpServers = (mcp: McpAccess | null, takesHttp: boolean): unknown[] => {
  if (mcp === null) return [];
  if (takesHttp) {
    return [{ type: 'http', name: mcp.serverName, url: mcp.url, headers: [{ name: 'Authorization', value: `Bearer ${mcp.token}` }] }];
  }
  const env = Object.entries(mcp.env).map(([name, value]) => ({ name, value }));
  return [{ name: mcp.serverName, command: mcp.command, args: mcp.args, env }];
};
