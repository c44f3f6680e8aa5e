/** The answers that Pilotfish offers on a card, where an agent names none of its own. */
import type { Given } from './fill.ts';
import type { RequestOption } from './requests.ts';
import { sayingOf } from './said.ts';

export const ANSWERS = {
  answer_once: 'Allow once',
  answer_allow: 'Allow',
  answer_always: 'Always allow',
  answer_always_here: 'Always allow here',
  answer_session: 'Allow for this session',
  answer_in_session: 'Allow in this session',
  answer_here_in_session: 'Allow here in this session',
  answer_edits: 'Allow all edits for this session',
  rules: 'Allow for this session: {rules}',
  folders: 'Allow this folder for this session: {folders}',
  answer_sites: 'Allow these sites',
  answer_program: 'Allow this program',
  answer_deny: 'Deny',
  answer_deny_stop: 'Deny and stop',
  answer_reject: 'Reject',
  answer_open: 'Open it',
  answer_open_not: 'Do not open it',
  answer_trust: 'Trust these files',
  answer_start_not: 'Do not start',
  answer_approve: 'Approve',
  answer_plan_ask: 'Yes, and ask before each change',
  answer_plan_edits: 'Yes, and allow all edits',
  answer_plan_no: 'No, go on planning',
  answer_answer: 'Answer',
  answer_answer_not: 'Do not answer',
  answer_send: 'Send',
  answer_decline: 'Decline',
  answer_skip: 'Skip',
  answer_done: 'Done',
  answer_cannot: 'I cannot',
} as const;

export type AnswerCode = keyof typeof ANSWERS;

const answer = sayingOf(ANSWERS);

/** An answer that can be chosen, with its code beside its English. */
export const toOption = <Code extends AnswerCode>(
  optionId: string,
  kind: RequestOption['kind'],
  code: Code,
  ...given: Given<(typeof ANSWERS)[Code], string>
): RequestOption => {
  const [values = {}] = given;
  return { optionId, label: answer(code, ...given).text, kind, saying: { code, values } };
};
