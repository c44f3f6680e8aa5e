/** The sites of a task, for which the person is asked all at once: what they allow are permissions with an end. */
import { toOption } from '#protocol/answers.ts';
import type { Grant, GrantClient } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { isLoopback } from '#protocol/loopback.ts';
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

/** The origins that are meant; throws for what is none. */
export const wishedOrigins = ({ sites }: SitesWish): string[] => [...new Set(sites.map(toOrigin))];

/** A host alone is meant encrypted, on this machine not. */
const toOrigin = (site: string): string => {
  const encrypted = URL.parse(`https://${site}`);
  const scheme = encrypted !== null && isLoopback(encrypted) ? 'http' : 'https';
  const url = URL.parse(/^[a-z]+:\/\//i.test(site) ? site : `${scheme}://${site}`);
  // No origin has a sign that stands for others, so the permission would be for none.
  const isOne = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && !url.host.includes('*');
  if (isOne) return url.origin;
  throw new CompanionError('INPUT_INVALID', `"${site.slice(0, 100)}" is no site; name each one, as https://example.org.`);
};

/** Resolves with what the agent is told; throws when the person declines. */
export const askForSites = async (
  { consent, grants }: Deps,
  { sessionId, tool, wish, client, call, signal, now }: Asked,
): Promise<string> => {
  const origins = wishedOrigins(wish);
  const grantsOf = (origin: string): Grant[] => grants.list().filter((grant) => isFor(grant, { origin, sessionId, client, now: now() }));
  const missing = (): string[] => origins.filter((origin) => grantsOf(origin).length === 0);
  const asked = missing();
  const already = (): string => `The user has allowed these sites already${untilOf(origins.map(grantsOf))}.`;
  if (asked.length === 0) return already();
  const yes = await consent.ask({
    sessionId,
    tool,
    kind: 'sites',
    request: toCard(asked, wish, client),
    call,
    isSettled: () => Promise.resolve(missing().length === 0),
    signal,
  });
  // The answer to another list has decided, with a time of its own.
  if (yes === 'settled') return already();
  const createdAt = now();
  const expiresAt = createdAt + wish.minutes * 60_000;
  for (const origin of asked)
    grants.add({ id: randomId('grant'), origin, toolClass: 'write', tool: null, sessionId, client, createdAt, expiresAt });
  return `The user allowed ${asked.join(', ')} for ${counted(wish.minutes, 'minute')}, until ${new Date(expiresAt).toISOString()}.`;
};

/** Until when all sites are allowed, of each of which these permissions are; nothing where all are for good. */
const untilOf = (ofSites: readonly (readonly Grant[])[]): string => {
  const ends = ofSites.map((held) => Math.max(...held.map(({ expiresAt }) => expiresAt ?? Infinity)));
  const end = Math.min(...ends);
  return end === Infinity ? '' : `, until ${new Date(end).toISOString()}`;
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
  const [first = '', ...others] = origins;
  const values = { minutes: String(minutes), ...(others.length === 0 ? { site: first } : { count: String(origins.length) }) };
  const shown = [
    ...origins.map((origin) => line('line_site', origin)),
    line('line_minutes', String(minutes)),
    ...(reason === '' ? [] : [line('line_agent', reason)]),
  ];
  return {
    kind: 'consent',
    title: `Open and change pages of ${others.length === 0 ? first : `${origins.length} sites`} for ${counted(minutes, 'minute')}`,
    saying: { code: others.length === 0 ? 'one_site' : 'sites', values },
    ...asLines([...shown, line('line_for', client.name), line('line_not_with', cardText('asked_as_ever'))]),
    shownLines: shown.length,
    options: [toOption('session', 'allow_session', 'answer_sites'), toOption('reject', 'reject', 'answer_deny')],
  };
};
