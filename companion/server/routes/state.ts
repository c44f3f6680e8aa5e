/** What the daemon knows beside the sessions. */
import type { FastifyInstance } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { entryOf } from '../doors.ts';
import { toHealth } from '../health.ts';
import { api } from '../scope.ts';
import type { StateStream } from '../state-stream.ts';

export const addStateRoutes = (
  app: FastifyInstance,
  { status, tokens }: ServerDeps,
  { state, port, notices }: { readonly state: StateStream; readonly port: () => number; readonly notices: readonly string[] },
): void => {
  app.get('/health', api, () => toHealth(true, port()));

  app.get('/ping', api, () => ({ status: 'ok', message: 'pong' }));

  app.get('/api/status', api, () => {
    const now = status();
    return { ...now, warnings: [...now.warnings, ...notices] };
  });

  app.get('/api/events', api, (_, reply) => {
    state.open(reply.raw);
    reply.hijack();
  });

  app.post('/api/tickets', api, ({ raw }) => ({ ticket: tokens.issueTicket(entryOf(raw).principal) }));
};
