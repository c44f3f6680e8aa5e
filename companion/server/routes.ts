/** All routes behind the gate, on one fastify instance that never listens itself. */
import { createServer } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import { compatRoutes } from '#companion/compat/routes.ts';
import { MAX_BODY_BYTES } from '#protocol/attachment-limits.ts';
import { matchPath, type Route } from '#protocol/contract.ts';
import { CompanionError } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import type { Warning } from '#protocol/warnings.ts';
import type { Log } from '#companion/lib/log.ts';
import type { ServerDeps } from './deps.ts';
import { entryOf, pathOf } from './doors.ts';
import { answerRefusal, toHttpError } from './http-error.ts';
import { toAuditRecord } from './audit-record.ts';
import { addJsonBody } from './json-body.ts';
import { addRoutes, type OpenWork } from './handlers.ts';
import type { LogStream } from './log-stream.ts';
import type { RealtimeStream } from './realtime-stream.ts';
import { adminHandlers } from './routes/admin.ts';
import { preferenceHandlers } from './routes/preferences.ts';
import { attachmentHandlers } from './routes/attachments.ts';
import { checkHandlers } from './routes/check.ts';
import { compatHandlers } from './routes/compat.ts';
import { engineHandlers } from './routes/engines.ts';
import { mcpHandlers, type McpParts } from './routes/mcp.ts';
import { pairingHandlers } from './routes/pairing.ts';
import { openHandlers } from './routes/open.ts';
import { projectHandlers } from './routes/projects.ts';
import { sessionHandlers } from './routes/sessions.ts';
import { stateHandlers } from './routes/state.ts';
import { usageHandlers } from './routes/usage.ts';
import { workHandlers } from './routes/work.ts';
import { addScopes } from './scope.ts';
import type { StateStream } from './state-stream.ts';

export interface RouteParts extends McpParts {
  readonly log: LogStream;
  readonly realtime: RealtimeStream;
  readonly state: StateStream;
  /** Counts the requests that are being answered. */
  readonly work: OpenWork;
  readonly warnings: () => readonly Warning[];
}

const refuseSchema = (): never => {
  throw new Error('A route has a JSON schema of fastify; the contract in protocol/routes.ts is checked instead.');
};

/** The routes, ready to be asked. `onApp` is given the instance before the routes are added, so that a test can list them. */
export const createRoutes = async (
  deps: ServerDeps,
  parts: RouteParts,
  onApp: (app: FastifyInstance) => void = () => {},
): Promise<FastifyInstance> => {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 400 },
    frameworkErrors: (error, _, reply) => {
      reply.hijack();
      answerRefusal(reply.raw, toHttpError(error));
    },
    // zod checks bodies and answers. With these compilers fastify loads none of its own, which keeps 9 packages out of the program.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    // The doors are two separate servers, but fastify insists on making one.
    serverFactory: () => createServer(),
  });
  onApp(app);
  addScopes(app, deps);
  addJsonBody(app);
  addErrors(app, deps.log);
  addHooks(app, deps);
  const own = sessionHandlers(deps, parts);
  const around = { log: deps.log, work: parts.work };
  addRoutes(app, around, routes, {
    ...stateHandlers(deps, parts),
    ...projectHandlers(deps),
    ...openHandlers(deps),
    ...own,
    ...workHandlers(deps),
    ...attachmentHandlers(deps),
    ...engineHandlers(deps),
    ...adminHandlers(deps),
    ...checkHandlers(deps),
    ...pairingHandlers(deps),
    ...preferenceHandlers(deps),
    ...usageHandlers(deps),
    ...mcpHandlers(deps, parts),
  });
  addRoutes(app, around, compatRoutes, compatHandlers(deps, { own, realtime: parts.realtime }));
  await app.ready();
  return app;
};

/** What a handler throws is answered as a typed error, and logged with its stack when it is a fault of the daemon. */
const addErrors = (app: FastifyInstance, log: Log): void => {
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = toHttpError(error);
    if (status >= 500) log.error('request.failed', { method: request.method, path: pathOf(request.raw), code: body.code, error });
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler(({ raw }, reply) => {
    const methods = methodsAt(pathOf(raw));
    if (methods.length > 0) reply.header('allow', methods.join(', '));
    const { status, body } = toHttpError(new CompanionError(methods.length > 0 ? 'METHOD_WRONG' : 'ROUTE_NOT_FOUND'));
    return reply.code(status).send(body);
  });
  // The router takes a slash too many for a parameter without a text.
  app.addHook('onRequest', ({ params }, reply, done) => {
    if (typeof params === 'object' && params !== null && Object.values(params).includes('')) reply.callNotFound();
    else done();
  });
};

/** What an address can be asked. */
const methodsAt = (path: string): readonly string[] => {
  const found = [...Object.values<Route>(routes), ...Object.values<Route>(compatRoutes)].filter((route) => matchPath(route, path) !== null);
  return [...new Set(found.map(({ method }) => method))];
};

const addHooks = (app: FastifyInstance, { log, audit }: ServerDeps): void => {
  app.addHook('onSend', async (_, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
  app.addHook('onResponse', async ({ raw, body, routeOptions, is404 }, reply) => {
    const { door, principal } = entryOf(raw);
    const { scope, isForPerson, isRoutine } = routeOptions.config;
    // A step of something else, a piece of a large file for instance.
    const isStep = isRoutine === true && reply.statusCode < 400;
    const isAct = !is404 && isForPerson === true && !isStep;
    if (isAct) audit.add(toAuditRecord(principal, raw, body, reply.statusCode));
    // A tool call has lines of its own.
    if (raw.method === 'GET' || scope === 'mcp' || isStep) return;
    log.info('request', { door, by: principal.type, method: raw.method, path: pathOf(raw), status: reply.statusCode });
  });
};
