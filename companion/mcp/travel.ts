/** Where a session goes: which origins it knows, whether it has read a page, and the question to the person before it leaves for another one. */
import type { ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { RequestBody } from '#protocol/requests.ts';
import { MCP_SERVER_NAME } from '#protocol/version.ts';
import { isUnasked, type SessionView } from '#protocol/view.ts';
import type { Progress } from '#companion/browser/routing.ts';
import { decideAddress, type AddressFacts } from '#companion/policy/addresses.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import type { Consent } from './consent.ts';
import { hasPageAttached, namedOrigins } from './named-origins.ts';
import { isLoopback, urlOfAddress } from './own-address.ts';

interface Caller {
  readonly sessionId: SessionId;
  /** The tool. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** A call that may open its address, or that opens none. */
interface Trip {
  /** Why it may; null when nothing had to be decided. */
  readonly rule: string | null;
  /** It was chosen before a page was read: where it arrives is known too, also after a redirect. */
  readonly isFree: boolean;
}

interface Journey {
  readonly known: Set<string>;
  hasPageText: boolean;
  hasLoopback: boolean;
}

/** An origin beyond this number is asked for anew. */
const MAX_KNOWN = 1000;

/** A longer address cannot be shown whole. */
const MAX_ADDRESS_CHARS = 8000;

const ORIGIN_META = 'pilotfish/origin';

export class Travel {
  readonly #sessions: Pick<Sessions, 'view'>;
  readonly #consent: Consent;
  readonly #journeys = new Map<SessionId, Journey>();

  constructor(sessions: Pick<Sessions, 'view'>, consent: Consent) {
    this.#sessions = sessions;
    this.#consent = consent;
  }

  /** Resolves when the session may open the address, asking the person if need be; throws when they decline. */
  async allow(address: string | null, caller: Caller): Promise<Trip> {
    const url = address === null || address.trim() === 'about:blank' ? null : urlOfAddress(address);
    // What is no address of the web is refused by the policy for all sessions.
    if (url === null || !/^https?:$/.test(url.protocol)) return { rule: null, isFree: false };
    const facts = this.#facts(url, caller.sessionId);
    const { decision, rule } = decideAddress(facts);
    if (decision === 'allow') return this.#depart(url, caller.sessionId, { rule, isFree: !facts.hasPageText });
    return this.#ask(url, rule, caller);
  }

  /** Carries a call out. What a browser answers holds what a page says, also as an error. */
  async carry(sessionId: SessionId, { isFree }: Trip, call: () => Promise<ToolResult>): Promise<ToolResult> {
    const journey = this.#journey(sessionId);
    try {
      const result = await call();
      const arrived = result._meta?.[ORIGIN_META];
      if (isFree && typeof arrived === 'string') learn(journey, arrived);
      return result;
    } finally {
      journey.hasPageText = true;
    }
  }

  async #ask(url: URL, rule: string, { sessionId, name, signal, onProgress }: Caller): Promise<Trip> {
    if (url.href.length > MAX_ADDRESS_CHARS) {
      throw new CompanionError('URL_NOT_ALLOWED', `The address has ${url.href.length} characters, too many to show it to the user.`);
    }
    onProgress({ progress: 0, message: 'Waiting for the user to allow this.' });
    const yes = await this.#consent.ask({
      sessionId,
      tool: name,
      kind: 'address',
      request: toCard(name, url, rule),
      isSettled: () => Promise.resolve(decideAddress(this.#facts(url, sessionId)).decision === 'allow'),
      signal,
    });
    return this.#depart(url, sessionId, { rule: `the user allowed it (${yes})`, isFree: false });
  }

  #depart(url: URL, sessionId: SessionId, trip: Trip): Trip {
    const journey = this.#journey(sessionId);
    learn(journey, url.origin);
    journey.hasLoopback ||= isLoopback(url);
    return trip;
  }

  #facts(url: URL, sessionId: SessionId): AddressFacts {
    const { known, hasPageText, hasLoopback } = this.#journey(sessionId);
    const { kind, turns } = this.#sessions.view(sessionId);
    // A client from outside shows no prompts: nothing in its turns is a person's.
    const prompts = kind === 'agent' ? turns.filter((turn) => !isUnasked(turn)).map(({ prompt }) => prompt) : [];
    return {
      origin: url.origin,
      hasUser: url.username !== '' || url.password !== '',
      isLoopback: isLoopback(url),
      isKnown: known.has(url.origin) || prompts.some((prompt) => namedOrigins(prompt).has(url.origin)),
      hasPageText: hasPageText || prompts.some(hasPageAttached),
      hasLoopback,
    };
  }

  #journey(sessionId: SessionId): Journey {
    const found = this.#journeys.get(sessionId);
    if (found !== undefined) return found;
    // A session that is older than this process may have read anything.
    const journey = { known: new Set<string>(), hasPageText: hasUsedBrowser(this.#sessions.view(sessionId)), hasLoopback: false };
    this.#journeys.set(sessionId, journey);
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

/** The card shows the address as the browser reads it, whole: it has no spaces, no line ends and no letters that look like others. */
const toCard = (tool: string, url: URL, rule: string): RequestBody => ({
  kind: 'consent',
  title: `${tool} to ${url.origin}`,
  detail: [`Address: ${url.href}`, `Site: ${url.host}`, `Why you are asked: ${rule}`].join('\n'),
  where: url.origin,
  options: [
    { optionId: 'once', label: 'Open it', kind: 'allow_once' },
    { optionId: 'reject', label: 'Do not open it', kind: 'reject' },
  ],
});
