/** Reads the body of a request: one JSON value, nested at most 64 levels deep, without names that reach prototypes. */
import type { FastifyInstance } from 'fastify';
import { CompanionError } from '#protocol/errors.ts';

const MAX_DEPTH = 64;

export const addJsonBody = (app: FastifyInstance): void => {
  const parseJson = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    // `fetch` sends an empty body when it is given none, whatever the content type says.
    if (body === '') return done(null, undefined);
    if (isTooDeep(body)) return done(new CompanionError('INPUT_INVALID', `JSON may be nested ${MAX_DEPTH} levels deep.`), undefined);
    return parseJson(request, body, done);
  });
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets before anything is built from them; what is inside strings does not count. */
export const isTooDeep = (json: string): boolean => {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const char = json.charCodeAt(index);
    if (char === QUOTE) index = endOfString(json, index);
    else if (char === 0x7b || char === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (char === 0x7d || char === 0x5d) depth -= 1;
  }
  return false;
};

/** Index of the quote that ends the string begun at `start`; long strings (attachments) are crossed by indexOf. */
const endOfString = (json: string, start: number): number => {
  let end = json.indexOf('"', start + 1);
  while (end > 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end;
};

const isEscaped = (json: string, index: number): boolean => {
  let backslashes = 0;
  while (json.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
};
