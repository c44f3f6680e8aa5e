/** What the daemon itself says on the card that asks the person, beside what a tool tells of its call. */
import { sayingOf } from './said.ts';

export const CARD_LABELS = {
  line_tab: 'Tab: {text}',
  line_wants: 'The agent wants to: {text}',
  line_page: 'Page: {text}',
  line_address: 'Address: {text}',
  line_site: 'Site: {text}',
  line_why: 'Why you are asked: {text}',
  line_for: 'For: {text}',
  line_lasts: 'How long: {text}',
  line_minutes: 'Minutes: {text}',
  line_not_with: 'Not with it: {text}',
  line_gives: 'Gives away the file: {text}',
  line_file_named: 'File, as the page names it: {text}',
  line_file: 'File: {text}',
  line_size: 'Size: {text}',
  line_kind: 'Kind, as the page says: {text}',
  line_and: 'And: {text}',
  line_browser: 'Browser: {text}',
  line_program: 'Program: {text}',
  line_process: 'Process: {text}',
  line_folder: 'Working folder: {text}',
  line_calls_itself: 'It calls itself: {text}',
  line_yes: 'A yes: {text}',
} as const;

export const CARD_TEXTS = {
  foreign_tool: 'This tool is not part of Pilotfish; the browser that brings it decides what it does.',
  your_own_tab: 'your own; with "in this session" it is handed over',
  how_long: '"in this session" ends after a day, "always" after 90 days',
  asked_as_ever: 'code, files, cookies and tabs of your own are asked for as ever',
  file_of_size: '{path} ({bytes byte|bytes})',
  file_keys: 'by its name this file may hold passwords or keys',
  file_saved: 'this session has saved it in the browser',
  file_saved_from: 'this session has saved it from {origin}',
  file_from: '{name} ({size}) from {url}',
  size: '{bytes byte|bytes}',
  size_unknown: 'not known yet',
  and_more: '{count} more',
  agent_started: 'an agent of Pilotfish has started it',
  not_told: 'this system does not tell',
  own_word: '{name} (its own word, not checked)',
  yes_kept: 'is kept for this program under this name until you take it back: pilotfish clients',
  why_user: 'an address with a name or a password in it is asked for each time',
  why_each_time: 'you want to be asked each time this site is opened',
  why_port: 'another port of this machine than the one of the task is asked for',
  why_page: 'a page has been read, and neither you nor this session named this site before',
  why_sent_on: '{origin} sent the browser on to this site, which neither you nor this session named',
} as const;

/** Says a text of Pilotfish's in a line. */
export const cardText = sayingOf(CARD_TEXTS);
