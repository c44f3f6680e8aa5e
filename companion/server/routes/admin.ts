/** Who may do what: remembered grants, rules of sites, trusted projects, the folders agents may work in, the end of the daemon. */
import { isAskedInOwnPanel, type Admission } from '#protocol/admission.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { routes } from '#protocol/routes.ts';
import { explain } from '#protocol/faults.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { checkWorkspace } from '#companion/projects/workspace.ts';
import type { Principal } from '#companion/mcp/tokens.ts';
import { isNewcomer } from '../callers.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';

type Names =
  | 'readAudit'
  | 'listCalls'
  | 'listGrants'
  | 'addGrants'
  | 'removeGrant'
  | 'listSites'
  | 'setSite'
  | 'removeSite'
  | 'listAdmissions'
  | 'decideAdmission'
  | 'removeAdmission'
  | 'listTrust'
  | 'revokeTrust'
  | 'listRoots'
  | 'addRoot'
  | 'removeRoot'
  | 'shutDown';

export const adminHandlers = (deps: ServerDeps): Pick<Handlers<typeof routes>, Names> => {
  const { admissions, audit, caller, sites, trusted, settings, requestShutdown, log } = deps;
  return {
    // Who has the answer to a call finds the call there.
    readAudit: ({ query }) => {
      caller.settle();
      return audit.report(query.last, query.cursor);
    },
    listCalls: ({ query }) => {
      caller.settle();
      return audit.calls(query);
    },
    ...grantHandlers(deps),
    listSites: () => ({ sites: sites.list() }),
    setSite: ({ body: { site, rule } }) => {
      sites.set(site, rule);
      return { sites: sites.list() };
    },
    removeSite: ({ params: { site } }) => {
      sites.remove(site);
      return { sites: sites.list() };
    },
    listAdmissions: () => ({ admissions: admissions.list() }),
    decideAdmission: ({ params: { id }, body: { isAllowed } }, { principal }) => {
      if (isNewcomer(principal, admissions)) checkIsOwn(principal, id, admissions.find(id));
      return admissions.decide(id, isAllowed);
    },
    removeAdmission: ({ params: { id } }) => {
      admissions.remove(id);
      return { admissions: admissions.list() };
    },
    listTrust: () => ({ projects: trusted.list() }),
    revokeTrust: ({ query }) => {
      trusted.revoke(query.path);
      return { projects: trusted.list() };
    },
    listRoots: () => ({ roots: [...settings.current().allowedRoots] }),
    addRoot: async ({ body: { path } }) => {
      // The folder must exist: one that is made later would be allowed without having been seen.
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
      // The daemon ends after its answer was sent, because the caller wants to know that it was heard.
      response.once('finish', requestShutdown);
      return { success: true };
    },
  };
};

type GrantNames = 'listGrants' | 'addGrants' | 'removeGrant';

const grantHandlers = ({ grants, sessions, engines }: ServerDeps): Pick<Handlers<typeof routes>, GrantNames> => ({
  listGrants: () => ({ grants: grants.list() }),
  addGrants: ({ body: { sessionId, origins, minutes } }) => {
    const { kind, engine } = sessions.view(sessionId);
    // What a program from outside may do is decided about each of its calls.
    if (kind !== 'agent') throw new CompanionError('FORBIDDEN', explain('is_client_session'));
    const createdAt = Date.now();
    const made = origins.map((text) => ({
      id: randomId('grant'),
      origin: new URL(text).origin,
      toolClass: 'write' as const,
      tool: null,
      sessionId,
      client: { id: `agent ${engine}`, name: engines.list().find(({ name }) => name === engine)?.label ?? engine },
      createdAt,
      expiresAt: createdAt + minutes * 60_000,
    }));
    for (const grant of made) grants.add(grant);
    return { grants: made };
  },
  removeGrant: ({ params: { id } }) => {
    if (!grants.list().some((grant) => grant.id === id)) throw new CompanionError('RULE_NOT_FOUND');
    grants.remove(id);
  },
});

/** A browser that waits may be let in by its own panel, where that can be believed; it decides about no other. */
const checkIsOwn = (principal: Principal, id: string, admission: Admission | null): void => {
  const isOwn = principal.type === 'panel' && principal.admissionId === id;
  if (!isOwn || admission === null || !isAskedInOwnPanel(admission)) throw new CompanionError('BROWSER_NOT_ALLOWED');
};
