/** The sites of a task, for which the person is asked all at once: what they allow are permissions with an end. */
import { toOption } from '#protocol/answers.ts';
import type { Grant, GrantClient } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { cardText } from '#protocol/card-lines.ts';
import { asLines } from '#protocol/said.ts';
import type { RequestBody } from '#protocol/requests.ts';
import type { SitesWish } from '#companion/browser/read-call.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { AskingCall } from '#companion/sessions/asking-call.ts';
import type { Consent } from './consent.ts';
import { line } from './card-line.ts';
import { counted } from '#protocol/counted.ts';

interface Asked {
  readonly sessionId: SessionId;
  readonly tool: string;
  readonly wish: SitesWish;
  readonly client: GrantClient;
  readonly call: AskingCall;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

interface Deps {
  readonly consent: Consent;
  readonly grants: { list(): Grant[]; add(grant: Grant): void };
}

/** The origins that are meant; throws for what is none. A host alone is meant encrypted. */
export const wishedOrigins = ({ sites }: SitesWish): string[] => {
  const origins = sites.map((site) => {
    const url = URL.parse(/^[a-z]+:\/\//i.test(site) ? site : `https://${site}`);
    if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url.origin;
    throw new CompanionError('INPUT_INVALID', `"${site.slice(0, 100)}" is no site; write it as https://example.org.`);
  });
  return [...new Set(origins)];
};

/** Resolves with what the agent is told; throws when the person declines. */
export const askForSites = async (
  { consent, grants }: Deps,
  { sessionId, tool, wish, client, call, signal, now }: Asked,
): Promise<string> => {
  const origins = wishedOrigins(wish);
  const missing = (): string[] =>
    origins.filter((origin) => !grants.list().some((grant) => isFor(grant, { origin, sessionId, client, now: now() })));
  const asked = missing();
  if (asked.length === 0) return 'The user has allowed these sites already.';
  const yes = await consent.ask({
    sessionId,
    tool,
    kind: 'sites',
    request: toCard(asked, wish, client),
    call,
    isSettled: () => Promise.resolve(missing().length === 0),
    signal,
  });
  const createdAt = now();
  const expiresAt = createdAt + wish.minutes * 60_000;
  if (yes !== 'settled') {
    for (const origin of asked)
      grants.add({ id: randomId('grant'), origin, toolClass: 'write', tool: null, sessionId, client, createdAt, expiresAt });
  }
  return `The user allowed ${asked.join(', ')} for ${wish.minutes} minutes, until ${new Date(expiresAt).toISOString()}.`;
};

/** Whether it lets this client change pages of the origin now. */
const isFor = (
  grant: Grant,
  { origin, sessionId, client, now }: { origin: string; sessionId: SessionId; client: GrantClient; now: number },
): boolean =>
  grant.origin === origin &&
  grant.toolClass === 'write' &&
  grant.client.id === client.id &&
  (grant.sessionId === null || grant.sessionId === sessionId) &&
  (grant.expiresAt === null || now < grant.expiresAt);

const toCard = (origins: readonly string[], { minutes, reason }: SitesWish, client: GrantClient): RequestBody => {
  const count = String(origins.length);
  const shown = [
    ...origins.map((origin) => line('line_site', origin)),
    line('line_minutes', String(minutes)),
    ...(reason === '' ? [] : [line('line_agent', reason)]),
  ];
  return {
    kind: 'consent',
    title: `Open and change pages of ${counted(origins.length, 'site')} for ${minutes} minutes`,
    saying: { code: 'sites', values: { count, minutes: String(minutes) } },
    ...asLines([...shown, line('line_for', client.name), line('line_not_with', cardText('asked_as_ever'))]),
    shownLines: shown.length,
    options: [toOption('session', 'allow_session', 'answer_sites'), toOption('reject', 'reject', 'answer_deny')],
  };
};
