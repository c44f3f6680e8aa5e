import { expect, test } from 'vitest';
import { defaultSettings, EventBody } from '#protocol/events.ts';

test('a session that was created before a setting existed is read with its default', () => {
  const { maxTurnMs: _turn, maxSilenceMs: _silence, ...settings } = defaultSettings;
  const stored = { type: 'session.created', projectId: null, engine: 'e', name: '', kind: 'agent', settings };

  expect(EventBody.parse(stored)).toMatchObject({ settings: defaultSettings });
});

test('a change of settings names only what changes', () => {
  const changed = { type: 'session.updated', settings: { maxTurnMs: 60_000 } };

  expect(EventBody.parse(changed)).toEqual(changed);
});
