/** Sessions as files: exported, and imported again. */
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { exportMarkdown, exportText } from '#companion/sessions/export.ts';
import { CompanionError } from '#protocol/errors.ts';
import { parseExport, type ImportInput } from '#protocol/session-export.ts';
import type { routes } from '#protocol/routes.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import { isTooDeep } from '../json-body.ts';
import { findProject } from './find.ts';

const TYPES = { markdown: 'text/markdown; charset=utf-8', json: 'application/json' } as const;
const ENDINGS = { markdown: 'md', json: 'json' } as const;

export const fileHandlers = (deps: ServerDeps): Pick<Handlers<typeof routes>, 'exportSession' | 'importSession'> => ({
  exportSession: async ({ params: { sessionId }, query: { format } }) => {
    const exported = await deps.sessions.export(sessionId);
    const pieces = format === 'json' ? exportText(exported, deps.attachments) : exportMarkdown(exported);
    return {
      bytes: Readable.from(pieces, { objectMode: false }),
      headers: {
        'content-type': TYPES[format],
        'content-disposition': `attachment; filename="pilotfish-session.${ENDINGS[format]}"`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      },
    };
  },
  importSession: async ({ body }) => {
    const { projectId = null, uploadId } = body;
    if (projectId !== null) findProject(deps, projectId);
    const document = parseExport(await readDocument(deps, body));
    const engine = body.engineName ?? (await engineFor(deps, document.session.engineName));
    const sessionId = await deps.sessions.import(document, { projectId, engine });
    if (uploadId !== undefined) deps.attachments.uploads.letGo(uploadId);
    return { session: deps.sessions.summary(sessionId) };
  },
});

const readDocument = async ({ attachments }: ServerDeps, { document, uploadId }: ImportInput): Promise<unknown> => {
  if ((document === undefined) === (uploadId === undefined)) {
    throw new CompanionError('INPUT_INVALID', 'document, uploadId: one of the two must be given.');
  }
  if (uploadId === undefined) return document;
  const text = await readFile(attachments.uploads.take(uploadId).file, 'utf8');
  if (isTooDeep(text)) throw new CompanionError('INPUT_INVALID', 'The JSON of the file is nested too deeply.');
  try {
    // The names that reach prototypes are no part of any session.
    return JSON.parse(text, function (this: unknown, name: string, value: unknown) {
      return name === '__proto__' || name === 'constructor' ? undefined : value;
    });
  } catch (cause) {
    throw new CompanionError('INPUT_INVALID', 'The file is not JSON.', { cause });
  }
};

/** The agent it had, or where that is not here, one that is. */
const engineFor = async ({ engines }: ServerDeps, wanted: string): Promise<string> => {
  const known = engines.list();
  if (known.some(({ name }) => name === wanted)) return wanted;
  const name = (await engines.look()).find(({ status }) => status === 'ready')?.name ?? known[0]?.name;
  if (name === undefined) throw new CompanionError('ENGINE_NOT_FOUND');
  return name;
};
