/** A history that a later version of pilotfish has written: an older one shows it and changes nothing. */
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import { warningText } from '#protocol/warnings.ts';
import { test } from './stage.ts';

describe('a history of a later version', () => {
  test('is shown, and a prompt is refused with what to do', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say hello');
    await stage.sessions.close();
    stage.store.close();
    const db = new DatabaseSync(stage.paths.dbFile);
    db.exec('PRAGMA user_version = 99');
    db.close();

    await stage.restart({ isCrash: true });

    expect(stage.store.warnings.map(warningText).join()).toContain('Update pilotfish');
    expect(stage.sessions.list()).toMatchObject([{ id: sessionId, preview: 'hello' }]);
    expect(JSON.stringify(stage.sessions.view(sessionId))).toContain('hello');
    await expect(stage.send(sessionId, 'say more')).rejects.toMatchObject({ code: 'STORE_FAILED', remedy: 'Update pilotfish.' });
  });
});
