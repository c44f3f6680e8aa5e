/** What a tool tells of a call for the card that asks the person: the labels of its lines, and the texts below them that are Pilotfish's own. */
import { type Said, sayingOf } from './said.ts';

/** A label ends at the first colon; what follows it may be a page's or an agent's. */
export const TOOL_LABELS = {
  line_careful: 'Careful: {text}',
  line_element: 'Element, as the page names it: {text}',
  line_agent: 'In the words of the agent: {text}',
  line_dropped_on: 'Dropped on: {text}',
  line_dropped: 'Text that is dropped: {text}',
  line_saved: 'Saved among your downloads as: {text}',
  line_made: 'File that the agent has made: {text}',
  line_text: 'Text: {text}',
  line_text_enter: 'Text, then Enter: {text}',
  line_value: 'Value: {text}',
  line_options: 'Options: {text}',
  line_key: 'Key: {text}',
  line_dialog: 'Dialog, as the page words it: {text}',
  line_answer: 'Answer: {text}',
  line_runs: 'Runs with all that you can do and read on this site: {text}',
  line_code: 'Code {number}: {text}',
  line_storage: 'Storage: {text}',
  line_page_tool: 'Tool of the page: {text}',
  line_with: 'With: {text}',
  line_request: 'Request of the page: {text}',
  line_sent: 'Request: {text}',
  line_headers: 'Headers: {text}',
  line_body: 'Body: {text}',
  line_time: 'Time: {text}',
  line_bookmark: 'Bookmark: {text}',
} as const;

export const TOOL_TEXTS = {
  cookies_careful: 'who has these cookies can be you on this site',
  storage_careful: '{store}, which may hold what signs you in',
  code_below: 'the code below, whole',
  no_options: 'none',
  made_file: '{name} ({bytes byte|bytes})',
  bookmark_in: '"{title}" {url} in "{folder}"',
  dialog_ok: 'OK',
  dialog_ok_with: 'OK: {text}',
  dialog_cancel: 'Cancel',
  request_blocked: 'none: it is blocked',
  other_headers: 'that of the server, with other headers: {headers}',
  without_headers: 'that of the server, without the headers {names}',
  other_and_without_headers: 'that of the server, with other headers: {headers}; without {names}',
  last_day: 'from a day ago to now',
  since: 'from {from} to now',
  last_day_until: 'from a day ago to {to}',
  from_until: 'from {from} to {to}',
} as const;

const said = /* @__PURE__ */ sayingOf(TOOL_LABELS);

/** Says a text of Pilotfish's in a line. */
export const toolText = /* @__PURE__ */ sayingOf(TOOL_TEXTS);

/** A line as it travels: label and text in English, and beside them what it says. */
interface ToolLine {
  label: string;
  text: string;
  told: Said;
}

export const toolLine = (code: Exclude<keyof typeof TOOL_LABELS, 'line_code'>, text: string | Said): ToolLine =>
  inParts(said(code, { text }));

/** A line of code, by its number. */
export const codeLine = (number: number, text: string): ToolLine => inParts(said('line_code', { number, text }));

const inParts = (told: Said): ToolLine => {
  const end = told.text.indexOf(': ');
  return { label: told.text.slice(0, end), text: told.text.slice(end + 2), told };
};
