import { expect, test } from 'vitest';
import { defaultSettings, EventBody } from '#protocol/events.ts';
import { isSessionId, SessionId } from '#protocol/ids.ts';

test('a session that was created before a setting existed is read with its default', () => {
  const { maxTurnMs: _turn, maxSilenceMs: _silence, ...settings } = defaultSettings;
  const stored = { type: 'session.created', projectId: null, engine: 'e', name: '', kind: 'agent', settings };

  expect(EventBody.parse(stored)).toMatchObject({ settings: defaultSettings });
});

test('a change of settings names only what changes', () => {
  const changed = { type: 'session.updated', settings: { maxTurnMs: 60_000 } };

  expect(EventBody.parse(changed)).toEqual(changed);
});

test('what may be the id of a session is the same for its schema and for long lists', () => {
  const values = ['', 's', 's'.repeat(200), 's'.repeat(201), 'two words', 5, null, undefined, {}];

  expect(values.map(isSessionId)).toEqual(values.map((value) => SessionId.safeParse(value).success));
});
