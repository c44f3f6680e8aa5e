/** Consent for browser tools: whether a call may run. It is decided in one place, always in the same way, and never by a model. */
import type { Grant, ToolClass } from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';
import { classInAudit, inAudit } from '#protocol/audit-lines.ts';
import type { Said } from '#protocol/said.ts';

/** What the person is asked for. */
export type Need =
  /** `origin`: to do something on this origin. */
  | 'origin'
  /** `tab`: to do something in a tab of the person. */
  | 'tab'
  /** `files`: to hand over files that may hold keys, or what the session has saved of a site. */
  | 'files';

/** The rule is for the audit, and the text of a denial. */
export type Decision =
  /** `grant` is the permission by which it is allowed, where it takes one. */
  | { readonly decision: 'allow'; readonly rule: Said; readonly grant: Grant | null }
  | { readonly decision: 'deny'; readonly rule: Said }
  /** `needs` is what the person must be asked for, at least one thing. */
  | { readonly decision: 'ask'; readonly needs: readonly Need[] };

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
  /** Whether it hands files to the page that may hold keys, or that the session has saved of a site. */
  readonly mayHandKeys: boolean;
  readonly grants: readonly Grant[];
  readonly now: number;
}

/** Whether a call may run. */
export const decideCall = (call: CallFacts): Decision => {
  const decided = decideOrigin(call);
  if (decided.decision === 'deny') return decided;
  const needs: Need[] = decided.decision === 'ask' ? [...decided.needs] : [];
  if (call.toolClass !== 'read' && call.isPersonsTab) needs.push('tab');
  if (call.mayHandKeys) needs.push('files');
  return needs.length === 0 ? decided : { decision: 'ask', needs };
};

const decideOrigin = (call: CallFacts): Decision => {
  switch (call.toolClass) {
    case 'read':
      return { decision: 'allow', rule: inAudit('rule_reading'), grant: null };
    case 'navigate':
      return call.origin === null || isWebOrigin(call.origin)
        ? { decision: 'allow', rule: inAudit('rule_opening'), grant: null }
        : { decision: 'deny', rule: inAudit('rule_only_web') };
    case 'write':
    case 'sensitive': {
      const { origin, toolClass } = call;
      if (origin === 'null') return { decision: 'deny', rule: inAudit('rule_no_site') };
      if (origin !== null && !isWebOrigin(origin)) return { decision: 'deny', rule: inAudit('rule_no_web_page', { origin }) };
      const grant = origin === null ? undefined : call.grants.find((candidate) => covers(candidate, call));
      return grant === undefined
        ? { decision: 'ask', needs: ['origin'] }
        : { decision: 'allow', grant, rule: ruleOfGrant(grant, toolClass) };
    }
  }
};

const ruleOfGrant = ({ origin, client, sessionId }: Grant, toolClass: ToolClass): Said =>
  inAudit(sessionId === null ? 'rule_granted_always' : 'rule_granted_session', {
    class: classInAudit(toolClass),
    origin,
    client: client.name,
  });

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
