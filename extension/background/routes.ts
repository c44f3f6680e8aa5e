/** Requests that are blocked or answered in place of their server, by the debugger. https://chromedevtools.github.io/devtools-protocol/tot/Fetch/ */
import * as z from 'zod';
import type { Route } from '#extension/toolkit/page.ts';

const Routes = z.object({
  routes: z.array(
    z.object({
      pattern: z.string(),
      answer: z.object({ status: z.number(), body: z.string(), headers: z.record(z.string(), z.string()) }).nullable(),
    }),
  ),
});

const Paused = z.object({ requestId: z.string(), request: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }) });

/** Those of a tab as they are kept. */
export const routesIn = (kept: unknown): readonly Route[] => Routes.safeParse(kept).data?.routes ?? [];

/** Answers a request that waits; what fits no route goes on. The newest route counts first. */
export const answerRequest = async (
  send: (method: string, params: Record<string, unknown>) => Promise<unknown>,
  routes: readonly Route[],
  params: unknown,
): Promise<void> => {
  const paused = Paused.safeParse(params).data;
  if (paused === undefined) return;
  const { requestId, request } = paused;
  const route = routes.findLast(({ pattern }) => toExpression(pattern).test(request.url));
  // The tab may close meanwhile.
  await send(...toCommand(requestId, request, route)).catch(() => null);
};

const toCommand = (
  requestId: string,
  { headers }: { headers: Record<string, string> },
  route: Route | undefined,
): [string, Record<string, unknown>] => {
  if (route === undefined) return ['Fetch.continueRequest', { requestId }];
  if (route.answer === null) return ['Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }];
  const { status, body, headers: given } = route.answer;
  // A page may read what another site answers only where that site says so, and it is the agent who answers.
  const origin = Object.entries(headers).find(([name]) => name.toLowerCase() === 'origin')?.[1];
  const shared = origin === undefined ? {} : { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
  const responseHeaders = Object.entries({ ...shared, ...given }).map(([name, value]) => ({ name, value }));
  return ['Fetch.fulfillRequest', { requestId, responseCode: status, responseHeaders, body: toBase64(body) }];
};

/** As the debugger reads it: `*` stands for anything, `?` for one character. */
const toExpression = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  );

const toBase64 = (text: string): string => btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
