/** Messages of clients as they are meant. The SDK refuses some of them with a page of its own schema, before any tool has seen them. */

/** A message, or several of them, in which a call that has null for its arguments has none. */
export const asMeant = (body: unknown): unknown => (Array.isArray(body) ? body.map(withoutNull) : withoutNull(body));

const withoutNull = (message: unknown): unknown => {
  if (!isRecord(message) || message['method'] !== 'tools/call' || !isRecord(message['params'])) return message;
  const { arguments: args, ...params } = message['params'];
  return args === null ? { ...message, params } : message;
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
