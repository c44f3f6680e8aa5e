/** Elements of a page of a project, as they are before a prompt about them. Pure. */
import * as z from 'zod';
import type { PickedInput, SessionSummary } from '#protocol/api.ts';
import { ProjectId, SessionId } from '#protocol/ids.ts';
import { MAX_PICKED, PagePicture } from '#protocol/link.ts';
import { PickedPlace } from '#extension/shared/messages.ts';

/** A picked element of a page that is served from the folder of a project, or from a session's own. */
export const Picked = z.object({
  place: PickedPlace,
  looks: z.string(),
  before: PagePicture.nullable(),
  projectId: ProjectId,
  sessionId: SessionId.nullable(),
});
export type Picked = z.infer<typeof Picked>;

/** All pictures together fit into one request. */
const MAX_BEFORE_UNITS = 5_000_000;
const MAX_NAME = 200;

/** Those whose page shows what the agent of this session changes. */
export const pickedFor = (
  attached: readonly { readonly picked?: Picked | undefined }[],
  session: SessionSummary,
): PickedInput['elements'] => {
  const inOwnFolder = session.worktree === undefined ? null : session.id;
  const fitting = attached.flatMap(({ picked }) =>
    picked !== undefined && picked.projectId === session.projectId && picked.sessionId === inOwnFolder ? [picked] : [],
  );
  let units = 0;
  return fitting.slice(0, MAX_PICKED).map(({ place: { tabId, url, documentId, frame, ...mark }, looks, before }) => {
    units += before?.dataBase64.length ?? 0;
    return {
      tabId,
      url,
      documentId,
      ...(frame === undefined ? {} : { frame }),
      mark: { ...mark, looks },
      element: `${mark.role} ${mark.name}`.trim().slice(0, MAX_NAME),
      ...(before === null || units > MAX_BEFORE_UNITS ? {} : { before }),
    };
  });
};
