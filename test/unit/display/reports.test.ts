import { describe, expect, test } from 'vitest';
import { reportIn } from '#display/reports.ts';

describe('what the installer reports, in Chinese', () => {
  test('leaves what has no form, and every other language, as it is', () => {
    expect(reportIn('zh', 'Nobody knows this yet.')).toBe('Nobody knows this yet.');
    expect(reportIn('en', 'Run `pilotfish install`.')).toBe('Run `pilotfish install`.');
  });
});
