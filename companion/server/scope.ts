/** Which callers a route is for. It is looked up by the matched route, so that no spelling of an address gets around it. */
import type { FastifyInstance } from 'fastify';
import type { Scope } from '#protocol/contract.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Principal } from '#companion/mcp/tokens.ts';
import type { ServerDeps } from './deps.ts';
import { isAgent, isNewcomer } from './callers.ts';
import { entryOf } from './doors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    scope?: Scope;
    /** What only a person may do, so that no agent does it by the private socket. */
    isForPerson?: boolean;
    /** What decides nothing, and is in the audit only when it was refused. */
    isRoutine?: boolean;
    /** What the panel of a browser may do that the person has not let in. */
    isForNewcomer?: boolean;
  }
}

/** A route without a scope keeps the server from starting; a caller outside the scope does not reach the handler. */
export const addScopes = (app: FastifyInstance, { admissions }: Pick<ServerDeps, 'admissions'>): void => {
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.scope === undefined) throw new Error(`the route ${String(method)} ${url} has no scope`);
  });
  app.addHook('onRequest', async (request) => {
    const { config } = request.routeOptions;
    if (request.is404) return;
    const { principal } = entryOf(request.raw);
    if (config.scope === undefined || !isIn(config.scope, principal)) throw new CompanionError('FORBIDDEN');
    if (isNewcomer(principal, admissions) && config.isForNewcomer !== true) throw new CompanionError('BROWSER_NOT_ALLOWED');
    if (isAgent(principal) && config.isForPerson !== false) throw new CompanionError('PERSON_ONLY');
  });
};

const isIn = (scope: Scope, { type }: Principal): boolean => {
  switch (scope) {
    case 'api':
      return type === 'panel' || type === 'local';
    case 'private':
      return type === 'local';
    case 'mcp':
      return type === 'session';
    case 'open':
      return true;
  }
};
