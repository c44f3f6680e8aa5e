/** Whatever the schema of events allows can be kept, and shown by every surface that is not a page. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test as base } from 'vitest';
import { toPlainMessages } from '#companion/compat/entries.ts';
import { fromNothing, Patcher } from '#companion/compat/patches.ts';
import { presentOf, RealtimeConverter } from '#companion/compat/realtime.ts';
import { nullLog } from '#companion/lib/log.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { exportText, toExport } from '#companion/sessions/export.ts';
import { inOnePart, newRow, SessionLog } from '#companion/sessions/session-log.ts';
import { Store } from '#companion/store/store.ts';
import { defaultSettings } from '#protocol/events.ts';
import { toMarkdown } from '#protocol/session-markdown.ts';
import { extremeLog } from '#test/fixtures/extreme-log.ts';
import { sessionId } from '#test/fixtures/random-log.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { createUi } from '#test/unit/tui/stage.ts';

const SEEDS = Array.from({ length: isWhole ? 100 : 6 }, (_, index) => index + 1);
const LENGTH = 100;

const test = base.extend<{ open: () => { store: Store; log: SessionLog } }>({
  // eslint-disable-next-line no-empty-pattern
  open: async ({}, use) => {
    const home = mkdtempSync(path.join(tmpdir(), 'pilotfish-extreme-'));
    const paths = createPaths({ HOME: home, PILOTFISH_HOME: path.join(home, 'pilotfish') });
    const stores: Store[] = [];
    await use(() => {
      stores.pop()?.close();
      const store = new Store(paths, nullLog);
      stores.push(store);
      if (store.sessions.list().length === 0) store.sessions.save(newRow(sessionId, null, 1));
      const [row] = store.sessions.list();
      if (row === undefined) throw new Error('no session');
      return { store, log: new SessionLog({ row, store, log: nullLog, now: () => 5, onEvent: () => {} }) };
    });
    stores.pop()?.close();
    rmSync(home, { recursive: true, force: true });
  },
});

describe('values that are allowed and extreme', () => {
  test.for(SEEDS)('are kept as they are, and told by streams, lists, exports and the terminal (%i)', async (seed, { open }) => {
    const { store, log } = open();
    log.record([{ type: 'session.created', projectId: null, engine: 'fake', name: 'n', kind: 'agent', settings: defaultSettings }]);
    const ui = createUi({ columns: 80, rows: 24 });
    const realtime = new RealtimeConverter();
    const patcher = new Patcher(log.view());
    const frames: unknown[] = [];
    log.subscribe((event, view) => frames.push(realtime.convert(view, event), patcher.patchTo(view)));

    for (const body of extremeLog(seed, LENGTH)) {
      log.record([body]);
      ui.event(body);
    }

    const view = log.view();
    expect(ui.screen().split('\n')).toHaveLength(24);
    expect(JSON.stringify([frames, presentOf(view), fromNothing(sessionId, view), toPlainMessages(view)])).not.toBe('');
    expect(toMarkdown(log.summary(), view.items)).toContain('#');
    expect(store.usage.rows({ by: 'turn', limit: 10 })).toBeInstanceOf(Array);
    const noAttachments = { has: () => false, stream: () => Promise.reject(new Error('none is kept')) };
    const file: unknown = JSON.parse(await text(exportText(toExport(inOnePart(view), log.summary(), 5), noAttachments)));
    expect(file).toMatchObject({ format: 'pilotfish-session' });
    log.close();
    expect(open().log.view()).toEqual(JSON.parse(JSON.stringify(view)));
  });
});
