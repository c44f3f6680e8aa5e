/** What was attached: sent in pieces, counted by project, fetched again, cleared away. */
import path from 'node:path';
import { attachmentLimits, isPicture, sumOf } from '#protocol/attachment-limits.ts';
import type { AttachmentCount, RemovedAttachments } from '#protocol/attachments.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { routes } from '#protocol/routes.ts';
import { explain } from '#protocol/faults.ts';
import type { ServerDeps } from '../deps.ts';
import type { Bytes, Handlers } from '../handlers.ts';
import { findProject } from './find.ts';

type Names =
  | 'beginUpload'
  | 'sendPiece'
  | 'uploadState'
  | 'cancelUpload'
  | 'attachmentStats'
  | 'projectAttachment'
  | 'removeProjectAttachments'
  | 'removeAttachments';

export const attachmentHandlers = (deps: ServerDeps): Pick<Handlers<typeof routes>, Names> => ({
  beginUpload: ({ body }) => deps.attachments.uploads.begin(body),
  uploadState: ({ params: { uploadId } }) => deps.attachments.uploads.state(uploadId),
  cancelUpload: ({ params: { uploadId } }) => {
    // One that is not there is told as such.
    deps.attachments.uploads.state(uploadId);
    deps.attachments.uploads.letGo(uploadId);
  },
  sendPiece: ({ params, body }) => ({ receivedBytes: deps.attachments.uploads.append(params.uploadId, body) }),
  attachmentStats: () => {
    const projects = countsOf(deps);
    return {
      success: true,
      rootDir: deps.attachments.directory,
      totalFiles: projects.reduce((sum, { fileCount }) => sum + fileCount, 0),
      totalBytes: projects.reduce((sum, { totalBytes }) => sum + totalBytes, 0),
      limitBytes: attachmentLimits.keptBytes,
      projects,
      orphanProjectIds: projects.filter(({ projectId, existsInDb }) => !existsInDb && projectId !== '').map(({ projectId }) => projectId),
    };
  },
  projectAttachment: async ({ params: { projectId, filename } }) => {
    const { attachments } = deps;
    const found = keptByProject(deps)
      .get(projectId)
      ?.find(({ ref }) => path.basename(attachments.pathOf(ref)) === filename)?.ref;
    if (found === undefined) throw new CompanionError('FILE_NOT_FOUND', explain('no_attachment_in_project'));
    const bytes = toBytes(found, await attachments.stream(found));
    // The bytes behind a name never change.
    return { ...bytes, headers: { ...bytes.headers, 'cache-control': 'private, max-age=31536000, immutable' } };
  },
  removeProjectAttachments: ({ params: { projectId } }) => {
    // Those of a project that was forgotten are still there.
    if (!keptByProject(deps).has(projectId)) findProject(deps, projectId);
    return removeOf(deps, 'project', [projectId]);
  },
  removeAttachments: ({ body: { projectIds } }) =>
    projectIds === undefined ? removeOf(deps, 'all', [...keptByProject(deps).keys()]) : removeOf(deps, 'selected', projectIds),
});

type Owner = AttachmentCount['projectId'];

interface Kept {
  readonly ref: AttachmentRef;
  /** Whether its session works, so that its agent may still read it. */
  readonly isInUse: boolean;
}

/** By project id; what belongs to no project stands under the empty one. */
const keptByProject = ({ sessions, attached }: ServerDeps): Map<Owner, Kept[]> => {
  const byId = new Map([
    ...sessions.removed().map(({ session }) => [session.id, session] as const),
    ...sessions.list().map((session) => [session.id, session] as const),
  ]);
  const kept = attached.list().map(({ sessionId, ref }) => {
    const session = byId.get(sessionId);
    const projectId: Owner = session?.projectId ?? '';
    return { projectId, ref, isInUse: session !== undefined && session.status !== 'idle' };
  });
  return Map.groupBy(kept, ({ projectId }) => projectId);
};

const countsOf = (deps: ServerDeps): AttachmentCount[] => {
  const projects = new Map(deps.projects.list().map(({ id, name }) => [String(id), name]));
  return [...keptByProject(deps)].map(([projectId, kept]) => {
    const projectName = projects.get(projectId);
    return {
      projectId,
      ...(projectName === undefined ? {} : { projectName }),
      existsInDb: projectName !== undefined,
      fileCount: kept.length,
      totalBytes: sumOf(kept.map(({ ref }) => ref)),
    };
  });
};

const removeOf = (deps: ServerDeps, scope: RemovedAttachments['scope'], projectIds: readonly Owner[]): RemovedAttachments => {
  const kept = keptByProject(deps);
  const results = [...new Set(projectIds)].map((projectId) => {
    const refs = (kept.get(projectId) ?? []).filter(({ isInUse }) => !isInUse).map(({ ref }) => ref);
    for (const ref of refs) deps.attachments.remove(ref);
    deps.attached.remove(refs.map(({ attachmentId }) => attachmentId));
    return { projectId, removedFiles: refs.length, removedBytes: sumOf(refs) };
  });
  return {
    success: true,
    scope,
    removedFiles: results.reduce((sum, { removedFiles }) => sum + removedFiles, 0),
    removedBytes: results.reduce((sum, { removedBytes }) => sum + removedBytes, 0),
    results,
  };
};

/** Pictures are shown; everything else is a download, since it may hold a page that scripts. */
export const toBytes = (ref: AttachmentRef, { bytes, sizeBytes }: Awaited<ReturnType<ServerDeps['attachments']['stream']>>): Bytes => {
  const isShown = isPicture(ref) && (ref.kind === 'image' || ref.kind === 'screenshot');
  return {
    bytes,
    headers: {
      'content-length': String(sizeBytes),
      'content-type': isShown ? ref.mimeType : 'application/octet-stream',
      'content-disposition': isShown ? 'inline' : 'attachment',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  };
};
