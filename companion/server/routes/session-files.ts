/** Sessions as files: exported, and imported again. */
import { Readable } from 'node:stream';
import { exportMarkdown, exportText } from '#companion/sessions/export.ts';
import { type ImportSource, sourceFrom, sourceOf } from '#companion/sessions/import.ts';
import { CompanionError } from '#protocol/errors.ts';
import { parseExport, type ImportInput } from '#protocol/session-export.ts';
import type { routes } from '#protocol/routes.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
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
  importSession: async ({ body }, { gone }) => {
    const { projectId = null, uploadId } = body;
    if (projectId !== null) findProject(deps, projectId);
    const source = await readSource(deps, body, gone());
    const engine = body.engineName ?? (await engineFor(deps, source.head.session.engineName));
    const sessionId = await deps.sessions.import(source, { projectId, engine });
    if (uploadId !== undefined) deps.attachments.uploads.letGo(uploadId);
    return { session: deps.sessions.summary(sessionId) };
  },
});

/** What is given up, or whose caller has gone, is not read any further. */
const readSource = async ({ attachments }: ServerDeps, { document, uploadId }: ImportInput, gone: AbortSignal): Promise<ImportSource> => {
  if ((document === undefined) === (uploadId === undefined)) {
    throw new CompanionError('INPUT_INVALID', 'document, uploadId: one of the two must be given.');
  }
  if (uploadId === undefined) return sourceOf(parseExport(document));
  const { uploads } = attachments;
  const { file, signal } = uploads.take(uploadId);
  return sourceFrom(file, {
    signal: AbortSignal.any([signal, gone]),
    onRead: (done, total) => uploads.noteRead(uploadId, done, total),
  });
};

/** The agent it had, or where that is not here, one that is. */
const engineFor = async ({ engines }: ServerDeps, wanted: string): Promise<string> => {
  const known = engines.list();
  if (known.some(({ name }) => name === wanted)) return wanted;
  const name = (await engines.look()).find(({ status }) => status === 'ready')?.name ?? known[0]?.name;
  if (name === undefined) throw new CompanionError('ENGINE_NOT_FOUND');
  return name;
};
