/** Requests that are blocked, answered in place of their server or sent with other headers, by the debugger. https://chromedevtools.github.io/devtools-protocol/tot/Fetch/ */
import * as z from 'zod';
import { HeldGrant } from '#protocol/link.ts';
import { textToBase64 } from '#extension/shared/base64.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { choicesOf, fitsPattern } from '#extension/toolkit/address-pattern.ts';
import type { Emulation, Route } from '#extension/toolkit/page.ts';
import { orAborted } from './queue.ts';

const Routes = z.object({
  routes: z.array(
    z.object({
      pattern: z.string(),
      origin: z.string(),
      grant: HeldGrant.nullable().default(null),
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
  frameId: z.string().optional(),
  resourceType: z.string().optional(),
  request: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }),
});
type Paused = z.infer<typeof Paused>;

/** How the debugger is told which requests wait. */
export const toPatterns = (routes: readonly Route[]): { urlPattern: string }[] =>
  routes.flatMap(({ pattern }) => choicesOf(pattern).map((urlPattern) => ({ urlPattern })));

/** As a tab pretends them. */
export const toEmulated = (routes: readonly Route[]): Required<Emulation>['routes'] =>
  routes.length === 0 ? null : { patterns: toPatterns(routes), routes };

/** Those of a tab as they are kept. */
export const routesIn = (kept: unknown): readonly Route[] => Routes.safeParse(kept).data?.routes ?? [];

/** A frame of the page's own process, with those below it. Chrome names no origin for `data:`, and none for `about:srcdoc` either. */
const FrameTree = z.object({
  frame: z.object({ id: z.string(), url: z.string(), securityOrigin: z.string() }),
  get childFrames() {
    return z.array(FrameTree).optional();
  },
});
type FrameTree = z.infer<typeof FrameTree>;
const PageFrames = z.object({ frameTree: FrameTree });

const FRAMES_MS = 1_000;

/** Gives a command to the page whose requests wait. */
type Send = (method: string, params: Record<string, unknown>) => Promise<unknown>;

/** Answers a request that waits; what fits no route goes on. The newest route counts first. */
export const answerRequest = async (send: Send, routes: readonly Route[], params: unknown): Promise<void> => {
  const paused = Paused.safeParse(params).data;
  if (paused === undefined) return;
  const { requestId, request } = paused;
  const fitting = routes.filter(
    ({ pattern, grant }) =>
      Date.now() < (grant?.expiresAt ?? Infinity) && choicesOf(pattern).some((choice) => fitsPattern(request.url, choice)),
  );
  const asker = fitting.length === 0 ? null : await askerOf(send, paused);
  const route = fitting.findLast(({ origin }) => origin === asker);
  // The tab may close meanwhile. What cannot be answered so is not held back, and no server gets what was not meant for it.
  const otherwise = route === undefined || route.way.type === 'continue' ? CONTINUED : BLOCKED;
  await send(...toCommand(requestId, request, route)).catch(() => send(otherwise[0], { requestId, ...otherwise[1] }).catch(() => null));
};

/**
 * The origin of the page that makes a request; what is to become a page is asked for by its own. A page names no other origin than its own.
 * One that names none is known by its frame: an empty one, and one of `blob:` or `srcdoc`, has the origin of the page that made it. One of
 * `data:` and one in a sandbox has none, and where nobody knows the frame the request is nobody's: it goes to its server.
 */
const askerOf = async (send: Send, { resourceType, frameId, request: { url, headers } }: Paused): Promise<string> => {
  if (resourceType === 'Document') return originOf(url);
  const named = headerIn(headers, 'origin') ?? headerIn(headers, 'referer');
  // A sandboxed page calls itself "null", and so does one that tells nobody where it is.
  if (named !== undefined && named !== 'null') return originOf(named);
  // A page that waits for this very request answers nothing.
  const asked = orAborted(send('Page.getFrameTree', {}), AbortSignal.timeout(FRAMES_MS));
  const { frameTree } = PageFrames.safeParse(await asked.catch(() => null)).data ?? {};
  const [frame, ...around] = frameTree === undefined ? [] : findFrame(frameTree, frameId);
  const own = frame?.url === 'about:srcdoc' && named === undefined ? around.find(({ url: shown }) => shown !== frame.url) : frame;
  return originOf(own?.securityOrigin ?? '');
};

/** The frame of this id, and those around it, the nearest first; none where it is not there. */
const findFrame = ({ frame, childFrames = [] }: FrameTree, id: string | undefined): FrameTree['frame'][] => {
  if (frame.id === id) return [frame];
  const found = childFrames.map((child) => findFrame(child, id)).find(({ length }) => length > 0);
  return found === undefined ? [] : [...found, frame];
};

const CONTINUED = ['Fetch.continueRequest', {}] as const;
const BLOCKED = ['Fetch.failRequest', { errorReason: 'BlockedByClient' }] as const;

/** Chrome knows the phrases of some codes only, and takes no other code without one. */
const PHRASE = 'Answered';

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
      return [CONTINUED[0], { requestId }];
    case 'block':
      return [BLOCKED[0], { requestId, ...BLOCKED[1] }];
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
      return [
        'Fetch.fulfillRequest',
        { requestId, responseCode: way.status, responsePhrase: PHRASE, responseHeaders, body: textToBase64(way.body) },
      ];
    }
  }
};
