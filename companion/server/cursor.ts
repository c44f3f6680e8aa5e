/** Where a reader of a session's log stands: `<epoch>-<seq>`, the id of every event it is sent. */

export const toCursor = (epoch: string, seq: number): string => `${epoch}-${seq}`;

type ResyncReason = 'malformed' | 'epoch' | 'ahead';

/** From where to send: after `after`, and with a `resync` first when what the reader has is not of this log. */
export interface Position {
  readonly after: number;
  readonly resync: ResyncReason | null;
}

/** `cursor` as the reader sent it: an id, or a bare number for the current log, or null to begin at the beginning. */
export const resolveCursor = (cursor: string | null, log: { readonly epoch: string; readonly seq: number }): Position => {
  if (cursor === null || cursor === '') return { after: 0, resync: null };
  const dash = cursor.lastIndexOf('-');
  const digits = cursor.slice(dash + 1);
  if (!/^\d{1,15}$/.test(digits)) return { after: 0, resync: 'malformed' };
  if (dash >= 0 && cursor.slice(0, dash) !== log.epoch) return { after: 0, resync: 'epoch' };
  const seq = Number(digits);
  return seq > log.seq ? { after: 0, resync: 'ahead' } : { after: seq, resync: null };
};
