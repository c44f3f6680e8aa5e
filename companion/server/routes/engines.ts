/** Agents found on this machine. */
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { ServerDeps } from '../deps.ts';
import { parse } from '../http-error.ts';
import { api } from '../scope.ts';

const Refresh = z.object({ name: z.string().max(200).optional() });

export const addEngineRoutes = (app: FastifyInstance, { engines }: ServerDeps): void => {
  app.get('/agent/engines', api, () => ({
    engines: engines.list().map((engine) => ({ ...engine, supportsMcp: engine.capabilities.mcp.length > 0 })),
  }));

  /** Looks again; the caller's going away ends the look, not the engines' next one. */
  app.post('/api/engines/refresh', api, async ({ body }, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    return { engines: await engines.refresh(parse(Refresh, body ?? {}).name, gone.signal) };
  });
};
