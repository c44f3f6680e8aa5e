import { expect, vi } from 'vitest';
import { ERROR_META, type ToolResult } from '#protocol/browser.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { CallId, type SessionId } from '#protocol/ids.ts';
import { readCall } from '#companion/browser/read-call.ts';
import { Afterwards } from '#companion/lib/afterwards.ts';
import { CallTrail } from '#companion/mcp/call-trail.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { test, type Stage } from '#test/unit/sessions/stage.ts';
import { aTool } from '#test/unit/server/room-doubles.ts';

const page: ToolResult = { content: [{ type: 'text', text: 'a page' }] };
const told: ToolResult = { content: [{ type: 'text', text: 'It failed.' }], isError: true };

/** The trail of a call in a session of a client from outside, and how often the disk is asked for it. */
const follow = async (stage: Stage, name: string, toolClass: 'read' | 'write', args = {}, afterwards = new Afterwards()) => {
  const { sessionId }: { sessionId: SessionId } = await stage.sessions.dispatch({
    type: 'session.create',
    projectId: null,
    engine: 'Editor',
    kind: 'client',
  });
  const { sessions, log, store } = stage;
  const transactions = vi.spyOn(store.events, 'append');
  const entries = vi.spyOn(store.audit, 'add');
  const trail = new CallTrail({ sessions, log, audit: store.audit }, afterwards, {
    sessionId,
    callId: CallId.parse('call_1'),
    name,
    args,
    reading: readCall(aTool(name, toolClass), {}),
  });
  return { trail, sessionId, asked: () => [transactions.mock.calls.length, entries.mock.calls.length] };
};

test('a call that only looks waits for no disk, and takes one transaction and one entry of the audit when it has ended', async ({
  stage,
}) => {
  const { trail, sessionId, asked } = await follow(stage, 'browser_snapshot', 'read');

  trail.begun(true);
  trail.allowed(inAudit('rule_reading'));
  trail.ended(page);
  const atAnswer = asked();
  await expect.poll(asked, { timeout: HANG_MS }).toEqual([1, 1]);

  expect(atAnswer).toEqual([0, 0]);
  expect(stage.store.audit.report(10)).toMatchObject({
    fault: null,
    entries: [
      { kind: 'decision', result: 'allowed: reading is allowed' },
      { kind: 'outcome', result: 'done' },
    ],
  });
  expect(stage.sessions.view(sessionId)).toMatchObject({
    turns: [{ status: 'completed' }],
    items: [{ status: 'completed', body: { tool: 'browser_snapshot', text: 'a page' } }],
  });
});

test('a call that acts is kept after what was looked at before it, which waited for nothing', async ({ stage }) => {
  const afterwards = new Afterwards();
  const { trail: look } = await follow(stage, 'browser_snapshot', 'read', {}, afterwards);
  const { trail: act } = await follow(stage, 'browser_click', 'write', {}, afterwards);

  look.begun(true);
  look.allowed(inAudit('rule_reading'));
  look.ended(page);
  act.begun(true);
  act.allowed(inAudit('rule_user_allowed'));

  expect(stage.store.audit.report(10).entries.map(({ what, result }) => [what, result])).toEqual([
    ['browser_snapshot', 'allowed: reading is allowed'],
    ['browser_snapshot', 'done'],
    ['browser_click', expect.stringContaining('allowed')],
  ]);
});

test('a call that only looks is shown while it lasts, and so is that it failed', async ({ stage }) => {
  const { trail, sessionId, asked } = await follow(stage, 'browser_snapshot', 'read');

  trail.begun(true);
  trail.allowed(inAudit('rule_reading'));
  await expect.poll(asked, { timeout: HANG_MS }).toEqual([1, 1]);
  const meanwhile = stage.sessions.view(sessionId).items.map(({ status }) => status);
  trail.failed({ code: 'TOOL_TIMEOUT', message: 'It took too long.', remedy: 'Try again.' }, told);
  await expect.poll(asked, { timeout: HANG_MS }).toEqual([2, 2]);

  expect(meanwhile).toEqual(['running']);
  expect(stage.sessions.view(sessionId).items.map(({ status }) => status)).toEqual(['failed']);
});

test('each step of a call that changes something is kept before it goes on', async ({ stage }) => {
  const { trail, asked } = await follow(stage, 'browser_click', 'write');

  trail.begun(true);
  const begun = asked();
  trail.allowed(inAudit('rule_user_allowed'));

  expect([begun, asked()]).toEqual([
    [1, 0],
    [1, 1],
  ]);
});

test('a call that cannot be kept, for the disk is full, fails in words all the same', async ({ stage }) => {
  const { trail } = await follow(stage, 'browser_click', 'write');
  const full = (): never => {
    throw new CompanionError('STORE_FAILED', 'The disk is full.');
  };
  vi.spyOn(stage.store.audit, 'add').mockImplementation(full);
  trail.begun(true);

  expect(() => trail.allowed(inAudit('rule_user_allowed'))).toThrow('The disk is full.');
  expect(() => trail.failed({ code: 'STORE_FAILED', message: 'The disk is full.', remedy: 'Make room.' }, told)).not.toThrow();
});

test('that a tool failed is kept with why it says it did', async ({ stage }) => {
  const { trail } = await follow(stage, 'browser_click', 'write');
  const error = new CompanionError('WORKER_RESTARTED').toBody();

  trail.begun(true);
  trail.allowed(inAudit('rule_user_allowed'));
  trail.ended({ ...told, _meta: { [ERROR_META]: error } });
  trail.ended({ ...told, _meta: { [ERROR_META]: { ...error, code: 'OF_A_LATER_VERSION' } } });
  await expect.poll(() => stage.store.audit.report(10).entryCount).toBe(3);

  expect(
    stage.store.audit
      .report(10)
      .entries.slice(1)
      .map(({ result, says }) => [result, says?.result?.code]),
  ).toEqual([
    [`WORKER_RESTARTED: ${error.message}`, 'came_fault'],
    [`FAULT_UNKNOWN: ${error.message}`, 'came_fault'],
  ]);
});

test('wrong arguments are kept nowhere, right ones with the call', async ({ stage }) => {
  const args = { text: 'as it was sent' };
  const kept: unknown[] = [];
  for (const isRight of [false, true]) {
    const { trail, sessionId } = await follow(stage, 'browser_type', 'write', args);
    trail.begun(isRight);
    trail.failed({ code: 'INPUT_INVALID', message: 'Not so.', remedy: 'Otherwise.' }, told);
    await expect.poll(() => stage.sessions.view(sessionId).items.map(({ status }) => status)).toEqual(['failed']);
    kept.push(...stage.sessions.view(sessionId).items.map(({ body }) => (body.kind === 'tool' ? body.input : null)));
  }

  expect(kept).toEqual([{}, args]);
});

test('how much went to the agent is kept with how it ended, texts and pictures as they are sent, and is in the log', async ({ stage }) => {
  const { trail: one } = await follow(stage, 'browser_take_screenshot', 'read');
  const { trail: other } = await follow(stage, 'browser_click', 'write');
  const { trail: third } = await follow(stage, 'browser_click', 'write');
  const logged: string[] = [];
  stage.log.subscribe((line) => void logged.push(line));

  one.begun(true);
  one.allowed(inAudit('rule_reading'));
  one.ended({
    content: [
      { type: 'text', text: '潮' },
      { type: 'image', data: 'R0lGODlh', mimeType: 'image/gif' },
      { type: 'later', uri: 'x' },
    ],
  });
  await expect.poll(() => stage.store.audit.report(10).entryCount).toBe(2);
  other.begun(true);
  other.allowed(inAudit('rule_user_allowed'));
  other.failed({ code: 'TOOL_TIMEOUT', message: 'It took too long.', remedy: 'Try again.' }, told);
  third.failed({ code: 'CONSENT_DENIED', message: 'No.', remedy: 'Ask.' }, told);

  expect(stage.store.audit.report(10).entries.map(({ kind, answerBytes }) => [kind, answerBytes])).toEqual([
    ['decision', undefined],
    ['outcome', 3 + 8 + '{"type":"later","uri":"x"}'.length],
    ['decision', undefined],
    ['outcome', 10],
    ['decision', 10],
  ]);
  expect(logged.flatMap((line) => /"answerBytes":\d+/.exec(line) ?? [])).toEqual([37, 10, 10].map((bytes) => `"answerBytes":${bytes}`));
});
