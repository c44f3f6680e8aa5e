/** The live check of the way into a browser: the panel makes the hops before it, and shows them all. */
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { BrowserCheck } from '#protocol/browser.ts';
import { CallId, SessionId } from '#protocol/ids.ts';
import type { routes } from '#protocol/routes.ts';
import { explain } from '#protocol/faults.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';

/** A hop that takes longer counts as broken: somebody looks on. */
const HOP_WITHIN_MS = 15_000;

type Hop = BrowserCheck['hops'][number];

export const checkHandlers = ({ bridge }: Pick<ServerDeps, 'bridge'>): Pick<Handlers<typeof routes>, 'checkBrowser'> => ({
  checkBrowser: async ({ body }, { principal, gone }) => {
    const asked = body.browserId ?? (principal.type === 'panel' ? principal.browserId : undefined);
    const signal = gone();
    const link = await hop('link', signal, async (within) => void (await bridge.reach(asked, within)));
    if (link.error !== null) return { hops: [link] };
    // A session that nobody sees: what is called for it is fixed, and only looks.
    const sessionId = SessionId.parse(randomId('session'));
    const call = { sessionId, callId: CallId.parse(randomId('call')), name: 'browser_tabs', args: { action: 'list' }, browserId: asked };
    try {
      const tool = await hop('tool', signal, async (within) => {
        const { isError } = await bridge.call(call, { signal: within });
        if (isError === true) throw new CompanionError('TOOL_FAILED', 'browser_tabs', { remedy: REMEDY });
      });
      return { hops: [link, tool] };
    } finally {
      bridge.sessionEnded(sessionId);
    }
  },
});

const REMEDY = explain('reload_and_check');

/** Goes one hop and says how long it took. */
const hop = async (name: Hop['hop'], signal: AbortSignal, go: (within: AbortSignal) => Promise<void>): Promise<Hop> => {
  const startedAt = performance.now();
  const within = AbortSignal.any([signal, AbortSignal.timeout(HOP_WITHIN_MS)]);
  const error = await go(within).then(
    () => null,
    (fault: unknown) => {
      signal.throwIfAborted();
      return toErrorBody(within.aborted ? new CompanionError('TOOL_TIMEOUT', '', { remedy: REMEDY }) : fault);
    },
  );
  return { hop: name, ms: Math.round(performance.now() - startedAt), error };
};
