/** Consent for browser tools: origin × tool class × session → allow, ask, deny. One place, deterministic, no model in it. */
import type { Grant, ToolClass } from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';

export interface Decision {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** Names the rule, for the denial's text and the audit. */
  readonly rule: string;
}

/** Whether a call may run. `origin` is where it would act: of the tab, or of the address a navigation goes to; null when there is none. */
export const decideCall = (call: {
  readonly toolClass: ToolClass;
  /** The tool's name; without it a sensitive call always asks. */
  readonly tool?: string;
  readonly origin: string | null;
  readonly sessionId: SessionId;
  readonly grants: readonly Grant[];
  readonly now: number;
}): Decision => {
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

const covers = (
  grant: Grant,
  call: { toolClass: ToolClass; tool?: string; origin: string | null; sessionId: SessionId; now: number },
): boolean =>
  grant.origin === call.origin &&
  grant.toolClass === call.toolClass &&
  (grant.toolClass !== 'sensitive' || (grant.tool !== null && grant.tool === call.tool)) &&
  (grant.sessionId === null || grant.sessionId === call.sessionId) &&
  (grant.expiresAt === null || call.now < grant.expiresAt);

/** Exactly an http or https origin: what has a path, a user or an odd spelling is none. */
const isWebOrigin = (origin: string): boolean => /^https?:\/\//.test(origin) && URL.parse(origin)?.origin === origin;
