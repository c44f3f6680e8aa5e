import { describe, expect, test } from 'vitest';
import type { AuditEntry, CallPage } from '#protocol/audit.ts';
import { CallTrail } from '#extension/sidepanel/call-trail.ts';

const entry = (seq: number): AuditEntry => ({
  hash: '',
  seq,
  at: '',
  kind: 'decision',
  by: 'claude',
  what: 'browser_click',
  result: 'allowed',
});

interface Asked {
  readonly last: number;
  readonly cursor?: number;
  readonly after?: number;
}

/** An audit with entries from 1 on, of which it tells two at a time. */
const audit = (count: number) => {
  const asked: Asked[] = [];
  const all = Array.from({ length: count }, (_, index) => entry(index + 1));
  const read = async (query: Asked): Promise<CallPage> => {
    asked.push(query);
    const { cursor = Infinity, after } = query;
    if (after !== undefined) return { entries: all.filter(({ seq }) => seq > after).slice(0, 2) };
    const before = all.filter(({ seq }) => seq < cursor);
    const entries = before.slice(-2);
    return { entries, ...(before.length > 2 ? { next: entries[0]?.seq } : {}) };
  };
  return { asked, all, read };
};

const seqs = ({ entries }: CallTrail): number[] | undefined => entries?.map(({ seq }) => seq);

describe('the calls as far as they were read', () => {
  test('are the newest at first, then those that come, with no gap', async () => {
    const { all, read } = audit(3);
    const trail = new CallTrail(read);
    expect(trail.entries).toBeNull();

    await trail.readNewer();
    expect(seqs(trail)).toEqual([2, 3]);
    all.push(entry(4), entry(5), entry(6));
    await trail.readNewer();
    await trail.readNewer();

    expect(seqs(trail)).toEqual([2, 3, 4, 5, 6]);
  });

  test('stay the same list while nothing comes, so that nothing is drawn anew', async () => {
    const trail = new CallTrail(audit(1).read);
    await trail.readNewer();
    const { entries } = trail;

    await trail.readNewer();

    expect(trail.entries).toBe(entries);
  });

  test('go back to the first, each page once however often it is asked for', async () => {
    const { asked, read } = audit(5);
    const trail = new CallTrail(read);
    await trail.readNewer();

    await Promise.all([trail.readEarlier(), trail.readEarlier()]);
    expect(seqs(trail)).toEqual([2, 3, 4, 5]);
    await trail.readEarlier();

    expect(seqs(trail)).toEqual([1, 2, 3, 4, 5]);
    expect(trail.hasEarlier).toBe(false);
    await trail.readEarlier();
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, 4, 2]);
  });

  test('are asked for again after a failure', async () => {
    const { read } = audit(5);
    let fails = false;
    const trail = new CallTrail((query) => (fails ? Promise.reject(new Error('gone')) : read(query)));
    await trail.readNewer();
    fails = true;
    await expect(trail.readEarlier()).rejects.toThrow('gone');
    fails = false;

    await trail.readEarlier();

    expect(seqs(trail)).toEqual([2, 3, 4, 5]);
  });
});
