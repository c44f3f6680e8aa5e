/** Why the host cannot do its work, in the words of the extension's panel. */
import type { ErrorBody } from '#protocol/errors.ts';

/** The table of errors needs zod, which would delay the first reply to Chrome, so the host brings its own words. */
export class HostError extends Error {
  readonly body: ErrorBody;

  constructor(body: ErrorBody) {
    super(body.message);
    this.name = 'HostError';
    this.body = body;
  }
}
