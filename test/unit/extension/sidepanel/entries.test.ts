import { describe, expect, test } from 'vitest';
import { holds, isSameEntry, toEntries, type Entry } from '#extension/sidepanel/entries.ts';
import type { EventBody } from '#protocol/events.ts';
import { ItemId } from '#protocol/ids.ts';
import { emptyView, project } from '#protocol/view.ts';
import type { Unsent } from '#extension/sidepanel/outbox.ts';
import type * as z from 'zod';
import { asked, createLog, queued, sessionId, started, tool, type Log } from './log-builder.ts';

const unsent = (turnId: string): Unsent => ({
  turnId,
  sessionId,
  text: 'later',
  attachments: [],
  delivery: 'queue',
  state: 'sending',
  error: null,
});

const entriesOf = (log: Log, outbox: readonly Unsent[] = []): Entry[] =>
  toEntries(log.events.reduce(project, emptyView(sessionId)), outbox);

const keys = (entries: readonly Entry[]): string[] => entries.map(({ type, key }) => `${type} ${key}`);

describe('the entries of a conversation', () => {
  test('stand in the order of the log, each turn with its end', () => {
    const log = createLog().add(
      ...started('t1', 'a'),
      ...tool('x', 'execute'),
      { type: 'turn.completed', turnId: 't1', outcome: 'completed', durationMs: 1 },
      ...started('t2', 'b'),
    );

    expect(keys(entriesOf(log))).toEqual(['item t1-user', 'item x', 'turn-end end-t1', 'item t2-user']);
  });

  test('an item that belongs to itself, or to a later one, stands by itself', () => {
    const inside = (itemId: string, parentItemId: string) =>
      ({ type: 'item.started', turnId: 't1', itemId, parentItemId, item: { kind: 'message', role: 'assistant', text: itemId } }) as const;
    const log = createLog().add(...started('t1', 'a'), inside('x', 'x'), inside('y', 'z'), inside('z', 'y'), inside('y', 'z'));

    expect(keys(entriesOf(log))).toEqual(['item t1-user', 'item x', 'item y', 'item y']);
  });

  test('a turn that failed before it had an item still says so', () => {
    const log = createLog().add(
      { type: 'turn.started', turnId: 't1', prompt: { text: 'a', attachments: [] } },
      { type: 'turn.completed', turnId: 't1', outcome: 'failed', durationMs: 1 },
    );

    expect(keys(entriesOf(log))).toEqual(['turn-end end-t1']);
  });

  test('the error of a turn is told by its end, where a search finds it', () => {
    const error = { code: 'ENGINE_API_ERROR' as const, message: 'No.', remedy: 'Wait.' };
    const log = createLog().add(
      ...started('t1', 'a'),
      { type: 'item.started', turnId: 't1', itemId: 'why', item: { kind: 'notice', level: 'error', text: 'No.', endsTurn: true } },
      { type: 'item.completed', turnId: 't1', itemId: 'why', status: 'completed' },
      { type: 'turn.completed', turnId: 't1', outcome: 'failed', error, durationMs: 1 },
    );
    const entries = entriesOf(log);

    expect(keys(entries)).toEqual(['item t1-user', 'turn-end end-t1']);
    expect(entries.filter((entry) => holds(entry, ItemId.parse('why'))).map(({ type }) => type)).toEqual(['turn-end']);
  });

  test('what a subagent did stands inside its call', () => {
    const log = createLog().add(...started('t1', 'a'), ...tool('task', 'task'), ...tool('inner', 'execute', { parentItemId: 'task' }));
    const [, task] = entriesOf(log);

    expect(task?.type === 'item' ? keys(task.children) : null).toEqual(['item inner']);
  });

  test('an item whose parent is unknown is not lost', () => {
    const log = createLog().add(...started('t1', 'a'), ...tool('stray', 'execute', { parentItemId: 'gone' }));

    expect(keys(entriesOf(log))).toContain('item stray');
  });

  test('three finished reads in a row become one line, a failed one stays by itself', () => {
    const log = createLog().add(
      ...started('t1', 'a'),
      ...['r1', 'r2', 'r3'].flatMap((id) => tool(id, 'read')),
      ...tool('r4', 'read', { status: 'failed' }),
      ...['r5', 'r6'].flatMap((id) => tool(id, 'read')),
    );

    expect(keys(entriesOf(log))).toEqual(['item t1-user', 'group group-r1', 'item r4', 'item r5', 'item r6']);
  });

  test('an open request has no place among the entries, its item says that it waits', () => {
    const log = createLog().add(...started('t1', 'a'), ...tool('x', 'execute'), asked('q', 'x'));
    const entries = entriesOf(log);

    expect(keys(entries)).toEqual(['item t1-user', 'item x']);
    expect(entries[1]?.type === 'item' && entries[1].isWaiting).toBe(true);
  });

  test('an answer stands with its item, or where it was asked', () => {
    const resolved = (requestId: string) => ({ type: 'request.resolved' as const, requestId, outcome: 'allowed' as const, by: 'panel' });
    const log = createLog().add(
      ...started('t1', 'a'),
      ...tool('x', 'execute'),
      asked('q1', 'x'),
      resolved('q1'),
      asked('q2'),
      resolved('q2'),
      ...tool('y', 'execute'),
    );
    const entries = entriesOf(log);

    expect(keys(entries)).toEqual(['item t1-user', 'item x', 'answered q2', 'item y']);
    expect(entries[1]?.type === 'item' ? entries[1].answered.map(({ requestId }) => requestId) : null).toEqual(['q1']);
  });

  const begun = (itemId: string) =>
    ({
      type: 'item.started',
      turnId: 't1',
      itemId,
      item: { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: itemId, text: '' },
    }) as const;
  const allowed = (requestId: string) => ({ type: 'request.resolved', requestId, outcome: 'allowed', by: 'panel' }) as const;
  const ended = (itemId: string) => ({ type: 'item.completed', turnId: 't1', itemId, status: 'completed' }) as const;

  test('a call about which nobody was asked has no time where it may have stood behind others', () => {
    const log = createLog().add(
      ...started('t1', 'a'),
      begun('before'),
      ended('before'),
      begun('asks'),
      begun('meanwhile'),
      begun('behind'),
    );
    log.add(asked('q1', 'asks'), ended('meanwhile'), allowed('q1'), ended('asks'), ended('behind'), begun('after'), ended('after'));

    const waited = entriesOf(log).flatMap((entry) => (entry.type === 'item' ? [[entry.key, entry.waitedMs]] : []));
    expect(waited.slice(1)).toEqual([
      ['before', 0],
      ['asks', 2000],
      ['meanwhile', 0],
      ['behind', null],
      ['after', 0],
    ]);
  });

  test('a call that waited behind other requests, and for its own, has not worked meanwhile', () => {
    const log = createLog().add(...started('t1', 'a'), begun('x'), begun('y'), asked('q1', 'x'));
    const waited = (): unknown[] => entriesOf(log).flatMap((entry) => (entry.type === 'item' ? [entry.waitedMs] : []));

    // Nobody knows whether y works or waits.
    expect(waited()).toEqual([0, null, null]);

    log.add(allowed('q1'), ended('x'), asked('q2', 'y'), allowed('q2'));
    expect(waited()).toEqual([0, 1000, 2000]);

    log.add(ended('y'));
    expect(waited()).toEqual([0, 1000, 2000]);
  });

  test('consent for the browser stands in the card of the call that it is about, and by itself where that is not known', () => {
    const begun = (itemId: string) =>
      ({
        type: 'item.started',
        turnId: 't1',
        itemId,
        item: { kind: 'tool', tool: 'browser_click', toolKind: 'browser', title: 'browser_click', text: '' },
      }) as const;
    const consent = (requestId: string, itemId?: string): z.input<typeof EventBody> => ({
      type: 'request.opened',
      turnId: 't1',
      requestId,
      ...(itemId === undefined ? {} : { itemId }),
      request: { kind: 'consent', title: 'Click', options: [{ optionId: 'once', label: 'Allow once', kind: 'allow_once' }] },
    });
    const allowed = (requestId: string) => ({ type: 'request.resolved', requestId, outcome: 'allowed', by: 'panel' }) as const;
    const log = createLog().add(...started('t1', 'a'), begun('one'), begun('other'), consent('q1', 'other'), consent('q2'));
    const items = () => entriesOf(log).flatMap((entry) => (entry.type === 'item' ? [entry] : []));
    expect(items().map(({ isWaiting }) => isWaiting)).toEqual([false, false, true]);

    log.add(allowed('q1'), allowed('q2'), { type: 'item.completed', turnId: 't1', itemId: 'other', status: 'completed' });

    expect(items().map(({ key, answered }) => [key, answered.length])).toContainEqual(['other', 1]);
    expect(keys(entriesOf(log)).filter((key) => key.startsWith('answered'))).toEqual(['answered q2']);
  });

  test('queued and unsent prompts stand after everything else, until their turn has come', () => {
    const log = createLog().add(...started('t1', 'a'), queued('t2', 'b'));

    expect(keys(entriesOf(log, [unsent('t2'), unsent('t3')]))).toEqual(['item t1-user', 'queued t2', 'unsent t3']);
  });

  test('a prompt that joined the running turn has arrived when its message has', () => {
    const log = createLog().add(...started('t1', 'a'), {
      type: 'item.started',
      turnId: 't1',
      itemId: 'steered',
      item: { kind: 'message', role: 'user', text: 'b' },
    });

    expect(keys(entriesOf(log, [unsent('steered')]))).toEqual(['item t1-user', 'item steered']);
  });

  test('a delta makes one entry of a thousand draw anew', () => {
    const log = createLog().add(...started('t1', 'a'), ...Array.from({ length: 500 }, (_, index) => tool(`x${index}`, 'execute')).flat(), {
      type: 'item.started',
      turnId: 't1',
      itemId: 'm',
      item: { kind: 'message', role: 'assistant', text: '' },
    });
    const view = log.events.reduce(project, emptyView(sessionId));
    const before = toEntries(view, []);
    const count = log.events.length;
    log.add({ type: 'item.delta', turnId: 't1', itemId: 'm', text: 'more' });
    const after = toEntries(log.events.slice(count).reduce(project, view), []);

    expect(after.filter((entry, index) => !isSameEntry(entry, before[index] ?? entry)).map(({ key }) => key)).toEqual(['m']);
  });
});
