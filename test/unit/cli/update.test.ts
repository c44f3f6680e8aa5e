/** The order in which an update and its way back are done; what they do to files is in test/integration/update.test.ts. */
import { describe, expect } from 'vitest';
import { test } from './stage.ts';

describe('update', () => {
  test('of a service whose new program is not started stops it, goes back and starts it again', async ({ stage }) => {
    stage.offered = '999.0.0';
    stage.isServiceRunning = true;
    stage.startNotes = ['systemctl --user restart failed: bad'];

    expect(await stage.run('update', '--from', 'x')).toBe(1);

    expect(stage.err).toContain('systemctl --user restart failed: bad');
    const order = ['shutdown', 'keepData', 'putIn', 'service.start', 'service.stop', 'restoreData', 'putBack'];
    expect(stage.calls.map(([name]) => name).filter((name) => order.includes(String(name)))).toEqual([...order, 'service.start']);
  });
});
