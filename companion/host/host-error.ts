/** Why the host cannot do its work, as the extension's panel shows it. */
import type { ErrorBody } from '#protocol/errors.ts';

/** The table of errors needs zod, which would delay the first reply to Chrome, so the host has texts of its own. */
export class HostError extends Error {
  readonly body: ErrorBody;

  constructor(body: ErrorBody) {
    super(body.message);
    this.name = 'HostError';
    this.body = body;
  }
}
