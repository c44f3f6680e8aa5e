/** How far a reader of a session's log has come: `<epoch>-<seq>`, which is the id of every event that is sent. */

export const toCursor = (epoch: string, seq: number): string => `${epoch}-${seq}`;

type ResyncReason = 'malformed' | 'epoch' | 'ahead';

/** What to send: the events after `after`, and first a `resync` when the reader's events are not of this log. */
export interface Position {
  readonly after: number;
  readonly resync: ResyncReason | null;
}

/** `cursor` as the reader sent it: an id, a bare number for the current log, or null for everything. */
export const resolveCursor = (cursor: string | null, log: { readonly epoch: string; readonly seq: number }): Position => {
  if (cursor === null || cursor === '') return { after: 0, resync: null };
  const dash = cursor.lastIndexOf('-');
  const digits = cursor.slice(dash + 1);
  if (!/^\d{1,15}$/.test(digits)) return { after: 0, resync: 'malformed' };
  if (dash >= 0 && cursor.slice(0, dash) !== log.epoch) return { after: 0, resync: 'epoch' };
  const seq = Number(digits);
  return seq > log.seq ? { after: 0, resync: 'ahead' } : { after: seq, resync: null };
};
