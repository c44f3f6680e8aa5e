/** Why the host cannot do its work, as the extension's panel shows it. */
import type { ErrorBody, ErrorCode } from '#protocol/errors.ts';
import type { Said } from '#protocol/said.ts';

/** The table of errors needs zod, which would delay the first reply to Chrome, so the host has sentences of its own. */
export class HostError extends Error {
  readonly body: ErrorBody;

  constructor(body: ErrorBody) {
    super(body.message);
    this.name = 'HostError';
    this.body = body;
  }
}

export const hostError = (code: ErrorCode, message: Said, remedy: Said): HostError =>
  new HostError({ code, message: message.text, remedy: remedy.text, says: { message, remedy } });
