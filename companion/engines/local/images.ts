/** Removes pictures from a conversation with a model that cannot see. */
import type { ChatMessage } from './chat.ts';

const LEFT_OUT = '[An image is left out here: this model sees none. The user sees it.]';

export const hasImages = (messages: readonly ChatMessage[]): boolean =>
  messages.some(({ content }) => typeof content !== 'string' && content.some((part) => part.type === 'image_url'));

/** The same messages with a note in the place of each picture. */
export const withoutImages = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map((message) =>
    message.role !== 'user' || typeof message.content === 'string'
      ? message
      : { ...message, content: message.content.map((part) => (part.type === 'text' ? part.text : LEFT_OUT)).join('\n\n') },
  );
