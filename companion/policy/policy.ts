/** Consent for browser tools: whether a call may run. It is decided in one place, always in the same way, and never by a model. */
import type { Grant, ToolClass } from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';

/** What the person is asked for. */
export type Need =
  /** `origin`: to do something on this origin. */
  | 'origin'
  /** `tab`: to do something in a tab of the person. */
  | 'tab'
  /** `files`: to hand over files that may hold keys. */
  | 'files';

export interface Decision {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** The name of the rule, for the text of a denial and the audit. */
  readonly rule: string;
  /** What the person must be asked for; empty unless the decision is to ask. */
  readonly needs: readonly Need[];
  /** The permission by which it is allowed, where it takes one. */
  readonly grant: Grant | null;
}

/** What of a call matters for consent. */
export interface CallFacts {
  readonly toolClass: ToolClass;
  /** The tool's name, or null when this build does not know it; a sensitive call of such a tool always asks. */
  readonly tool: string | null;
  /** The origin where it would act: of the document, or of the address of a navigation; null when there is none. */
  readonly origin: string | null;
  readonly sessionId: SessionId;
  /** The id of the client that makes it. */
  readonly clientId: string;
  /** Whether it would act in a tab that the session neither opened nor was given. */
  readonly isPersonsTab: boolean;
  /** Whether it hands files to the page that may hold keys. */
  readonly mayHandKeys: boolean;
  readonly grants: readonly Grant[];
  readonly now: number;
}

/** Whether a call may run. */
export const decideCall = (call: CallFacts): Decision => {
  const { decision, rule, grant = null } = decideOrigin(call);
  if (decision === 'deny') return { decision, rule, needs: [], grant };
  const asked: { need: Need; rule: string }[] = [];
  if (decision === 'ask') asked.push({ need: 'origin', rule });
  if (call.toolClass !== 'read' && call.isPersonsTab) asked.push({ need: 'tab', rule: "a tab of the person's own is asked for" });
  if (call.mayHandKeys) asked.push({ need: 'files', rule: 'a file that may hold keys is asked for each time' });
  return asked.length === 0
    ? { decision, rule, needs: [], grant }
    : { decision: 'ask', rule: asked.map((one) => one.rule).join(', '), needs: asked.map(({ need }) => need), grant: null };
};

interface OnOrigin {
  readonly decision: Decision['decision'];
  readonly rule: string;
  readonly grant?: Grant;
}

const decideOrigin = (call: CallFacts): OnOrigin => {
  switch (call.toolClass) {
    case 'read':
      return { decision: 'allow', rule: 'reading is allowed' };
    case 'navigate':
      return call.origin === null || isWebOrigin(call.origin)
        ? { decision: 'allow', rule: 'opening http and https addresses is allowed' }
        : { decision: 'deny', rule: 'only http and https addresses are opened' };
    case 'write':
    case 'sensitive': {
      if (call.origin === null) return { decision: 'ask', rule: `${call.toolClass} without a page asks each time` };
      if (!isWebOrigin(call.origin)) return { decision: 'deny', rule: `nothing is changed on ${call.origin}, which is no web page` };
      const grant = call.grants.find((candidate) => covers(candidate, call));
      return grant === undefined
        ? { decision: 'ask', rule: `${call.toolClass} on ${call.origin} was not allowed yet` }
        : {
            decision: 'allow',
            grant,
            rule: `${call.toolClass} on ${call.origin} was allowed to ${grant.client.name} ${grant.sessionId === null ? 'always' : 'for this session'}`,
          };
    }
  }
};

const covers = (grant: Grant, call: CallFacts): boolean =>
  grant.origin === call.origin &&
  grant.toolClass === call.toolClass &&
  grant.client.id === call.clientId &&
  (grant.toolClass !== 'sensitive' || (grant.tool !== null && grant.tool === call.tool)) &&
  (grant.sessionId === null || grant.sessionId === call.sessionId) &&
  (grant.expiresAt === null || call.now < grant.expiresAt);

/** Whether a text is exactly an http or https origin: with a path, a user or an unusual spelling it is not. */
/** Whether an origin is one of the web; a page without an address has none. */
export const isWebOrigin = (origin: string): boolean => /^https?:\/\//.test(origin) && URL.parse(origin)?.origin === origin;
