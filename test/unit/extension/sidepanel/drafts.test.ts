import { describe, expect, test as base } from 'vitest';
import { SessionId, TurnId } from '#protocol/ids.ts';
import { Drafts } from '#extension/sidepanel/drafts.ts';
import { Store } from '#extension/sidepanel/state.ts';
import { createMemory, type MemoryStorage } from './memory-storage.ts';

const first = SessionId.parse('s1');
const second = SessionId.parse('s2');
const file = { kind: 'file', name: 'tides.txt', mimeType: 'text/plain', dataBase64: 'dGlkZXM=' } as const;

interface Stage {
  readonly local: MemoryStorage;
  /** A panel that has just been opened, in a window of its own. */
  open(): { readonly store: Store; readonly drafts: Drafts };
}

const test = base.extend<{ stage: Stage }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => {
    const local = createMemory();
    await use({
      local,
      open: () => {
        const store = new Store();
        return { store, drafts: new Drafts(store, local.another()) };
      },
    });
  },
});

describe('a draft', () => {
  test('is there again, with its files, after another session was looked at', async ({ stage }) => {
    const { store, drafts } = stage.open();
    await drafts.show(first);
    drafts.change({ text: 'the tide', attachments: [file] });

    await drafts.show(second);
    expect(store.state.draft).toEqual({ text: '', attachments: [] });
    await drafts.show(first);

    expect(store.state.draft).toEqual({ text: 'the tide', attachments: [file] });
  });

  test('is there again however long it is, also in another window', async ({ stage }) => {
    const long = 'high water\n'.repeat(100_000);
    const [here, elsewhere] = [stage.open(), stage.open()];
    await Promise.all([here.drafts.show(first), elsewhere.drafts.show(first)]);
    here.drafts.change({ text: long });
    const after = stage.open();
    await after.drafts.show(first);

    expect(after.store.state.draft.text).toBe(long);
    expect(elsewhere.store.state.draft.text).toBe(long);
  });

  test('is there again, with its files, after the panel was closed', async ({ stage }) => {
    const before = stage.open();
    await before.drafts.show(null);
    before.drafts.change({ text: 'the tide', attachments: [file] });

    const after = stage.open();
    await after.drafts.show(null);

    expect(after.store.state.draft).toEqual({ text: 'the tide', attachments: [file] });
  });

  test('that says a prompt in other words does so after the panel was closed and in another window, until it is emptied', async ({
    stage,
  }) => {
    const insteadOf = TurnId.parse('t1');
    const [before, beside] = [stage.open(), stage.open()];
    await before.drafts.show(first);
    await beside.drafts.show(first);
    before.drafts.change({ text: 'the tide', insteadOf });
    expect(beside.store.state.draft).toMatchObject({ text: 'the tide', insteadOf });

    const after = stage.open();
    await after.drafts.show(first);
    expect(after.store.state.draft).toMatchObject({ text: 'the tide', insteadOf });
    after.drafts.change({ text: '' });

    expect(after.store.state.draft.insteadOf).toBeUndefined();
    expect(beside.store.state.draft.insteadOf).toBeUndefined();
    expect(stage.local.values.has('draft-instead:s1')).toBe(false);
  });

  test('that stands aside does so after the panel was closed and in another window, and comes back when the other is emptied', async ({
    stage,
  }) => {
    const aside = { text: 'mine', attachments: [file] };
    const [before, beside] = [stage.open(), stage.open()];
    await before.drafts.show(first);
    await beside.drafts.show(first);
    before.drafts.change({ text: 'the tide', aside });
    expect(beside.store.state.draft).toMatchObject({ text: 'the tide', aside });

    const after = stage.open();
    await after.drafts.show(first);
    expect(after.store.state.draft).toMatchObject({ text: 'the tide', aside });
    after.drafts.change({ text: '' });

    expect(after.store.state.draft).toEqual(aside);
    expect(beside.store.state.draft).toEqual(aside);
    expect(stage.local.values.has('draft-aside:s1')).toBe(false);
  });

  test('takes nothing up that comes back while it says a sent prompt in other words: that is written when it is sent', async ({
    stage,
  }) => {
    const insteadOf = TurnId.parse('t1');
    const { store, drafts } = stage.open();
    await drafts.show(first);
    drafts.change({ text: 'the tide', insteadOf, aside: { text: 'mine', attachments: [] } });
    const queued = { text: 'the next', attachments: [file] };

    await drafts.giveBack(first, [queued]);
    expect(store.state.draft).toMatchObject({ text: 'the tide', attachments: [], insteadOf });
    await drafts.show(second);
    await drafts.giveBack(first, [{ text: 'another', attachments: [] }]);
    await drafts.show(first);
    drafts.change({ text: '' });

    expect(store.state.draft).toMatchObject({ text: 'another\n\nthe next\n\nmine', attachments: [file] });
  });

  test('has what comes back also when its session is opened at that moment', async ({ stage }) => {
    const { store, drafts } = stage.open();
    await drafts.show(first);
    drafts.change({ text: 'mine' });
    await drafts.show(second);

    const giving = drafts.giveBack(first, [{ text: 'the next', attachments: [file] }]);
    await drafts.show(first);
    await giving;

    expect(store.state.draft).toMatchObject({ text: expect.stringContaining('the next'), attachments: [file] });
    expect(store.state.draft.text).toContain('mine');
  });

  test('keeps a note with each letter, and does not write the files again for it', async ({ stage }) => {
    const element = { kind: 'element', name: 'Element of tides.example', mimeType: 'text/plain', dataBase64: 'dGlkZXM=' } as const;
    const before = stage.open();
    await before.drafts.show(first);
    before.drafts.change({ attachments: [file, element] });
    const written = stage.local.values.get('draft-files:s1');
    before.drafts.change({ attachments: [file, { ...element, note: 'w' }] });
    before.drafts.change({ attachments: [file, { ...element, note: 'wider' }] });
    expect(stage.local.values.get('draft-files:s1')).toBe(written);

    const after = stage.open();
    await after.drafts.show(first);

    expect(after.store.state.draft.attachments).toEqual([file, { ...element, note: 'wider' }]);
    // It stays with its element when another goes, and an emptied one is gone.
    after.drafts.change({ attachments: [{ ...element, note: 'wider' }] });
    const later = stage.open();
    await later.drafts.show(first);
    expect(later.store.state.draft.attachments).toEqual([{ ...element, note: 'wider' }]);
    later.drafts.change({ attachments: [{ ...element, note: '' }] });
    const last = stage.open();
    await last.drafts.show(first);
    expect(last.store.state.draft.attachments).toEqual([element]);
  });

  test('that was sent leaves nothing behind', async ({ stage }) => {
    const { drafts } = stage.open();
    await drafts.show(first);
    drafts.change({ text: 'the tide', attachments: [file] });

    drafts.change({ text: '', attachments: [] });

    expect([...stage.local.values.keys()]).toEqual([]);
  });

  test('goes with its session', async ({ stage }) => {
    const { drafts } = stage.open();
    await drafts.show(first);
    drafts.change({ text: 'the tide', attachments: [file] });

    drafts.forget(first);

    expect([...stage.local.values.keys()]).toEqual([]);
  });

  test('takes what is typed before the kept one has been read', async ({ stage }) => {
    stage.local.save('draft:s1', 'the tide');
    const { store, drafts } = stage.open();
    const shown = drafts.show(first);

    drafts.change({ text: 'is low' });
    await shown;

    expect(store.state.draft.text).toBe('the tide\n\nis low');
  });

  test('of a session that is not shown takes what comes back, and shows it when the session is shown', async ({ stage }) => {
    const { store, drafts } = stage.open();
    await drafts.show(first);
    drafts.change({ text: 'of the first' });
    await drafts.show(second);

    await drafts.giveBack(first, [{ text: 'came back', attachments: [file] }]);

    expect(store.state.draft.text).toBe('');
    await drafts.show(first);
    expect(store.state.draft).toEqual({ text: 'came back\n\nof the first', attachments: [file] });
  });

  test('is read once for a session that is left and shown again at once', async ({ stage }) => {
    stage.local.save('draft:s1', 'the tide');
    const { store, drafts } = stage.open();

    await Promise.all([drafts.show(first), drafts.show(second), drafts.show(first)]);

    expect(store.state.draft.text).toBe('the tide');
  });

  test('is one in two windows: it is written in either, with its files and notes, and is gone from both when it is sent', async ({
    stage,
  }) => {
    const [one, other] = [stage.open(), stage.open()];
    await Promise.all([one.drafts.show(first), other.drafts.show(first)]);

    one.drafts.change({ text: 'the tide', attachments: [file] });
    other.drafts.change({ text: 'the tide is low' });
    one.drafts.change({ attachments: [{ ...file, note: 'of Brest' }] });

    const whole = { text: 'the tide is low', attachments: [{ ...file, note: 'of Brest' }] };
    expect([one.store.state.draft, other.store.state.draft]).toEqual([whole, whole]);
    other.drafts.change({ text: '', attachments: [] });
    expect(one.store.state.draft).toEqual({ text: '', attachments: [] });
    expect([...stage.local.values.keys()]).toEqual([]);
  });

  test('of another session stays as it is while a window writes one', async ({ stage }) => {
    const [one, other] = [stage.open(), stage.open()];
    await Promise.all([one.drafts.show(first), other.drafts.show(second)]);

    one.drafts.change({ text: 'of the first' });
    other.drafts.change({ text: 'of the second' });

    expect([one.store.state.draft.text, other.store.state.draft.text]).toEqual(['of the first', 'of the second']);
  });

  test('that is written in another window while it is being read is as it was written there', async ({ stage }) => {
    const one = stage.open();
    await one.drafts.show(first);
    one.drafts.change({ text: 'the ti', attachments: [file] });
    const other = stage.open();

    const shown = other.drafts.show(first);
    one.drafts.change({ text: 'the tide' });
    await shown;

    expect([one.store.state.draft, other.store.state.draft]).toEqual([
      { text: 'the tide', attachments: [file] },
      { text: 'the tide', attachments: [file] },
    ]);
  });

  test('takes what comes back in another window', async ({ stage }) => {
    const [one, other] = [stage.open(), stage.open()];
    await one.drafts.show(first);
    await other.drafts.show(second);
    one.drafts.change({ text: 'of the first' });

    await other.drafts.giveBack(first, [{ text: 'came back', attachments: [file] }]);

    expect(one.store.state.draft).toEqual({ text: 'came back\n\nof the first', attachments: [file] });
  });

  test('stored by another version reads as none', async ({ stage }) => {
    stage.local.save('draft:s1', { text: 'the tide' });
    stage.local.save('draft-files:s1', ['tides.txt']);
    const { store, drafts } = stage.open();

    await drafts.show(first);

    expect(store.state.draft).toEqual({ text: '', attachments: [] });
  });
});
