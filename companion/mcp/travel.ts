/** Where a session goes: which origins it knows, whether it has read a page, and the question to the person before it leaves for another one. */
import { toOption } from '#protocol/answers.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { ORIGIN_META, SENT_ON_META, type Grant, type ToolResult } from '#protocol/browser.ts';
import { CompanionError, fromErrorBody } from '#protocol/errors.ts';
import type { LoggedPrompt } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import { isLoopback } from '#protocol/loopback.ts';
import { cardText } from '#protocol/card-lines.ts';
import { asLines, type Said } from '#protocol/said.ts';
import type { RequestBody } from '#protocol/requests.ts';
import { hasBars, isBar, ruleOf, type SiteRules } from '#protocol/sites.ts';
import { MCP_SERVER_NAME } from '#protocol/version.ts';
import { isUnasked, type SessionView } from '#protocol/view.ts';
import type { Progress } from '#companion/browser/routing.ts';
import { decideAddress, siteOf, type AddressFacts } from '#companion/policy/addresses.ts';
import { refuseBySite } from '#companion/policy/sites.ts';
import type { AskingCall } from '#companion/sessions/asking-call.ts';
import type { Elsewhere } from '#companion/sessions/session.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import { urlOfAddress } from './addresses.ts';
import { line } from './card-line.ts';
import { ruleOfYes, type Consent } from './consent.ts';
import { hasPageAttached, namedOrigins } from './named-origins.ts';

interface Caller {
  readonly sessionId: SessionId;
  /** The tool. */
  readonly name: string;
  /** What a question is about. */
  readonly asking: AskingCall;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Where else the person may answer. */
  readonly elsewhere?: Elsewhere | undefined;
}

/** A call that may open its address, or that opens none. */
interface Trip {
  /** Null when it opens none. */
  readonly url: URL | null;
  /** Why it may; null when nothing had to be decided. */
  readonly rule: Said | null;
  /** It was chosen before a page was read: where it arrives is known too, also after a redirect. */
  readonly isFree: boolean;
}

interface Journey {
  readonly known: Set<string>;
  hasPageText: boolean;
  hasLoopback: boolean;
  /** Of the page that it was told of last; null for none, or one without. */
  lastOrigin: string | null;
}

/** An origin beyond this number is asked for anew. */
const MAX_KNOWN = 1000;

/** Sessions beyond this number that were on their way are asked anew, as after a restart. */
const MAX_JOURNEYS = 1000;

/** A browser is told no more. */
const MAX_ARRIVALS = 200;

/** More sites in a row than one sends a browser over. */
const MAX_HOPS = 5;

/** A longer address cannot be shown whole. */
const MAX_ADDRESS_CHARS = 8000;

export class Travel {
  readonly #sessions: Pick<Sessions, 'view'>;
  readonly #consent: Consent;
  readonly #sites: { rules(): SiteRules };
  readonly #grants: { list(): Grant[] };
  readonly #now: () => number;
  readonly #journeys = new Map<SessionId, Journey>();

  constructor(
    { sessions, sites, grants }: { sessions: Pick<Sessions, 'view'>; sites: { rules(): SiteRules }; grants: { list(): Grant[] } },
    consent: Consent,
    now: () => number,
  ) {
    this.#sites = sites;
    this.#sessions = sessions;
    this.#grants = grants;
    this.#consent = consent;
    this.#now = now;
  }

  /** Resolves when the session may open the address, asking the person if need be; throws when they decline. */
  async allow(address: string | null, caller: Caller): Promise<Trip> {
    const url = address === null || address.trim() === 'about:blank' ? null : urlOfAddress(address);
    // What is no address of the web is refused by the policy for all sessions.
    if (url === null || !/^https?:$/.test(url.protocol)) return { url: null, rule: null, isFree: false };
    const facts = this.#facts(url, caller.sessionId);
    const decided = decideAddress(facts);
    if (decided.decision === 'ask') return this.#ask(url, decided.why, caller);
    return this.#depart(url, caller.sessionId, { url, rule: decided.rule, isFree: !facts.hasPageText });
  }

  /**
   * Carries a call out. What a browser answers holds what a page says, also as an error. Where a server sends it on to another site
   * than those the session knows, the browser stops, and the person is asked as for any address. So are they where a page is to be loaded
   * again for whose site they want to be asked each time.
   */
  async carry(caller: Caller, begun: Trip, call: (arrivals: readonly string[] | null) => Promise<ToolResult>): Promise<ToolResult> {
    const journey = this.#journey(caller.sessionId);
    let trip = begun;
    try {
      for (let hop = 0; ; hop += 1) {
        const result = await call(this.#arrivals(trip, caller.sessionId));
        const arrived = result._meta?.[ORIGIN_META];
        if (typeof arrived === 'string') journey.lastOrigin = arrived;
        if (trip.isFree && typeof arrived === 'string') learn(journey, arrived);
        const sentOn = result._meta?.[SENT_ON_META];
        if (typeof sentOn !== 'string' || hop === MAX_HOPS) return result;
        if (trip.url !== null) await this.#allowHop(trip.url, sentOn, caller).catch(tellWhatIsLeft);
        else trip = { ...(await this.allow(sentOn, caller)), isFree: false };
      }
    } finally {
      journey.hasPageText = true;
    }
  }

  /** The site of which the session was told last. */
  lastOrigin(sessionId: SessionId): string | null {
    return this.#journey(sessionId).lastOrigin;
  }

  /** The origins that the session knows; null when it may go anywhere. What the person wants to decide each time is none of them. */
  #arrivals({ url, isFree }: Trip, sessionId: SessionId): readonly string[] | null {
    const rules = this.#sites.rules();
    if (url === null || (isFree && !hasBars(rules))) return null;
    const named = this.#prompts(sessionId).flatMap((prompt) => [...namedOrigins(prompt)]);
    const known = [...this.#journey(sessionId).known, ...named, ...this.#granted(sessionId)].slice(-MAX_ARRIVALS);
    const agreed = siteOf(url.origin);
    return [...new Set([...agreed, ...known.flatMap(siteOf)])].filter((origin) => {
      const rule = ruleOf(rules, URL.parse(origin));
      return !isBar(rule) || (rule === ruleOf(rules, url) && agreed.includes(origin));
    });
  }

  async #allowHop(from: URL, to: string, caller: Caller): Promise<void> {
    const url = urlOfAddress(to);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new CompanionError('URL_NOT_ALLOWED', `${from.origin} sent it on to what is no web page.`);
    const refusal = refuseBySite(this.#sites.rules(), 'navigate', [url.origin]);
    if (refusal !== null) throw new CompanionError('SITE_NOT_ALLOWED', inAudit('rule_sent_on', { rule: refusal, origin: from.origin }));
    if (decideAddress(this.#facts(url, caller.sessionId)).decision === 'allow')
      this.#depart(url, caller.sessionId, { url, rule: null, isFree: false });
    else await this.#ask(url, cardText('why_sent_on', { origin: from.origin }), caller);
  }

  async #ask(url: URL, why: Said, { sessionId, name, asking, signal, onProgress, elsewhere }: Caller): Promise<Trip> {
    if (url.href.length > MAX_ADDRESS_CHARS) {
      throw new CompanionError('URL_NOT_ALLOWED', `The address has ${url.href.length} characters, too many to show it to the user.`);
    }
    onProgress({ progress: 0, message: 'Waiting for the user to allow this.' });
    const yes = await this.#consent.ask({
      sessionId,
      tool: name,
      kind: 'address',
      request: toCard(url, why),
      call: asking,
      elsewhere,
      isSettled: () => Promise.resolve(decideAddress(this.#facts(url, sessionId)).decision === 'allow'),
      signal,
    });
    return this.#depart(url, sessionId, { url, rule: ruleOfYes(yes), isFree: false });
  }

  #depart(url: URL, sessionId: SessionId, trip: Trip): Trip {
    const journey = this.#journey(sessionId);
    learn(journey, url.origin);
    journey.hasLoopback ||= isLoopback(url);
    return trip;
  }

  #facts(url: URL, sessionId: SessionId): AddressFacts {
    const { known, hasPageText, hasLoopback } = this.#journey(sessionId);
    const prompts = this.#prompts(sessionId);
    const hasRead = hasPageText || prompts.some(hasPageAttached);
    return {
      origin: url.origin,
      hasUser: url.username !== '' || url.password !== '',
      isLoopback: isLoopback(url),
      isKnown:
        known.has(url.origin) ||
        prompts.some((prompt) => namedOrigins(prompt).has(url.origin)) ||
        // Before a page was read nearly all is open, and no permission is looked up.
        ((hasRead || (isLoopback(url) && hasLoopback)) && this.#granted(sessionId).includes(url.origin)),
      hasPageText: hasRead,
      hasLoopback,
      isAskedEachTime: ruleOf(this.#sites.rules(), url) === 'ask',
    };
  }

  /** The sites on which the person lets this session act now. */
  #granted(sessionId: SessionId): string[] {
    return this.#grants
      .list()
      .filter((grant) => grant.sessionId === sessionId && (grant.expiresAt === null || this.#now() < grant.expiresAt))
      .map(({ origin }) => origin);
  }

  /** A client from outside shows no prompts: nothing in its turns is a person's. */
  #prompts(sessionId: SessionId): LoggedPrompt[] {
    const { kind, turns } = this.#sessions.view(sessionId);
    return kind === 'agent' ? turns.filter((turn) => !isUnasked(turn)).map(({ prompt }) => prompt) : [];
  }

  #journey(sessionId: SessionId): Journey {
    // What a session has done tells whether it has read a page, where its journey is not kept or older than this process.
    const journey = this.#journeys.get(sessionId) ?? {
      known: new Set<string>(),
      hasPageText: hasUsedBrowser(this.#sessions.view(sessionId)),
      hasLoopback: false,
      lastOrigin: null,
    };
    // The one that was on its way last stands last.
    this.#journeys.delete(sessionId);
    this.#journeys.set(sessionId, journey);
    const [oldest] = this.#journeys.keys();
    if (this.#journeys.size > MAX_JOURNEYS && oldest !== undefined) this.#journeys.delete(oldest);
    return journey;
  }
}

const learn = ({ known }: Journey, origin: string): void => {
  if (known.size < MAX_KNOWN) known.add(origin);
};

const hasUsedBrowser = ({ items }: SessionView): boolean =>
  items.some(
    ({ body, status }) =>
      body.kind === 'tool' && status !== 'running' && (body.server === MCP_SERVER_NAME || body.tool.includes('browser_')),
  );

/** The page before is gone from the tab by then. */
const tellWhatIsLeft = (error: unknown): never => {
  if (!(error instanceof CompanionError)) throw error;
  const left = 'Nothing of that site was loaded, and the tab is left empty or with an error of the browser';
  const way = 'to go on, open another address with browser_navigate, or the page before with browser_navigate_back';
  throw fromErrorBody({ ...error.toBody(), remedy: `${error.remedy} ${left}: ${way}.` });
};

/** The card shows the address as the browser reads it, whole: it has no spaces, no line ends and no letters that look like others. */
const toCard = (url: URL, why: Said): RequestBody => ({
  kind: 'consent',
  title: `Open ${url.origin}`,
  saying: { code: 'address', values: { site: url.origin } },
  ...asLines([line('line_address', url.href, MAX_ADDRESS_CHARS), line('line_site', url.host), line('line_why', why)]),
  where: url.origin,
  options: [toOption('once', 'allow_once', 'answer_open'), toOption('reject', 'reject', 'answer_open_not')],
});
