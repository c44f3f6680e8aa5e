/** Consent for browser tools: may this call run? One place, deterministic, no model in it. */
import type { Grant, ToolClass } from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';

/** What the person is asked for. */
export type Need =
  /** To do something on this origin. */
  | 'origin'
  /** To do something in a tab of the person's own. */
  | 'tab';

export interface Decision {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** Names the rule, for the denial's text and the audit. */
  readonly rule: string;
  /** What has to be asked for; empty unless the decision is to ask. */
  readonly needs: readonly Need[];
}

/** A call as far as consent is concerned. */
export interface CallFacts {
  readonly toolClass: ToolClass;
  /** The tool's name; null when this build does not know it: then a sensitive call always asks. */
  readonly tool: string | null;
  /** Where it would act: of the document, or of the address a navigation goes to; null when there is none. */
  readonly origin: string | null;
  readonly sessionId: SessionId;
  /** It would act in a tab that the session neither opened nor was handed. */
  readonly isPersonsTab: boolean;
  readonly grants: readonly Grant[];
  readonly now: number;
}

/** Whether a call may run. */
export const decideCall = (call: CallFacts): Decision => {
  const onOrigin = decideOrigin(call);
  if (onOrigin.decision === 'deny') return { ...onOrigin, needs: [] };
  const asked: { need: Need; rule: string }[] = [];
  if (onOrigin.decision === 'ask') asked.push({ need: 'origin', rule: onOrigin.rule });
  if (call.toolClass !== 'read' && call.isPersonsTab) asked.push({ need: 'tab', rule: "a tab of the person's own is asked for" });
  return asked.length === 0
    ? { ...onOrigin, needs: [] }
    : { decision: 'ask', rule: asked.map(({ rule }) => rule).join(', '), needs: asked.map(({ need }) => need) };
};

const decideOrigin = (call: CallFacts): Omit<Decision, 'needs'> => {
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
      if (!isWebOrigin(call.origin)) return { decision: 'deny', rule: `nothing is changed on ${call.origin}` };
      const grant = call.grants.find((candidate) => covers(candidate, call));
      return grant === undefined
        ? { decision: 'ask', rule: `${call.toolClass} on ${call.origin} was not allowed yet` }
        : {
            decision: 'allow',
            rule: `${call.toolClass} on ${call.origin} was allowed ${grant.sessionId === null ? 'always' : 'for this session'}`,
          };
    }
  }
};

const covers = (grant: Grant, call: CallFacts): boolean =>
  grant.origin === call.origin &&
  grant.toolClass === call.toolClass &&
  (grant.toolClass !== 'sensitive' || (grant.tool !== null && grant.tool === call.tool)) &&
  (grant.sessionId === null || grant.sessionId === call.sessionId) &&
  (grant.expiresAt === null || call.now < grant.expiresAt);

/** Exactly an http or https origin: what has a path, a user or an odd spelling is none. */
const isWebOrigin = (origin: string): boolean => /^https?:\/\//.test(origin) && URL.parse(origin)?.origin === origin;
