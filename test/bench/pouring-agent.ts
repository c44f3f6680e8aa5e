/** An ACP agent that answers a prompt `N` with N pieces of text, as fast as they are taken. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Written together, as a program does that has much to say. */
const AT_ONCE = 500;

const frame = (fields: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...fields })}\n`;
const piece = (text: string): string =>
  frame({
    method: 'session/update',
    params: { sessionId: 'pour', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
  });

const pour = async (count: number): Promise<void> => {
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    const pieces = Array.from({ length: Math.min(AT_ONCE, count - sent) }, (_, index) => piece(`word ${sent + index} `));
    if (!process.stdout.write(pieces.join(''))) await once(process.stdout, 'drain');
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as { id?: number; method?: string; params?: { prompt?: { text: string }[] } };
  if (method === 'session/prompt') {
    await pour(Number(params?.prompt?.[0]?.text));
    process.stdout.write(frame({ id, result: { stopReason: 'end_turn' } }));
  } else if (method === 'initialize') {
    process.stdout.write(frame({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods: [] } }));
  } else if (id !== undefined) process.stdout.write(frame({ id, result: { sessionId: 'pour' } }));
}
