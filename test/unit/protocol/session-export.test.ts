import { describe, expect, test } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import { defaultSettings } from '#protocol/events.ts';
import { parseExport } from '#protocol/session-export.ts';
import { AT, sampleSession } from '#test/fixtures/samples.ts';

const turn = (turnId: string) => ({
  turnId,
  status: 'completed',
  prompt: { text: 'hello', attachments: [] },
  startedAt: 1,
  durationMs: 2,
  error: null,
});
const item = (itemId: string, turnId: string, parentItemId: string | null = null) => ({
  itemId,
  turnId,
  parentItemId,
  status: 'completed',
  at: 1,
  endedAt: 2,
  body: { kind: 'message', role: 'user', text: 'hello' },
});
const file = {
  format: 'pilotfish-session',
  version: 1,
  exportedAt: AT,
  session: sampleSession({}),
  settings: defaultSettings,
  usage: {},
  turns: [turn('t1')],
  items: [item('i1', 't1')],
  attachments: [],
};

describe('a file that is imported', () => {
  test('is read as it was written', () => {
    expect(parseExport(JSON.parse(JSON.stringify(file)))).toMatchObject({ turns: [{ turnId: 't1' }], items: [{ itemId: 'i1' }] });
  });

  test.for([
    ['nothing of ours', null, 'no session that pilotfish has exported'],
    ['another form', { session: {}, items: [] }, 'no session that pilotfish has exported'],
    ['a later version', { ...file, version: 2 }, 'a later pilotfish'],
    ['a wrong field', { ...file, turns: [{ ...turn('t1'), status: 'odd' }] }, 'turns[0].status'],
    ['a moment that no calendar has', { ...file, items: [{ ...item('i1', 't1'), at: 1e300 }] }, 'items[0].at'],
    ['two turns of one id', { ...file, turns: [turn('t1'), turn('t1')] }, 'Two turns'],
    ['two items of one id', { ...file, items: [item('i1', 't1'), item('i1', 't1')] }, 'Two items'],
    ['an item of no turn', { ...file, items: [item('i1', 't2')] }, 'i1 belongs to nothing'],
    ['an item in one that is not there', { ...file, items: [item('i1', 't1', 'i9')] }, 'i1 belongs to nothing'],
    ['items in a ring', { ...file, items: [item('i1', 't1', 'i2'), item('i2', 't1', 'i1')] }, 'i1 belongs to nothing'],
    ['bytes that are none', { ...file, attachments: [{ attachmentId: 'a', dataBase64: '%%' }] }, 'attachments[0].dataBase64'],
  ] as const)('with %s is refused, with what is wrong and what to do', ([, json, said]) => {
    const refused = (() => {
      try {
        return parseExport(json);
      } catch (error) {
        return error;
      }
    })();

    expect(refused).toBeInstanceOf(CompanionError);
    expect(refused).toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(said),
      remedy: expect.stringContaining('pilotfish'),
    });
  });
});
