/** What the daemon knows beside the sessions. */
import { compatRoutes } from '#companion/compat/routes.ts';
import { matchPath, type Route } from '#protocol/contract.ts';
import { CompanionError } from '#protocol/errors.ts';
import { features } from '#protocol/features.ts';
import { routes } from '#protocol/routes.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import { toldAs, type Warning } from '#protocol/warnings.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import { toGreeting, toHealth } from '../health.ts';
import { toOpenApi } from '../open-api.ts';
import type { StateStream } from '../state-stream.ts';

type Names = 'health' | 'capabilities' | 'openApi' | 'status' | 'watchState' | 'makeTicket';

export const stateHandlers = (
  { status, tokens }: ServerDeps,
  { state, port, warnings }: { readonly state: StateStream; readonly port: () => number; readonly warnings: () => readonly Warning[] },
): Pick<Handlers<typeof routes>, Names> => ({
  health: (_, { principal }) => (principal.type === 'local' || principal.type === 'panel' ? toHealth(true, port()) : toGreeting()),
  capabilities: () => ({ name: 'pilotfish', version: VERSION, protocol: PROTOCOL, features: [...features] }),
  openApi: () => toOpenApi({ ...routes, ...compatRoutes }),
  status: () => ({ ...status(), ...toldAs(warnings()) }),
  watchState: (_, { hijack }) => state.open(hijack()),
  makeTicket: ({ body: { path } }, { principal }) => {
    if (!isStream(path)) throw new CompanionError('INPUT_INVALID', `path: ${JSON.stringify(path)} is no stream.`);
    return { ticket: tokens.issueTicket(principal, path) };
  },
});

const streams = Object.values<Route>({ ...routes, ...compatRoutes }).filter(
  ({ scope, stream }) => scope === 'api' && (stream === 'sse' || stream === 'websocket'),
);

const isStream = (path: string): boolean => streams.some((route) => matchPath(route, path) !== null);
