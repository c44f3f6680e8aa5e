import { expect, test } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { MCP_SERVER_NAME } from '#protocol/version.ts';
import { emptyView, type SessionView } from '#protocol/view.ts';
import { Consent } from '#companion/mcp/consent.ts';
import { createSiteBook } from '#test/fixtures/admission.ts';
import { Travel } from '#companion/mcp/travel.ts';

const signal = new AbortController().signal;
const asking = { tool: 'browser_navigate', args: [], agentItemId: undefined };

/** A session that has used a browser. */
const usedView = (sessionId: SessionId): SessionView => {
  const items = [{ status: 'completed', body: { kind: 'tool', server: MCP_SERVER_NAME, tool: 'browser_snapshot' } }];
  return { ...emptyView(sessionId), items } as unknown as SessionView;
};

test('a session that was on its way long before a thousand others is asked anew, as after a restart, and is no freer than it was', async () => {
  const session = SessionId.parse('session_first');
  const asked: SessionId[] = [];
  const consent = new Consent({
    ask: (sessionId) => {
      asked.push(sessionId);
      return Promise.resolve({ optionId: 'once' });
    },
  });
  const travel = new Travel(
    { sessions: { view: (id) => (id === session ? usedView(id) : emptyView(id)) }, sites: createSiteBook(), grants: { list: () => [] } },
    consent,
    Date.now,
  );
  const go = (sessionId: SessionId) =>
    travel.allow('https://shop.example/cart', { sessionId, name: 'browser_navigate', asking, signal, onProgress: () => {} });

  await go(session);
  await go(session);
  expect(asked).toEqual([session]);
  for (let index = 0; index < 999; index += 1) await go(SessionId.parse(`session_${index}`));
  await go(session);
  expect(asked).toEqual([session]);

  for (let index = 0; index < 1000; index += 1) await go(SessionId.parse(`session_later_${index}`));
  await go(session);

  expect(asked).toEqual([session, session]);
});
