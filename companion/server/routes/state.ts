/** What the daemon knows beside the sessions. */
import { compatRoutes } from '#companion/compat/routes.ts';
import { routes } from '#protocol/routes.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import { toHealth } from '../health.ts';
import { toOpenApi } from '../open-api.ts';
import type { StateStream } from '../state-stream.ts';

type Names = 'health' | 'openApi' | 'status' | 'watchState' | 'makeTicket';

export const stateHandlers = (
  { status, tokens }: ServerDeps,
  { state, port, notices }: { readonly state: StateStream; readonly port: () => number; readonly notices: readonly string[] },
): Pick<Handlers<typeof routes>, Names> => ({
  health: () => toHealth(true, port()),
  openApi: () => toOpenApi({ ...routes, ...compatRoutes }),
  status: () => {
    const now = status();
    return { ...now, warnings: [...now.warnings, ...notices] };
  },
  watchState: (_, { hijack }) => state.open(hijack()),
  makeTicket: (_, { principal }) => ({ ticket: tokens.issueTicket(principal) }),
});
