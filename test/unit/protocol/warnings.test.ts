import { describe, expect, test } from 'vitest';
import { StateEvent, Status } from '#protocol/api.ts';
import { toldAs, warn, warningsIn, warningText, type Warning } from '#protocol/warnings.ts';
import { sampleStatus } from '#test/fixtures/samples.ts';

const waits: Warning = { what: warn('browser_waits', { who: 'B' }), remedy: warn('allow_browser', { id: 'b1' }) };

describe('warnings on the wire', () => {
  test('are English texts for every client, and beside them what they are made of', () => {
    const sent = toldAs([waits, { what: warn('entries_stray') }]);

    expect(sent.warnings).toEqual([
      'The browser B waits for you. Press "Allow" in its side panel, or run `pilotfish browsers allow b1`.',
      'Part of the history belongs to no session any more: the file was damaged.',
    ]);
    expect(StateEvent.parse(JSON.parse(JSON.stringify({ type: 'warnings', ...sent })))).toEqual({ type: 'warnings', ...sent });
    expect(warningsIn(sent)).toEqual(sent.told);
  });

  test('of a daemon of an earlier version are their texts, by which they are known again', () => {
    const warnings = warningsIn(Status.parse(sampleStatus({ warnings: ['The disk is full.'] })));

    expect(warnings.map(warningText)).toEqual(['The disk is full.']);
  });
});
