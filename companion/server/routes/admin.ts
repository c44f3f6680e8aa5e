/** Who may do what: remembered grants, trusted projects, the folders agents may work in, the end of the daemon. */
import { isAbsolute } from 'node:path';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { checkWorkspace } from '#companion/projects/workspace.ts';
import type { ServerDeps } from '../deps.ts';
import { parse } from '../http-error.ts';
import { api, privateOnly } from '../scope.ts';

const ById = z.object({ id: z.string().max(200) });
const Root = z.object({ path: z.string().min(1).max(4096).refine(isAbsolute, 'must be an absolute path') });

export const addAdminRoutes = (app: FastifyInstance, { grants, trusted, settings, requestShutdown, log }: ServerDeps): void => {
  app.get('/api/grants', api, () => ({ grants: grants.list() }));

  app.delete('/api/grants/:id', api, ({ params }, reply) => {
    grants.remove(parse(ById, params).id);
    return reply.code(204).send();
  });

  /** Projects whose own files may start programs */
  app.get('/api/trust', api, () => ({ projects: trusted.list() }));

  /** Takes trust back; `?path=` the folder. The next turn there asks */
  app.delete('/api/trust', api, ({ query }) => {
    trusted.revoke(parse(Root, query).path);
    return { projects: trusted.list() };
  });

  app.get('/api/roots', privateOnly, () => ({ roots: settings.current().allowedRoots }));

  /** A wider reach for agents: only by a hand on the terminal, never by the panel. */
  app.post('/api/roots', privateOnly, async ({ body }) => {
    const { path } = parse(Root, body);
    // A folder that is not there yet would be allowed to whoever makes it.
    await checkWorkspace(path, { allowedRoots: [path], allowCreate: false });
    const roots = [...new Set([...settings.current().allowedRoots, path])];
    settings.change({ allowedRoots: roots });
    log.warn('roots.added', { path });
    return { roots };
  });

  app.delete('/api/roots', privateOnly, ({ query }) => {
    const { path } = parse(Root, query);
    const roots = settings.current().allowedRoots.filter((root) => root !== path);
    settings.change({ allowedRoots: roots });
    return { roots };
  });

  app.post('/api/shutdown', privateOnly, (_, reply) => {
    // After the answer is out: the caller wants to know that it was heard.
    reply.raw.once('finish', requestShutdown);
    return reply.code(202).send({ success: true });
  });
};
