/** What the audit says: who it was, what it was about, by which rule it was decided and how it came out; in English, by their codes. */
import type { ErrorBody } from './errors.ts';
import { type Said, sayingOf } from './said.ts';

export const AUDIT_LINES = {
  // Who it was.
  who_person: 'the person',
  who_pilotfish: 'Pilotfish',
  who_panel: 'the panel of {browser}',
  who_page: 'a page of {browser}',
  who_agent: 'the agent {name}',
  who_program: 'the program from outside "{name}", {id}',
  who_session_agent: 'the agent of the session',
  who_session_client: 'the client of the session',
  who_mcp_client: 'the MCP client of {session}',
  who_nobody: 'somebody without a token',
  who_socket: 'the private socket',
  who_terminal: 'a terminal, process {pid} ({program})',
  who_agent_process: 'a program of an agent, process {pid} ({program})',
  who_ended_process: 'a program that had ended, process {pid} ({program})',
  unknown_program: 'unknown program',

  // What it was about.
  class_read: 'read',
  class_navigate: 'navigate',
  class_write: 'write',
  class_sensitive: 'sensitive',
  class_download: 'download',
  class_of_tool: '{class} ({tool})',
  about_stop: 'stop',
  about_site: 'rule of a site',
  about_audit: 'audit',
  about_browser: 'browser "{name}", {program}, process {pid}, {origin}',
  about_client: 'client "{name}", {program}, process {pid}, {origin}',
  program_not_known: 'program not known',
  pid_not_known: 'not known',
  came_by_browser: 'browser',
  came_by_program: 'program',
  came_by_agent: 'agent',
  came_unknown: 'unknown',
  came_paired: 'paired',

  // How it was decided.
  allowed_by: 'allowed: {rule}',
  denied_by: 'denied: {rule}',
  denied_for: 'denied: {code}: {message}',

  // How it came out.
  came_allowed: 'allowed',
  came_done: 'done',
  came_failed: 'the tool failed',
  came_cut: 'cut off when Pilotfish ended; whether it was done is not known',
  came_fault: '{code}: {message}',
  fault_with: '{what} {detail}',
  came_asked: 'asked',
  came_file: '{bytes} bytes, SHA-256 {sha256}: {path}',
  granted_always: '{id}, for {client}, always',
  granted_session: '{id}, for {client}, in session {session}',
  site_read_only: '{site}: read_only',
  site_never: '{site}: never',
  site_ask: '{site}: ask',
  site_no_rule: '{site}: no rule any more',
  admission_let_in: '{id} let in',
  admission_turned_away: '{id} turned away',
  admission_forgotten: '{id} forgotten',
  admission_unused: '{id} not used for 90 days, and forgotten',
  admission_paired: '{id} paired, for {host}',

  // What is wrong with the audit itself.
  head_gone: 'The file that knows where the audit ends was gone.',
  no_entry: 'After entry {seq} stands a line that is none.',
  entries_out_of_order: 'After entry {seq} comes entry {next}: entries are missing, doubled or out of order.',
  entry_changed: 'Entry {seq} was changed, or the one before it.',
  entry_of_damage: 'Entry {seq} tells of damage that was found.',
  ends_elsewhere: 'The audit ends with entry {seq}, and ended with {last}.',
} as const;

/** By which rule a call was decided; where it was refused, the agent and the person are told. */
export const RULE_LINES = {
  rule_user_allowed: 'the user allowed it',
  rule_user_denied: 'the user did not allow it',
  rule_yes_once: 'the user allowed it (once)',
  rule_yes_session: 'the user allowed it (session)',
  rule_yes_always: 'the user allowed it (always)',
  rule_parts: 'each of its calls is decided by itself',
  rule_reading: 'reading is allowed',
  rule_opening: 'opening http and https addresses is allowed',
  rule_only_web: 'only whole http and https addresses are opened',
  rule_no_site: 'nothing is changed on a page without a site (an empty one is so), which is no web page',
  rule_no_web_page: 'nothing is changed on {origin}, which is no web page',
  rule_granted_always: '{class} on {origin} was allowed to {client} always',
  rule_granted_session: '{class} on {origin} was allowed to {client} for this session',
  rule_known: '{origin} is known to this session',
  rule_nothing_read: 'no page has been read yet',
  rule_closed: '{origin} is closed to agents',
  rule_read_only: '{origin} is only to be read',
  rule_alone: '{rule}.',
  rule_for_tool: '{tool}: {rule}.',
  rule_sent_on: '{rule}, where {origin} sent the browser on to.',
} as const;

/** Says one of the sentences of the audit. */
export const inAudit = /* @__PURE__ */ sayingOf({ ...AUDIT_LINES, ...RULE_LINES });

/** A class of tools, and which of them where it is about one only. A front end knows what the class is called. */
export const classInAudit = (toolClass: keyof typeof CLASS_CODES, tool: string | null = null): Said =>
  tool === null ? inAudit(CLASS_CODES[toolClass]) : inAudit('class_of_tool', { class: inAudit(CLASS_CODES[toolClass]), tool });

const CLASS_CODES = {
  read: 'class_read',
  navigate: 'class_navigate',
  write: 'class_write',
  sensitive: 'class_sensitive',
  download: 'class_download',
} as const;

type Fault = Pick<ErrorBody, 'code' | 'message'> & Partial<Pick<ErrorBody, 'says'>>;

/** A call that was refused or has failed; what is said of it in another language is what its code says, with what Pilotfish tells beside it. */
export const faultInAudit = (code: 'denied_for' | 'came_fault', { code: error, message, says }: Fault): Said => {
  const ofCode = (text: string): Said => ({ code: error, values: {}, text });
  const { message: what, detail } = says ?? {};
  if (what !== undefined) return inAudit(code, { code: error, message: what });
  if (detail === undefined || !message.endsWith(` ${detail.text}`)) return inAudit(code, { code: error, message: ofCode(message) });
  const usual = ofCode(message.slice(0, -detail.text.length - 1));
  return inAudit(code, { code: error, message: inAudit('fault_with', { what: usual, detail }) });
};
