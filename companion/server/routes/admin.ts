/** Who may do what: remembered grants, trusted projects, the folders agents may work in, the end of the daemon. */
import type { routes } from '#protocol/routes.ts';
import { checkWorkspace } from '#companion/projects/workspace.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';

type Names = 'readAudit' | 'listGrants' | 'removeGrant' | 'listTrust' | 'revokeTrust' | 'listRoots' | 'addRoot' | 'removeRoot' | 'shutDown';

export const adminHandlers = ({
  audit,
  grants,
  trusted,
  settings,
  requestShutdown,
  log,
}: ServerDeps): Pick<Handlers<typeof routes>, Names> => ({
  readAudit: ({ query }) => audit.report(query.last),
  listGrants: () => ({ grants: grants.list() }),
  removeGrant: ({ params }) => grants.remove(params.id),
  listTrust: () => ({ projects: trusted.list() }),
  revokeTrust: ({ query }) => {
    trusted.revoke(query.path);
    return { projects: trusted.list() };
  },
  listRoots: () => ({ roots: [...settings.current().allowedRoots] }),
  addRoot: async ({ body: { path } }) => {
    // It has to be there: a folder that is made later would be allowed unseen.
    await checkWorkspace(path, { allowedRoots: [path], allowCreate: false });
    const roots = [...new Set([...settings.current().allowedRoots, path])];
    settings.change({ allowedRoots: roots });
    log.warn('roots.added', { path });
    return { roots };
  },
  removeRoot: ({ query: { path } }) => {
    const roots = settings.current().allowedRoots.filter((root) => root !== path);
    settings.change({ allowedRoots: roots });
    return { roots };
  },
  shutDown: (_, { response }) => {
    // The daemon ends after its answer is out: the caller wants to know that it was heard.
    response.once('finish', requestShutdown);
    return { success: true };
  },
});
