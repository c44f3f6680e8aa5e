import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { defineTool } from '#extension/toolkit/tool.ts';

/** Several calls in one. The companion makes each of them by itself: each is allowed, kept and run as if it had come alone. */
export const browserBatch = defineTool({
  name: 'browser_batch',
  title: 'Several calls',
  description: 'Make several calls in one, when none depends on what an earlier one returns; stops at the first that surprises.',
  input: z.strictObject({
    calls: z
      .array(
        z.strictObject({
          name: z.string().describe('Tool'),
          arguments: z.record(z.string(), z.unknown()).optional().describe('Its arguments'),
        }),
      )
      .min(1)
      .max(20)
      .describe('In order'),
  }),
  parts: { calls: 'calls' },
  toolClass: 'write',
  scope: 'browser',
  run: () => Promise.reject(new CompanionError('TOOL_FAILED', 'The calls of a batch are made by the companion.')),
});
