import { expect, test } from 'vitest';
import { toErrorResult } from '#companion/toolsets/error-result.ts';
import { CompanionError } from '#protocol/errors.ts';

test('an error that repeats what was given keeps its beginning and its end, whatever that was', () => {
  const { content, isError } = toErrorResult(
    new CompanionError('TARGET_NOT_FOUND', `Nothing matches "${'x'.repeat(200_000)}". Give a ref.`).toBody(),
  );
  const text = String(content[0]?.['text']);

  expect(isError).toBe(true);
  expect(text.length).toBeLessThan(5_000);
  expect(text).toMatch(/^TARGET_NOT_FOUND: .*Nothing matches "xxx.*xxx … xxx.*xxx"\. Give a ref\. /);
});
