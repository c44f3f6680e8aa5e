/** Requests that are blocked, answered in place of their server or sent with other headers, by the debugger. https://chromedevtools.github.io/devtools-protocol/tot/Fetch/ */
import * as z from 'zod';
import { textToBase64 } from '#extension/shared/base64.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { choicesOf, fitsPattern } from '#extension/toolkit/address-pattern.ts';
import type { Route } from '#extension/toolkit/page.ts';

const Routes = z.object({
  routes: z.array(
    z.object({
      pattern: z.string(),
      origin: z.string(),
      way: z.discriminatedUnion('type', [
        z.object({ type: z.literal('block') }),
        z.object({ type: z.literal('answer'), status: z.number(), body: z.string(), headers: z.record(z.string(), z.string()) }),
        z.object({ type: z.literal('continue'), set: z.record(z.string(), z.string()), remove: z.array(z.string()) }),
      ]),
    }),
  ),
});

const Paused = z.object({
  requestId: z.string(),
  resourceType: z.string().optional(),
  request: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }),
});
type Paused = z.infer<typeof Paused>;

/** How the debugger is told which requests wait. */
export const toPatterns = (routes: readonly Route[]): { urlPattern: string }[] =>
  routes.flatMap(({ pattern }) => choicesOf(pattern).map((urlPattern) => ({ urlPattern })));

/** Those of a tab as they are kept. */
export const routesIn = (kept: unknown): readonly Route[] => Routes.safeParse(kept).data?.routes ?? [];

/** Where requests wait. */
interface Waiting {
  readonly tabId: number;
  readonly send: (method: string, params: Record<string, unknown>) => Promise<unknown>;
}

/** Answers a request that waits; what fits no route goes on. The newest route counts first. */
export const answerRequest = async ({ tabId, send }: Waiting, routes: readonly Route[], params: unknown): Promise<void> => {
  const paused = Paused.safeParse(params).data;
  if (paused === undefined) return;
  const { requestId, request } = paused;
  const asker = await askerOf(tabId, paused);
  const route = routes.findLast(
    ({ pattern, origin }) => origin === asker && choicesOf(pattern).some((choice) => fitsPattern(request.url, choice)),
  );
  // The tab may close meanwhile.
  await send(...toCommand(requestId, request, route)).catch(() => null);
};

/** The origin of the page that makes a request; what is to become a page is asked for by its own. A page names no other origin than its own. */
const askerOf = async (tabId: number, { resourceType, request: { url, headers } }: Paused): Promise<string> => {
  if (resourceType === 'Document') return originOf(url);
  const named = ['origin', 'referer'].map((name) => originOf(headerIn(headers, name) ?? '')).find((origin) => origin !== 'null');
  return named ?? originOf((await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null))?.url ?? '');
};

const headerIn = (headers: Readonly<Record<string, string>>, wanted: string): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];

const toCommand = (
  requestId: string,
  { headers }: { headers: Record<string, string> },
  route: Route | undefined,
): [string, Record<string, unknown>] => {
  const { way } = route ?? {};
  switch (way?.type) {
    case undefined:
      return ['Fetch.continueRequest', { requestId }];
    case 'block':
      return ['Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }];
    case 'continue': {
      const changed = new Set([...Object.keys(way.set), ...way.remove].map((name) => name.toLowerCase()));
      const kept = Object.entries(headers).filter(([name]) => !changed.has(name.toLowerCase()));
      return [
        'Fetch.continueRequest',
        { requestId, headers: [...kept, ...Object.entries(way.set)].map(([name, value]) => ({ name, value })) },
      ];
    }
    case 'answer': {
      // A page may read what another site answers only where that site says so, and it is the agent who answers.
      const origin = headerIn(headers, 'origin');
      const shared = origin === undefined ? {} : { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
      const responseHeaders = Object.entries({ ...shared, ...way.headers }).map(([name, value]) => ({ name, value }));
      return ['Fetch.fulfillRequest', { requestId, responseCode: way.status, responseHeaders, body: textToBase64(way.body) }];
    }
  }
};
