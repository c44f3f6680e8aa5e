/** What Pilotfish says in a conversation: the sentences by their codes, in English. A front end says them in its own language. */
import type { Given } from './fill.ts';
import type { NoticeSaying } from './items.ts';
import { inSentence, type Said, type SaidValue } from './said.ts';

/** `{name}` is what differs from one time to the next. */
export const NOTICES = {
  shortened: 'The conversation was shortened to fit the context of the model.',
  summarised: 'The earlier conversation was summarised to make room.',
  too_long: 'The conversation was too long for the model: what came first is left out.',
  forgotten: 'The agent no longer has this conversation. It goes on without its memory of it.',
  not_resumed: 'The agent no longer has this conversation and starts without its memory of it ({reason}).',
  rerouted: 'Answered by {to} instead of {from}.',
  not_steered: 'The message did not reach the running turn ({reason}); send it again.',
  cannot_steer:
    'This version of {program} takes no further words into a running turn, so they were not sent. Update it, or send them again.',
  model_not_changed: 'The agent did not change its model to {value}: {reason}',
  mode_not_changed: 'The agent did not change its mode to {value}: {reason}',
  effort_not_changed: 'The agent did not change its effort to {value}: {reason}',
  model_refused: 'The model could not be changed: {reason}',
  mode_refused: 'The mode could not be changed: {reason}',
  effort_refused: 'The effort could not be changed: {reason}',
  outside: 'The agent wanted {place}, which is outside the project: refused.',
  no_answer: 'The agent ended its turn without an answer. Check its model and its login.',
  task_not_stopped: 'The task could not be stopped: {reason}',
  no_browser: 'The agent could not reach the browser tools: {reason}',
  malformed: 'The agent wrote something we cannot read: {reason}',
  fewer_tools: 'The model reads {window} tokens: it gets {some} of the {all} browser tools. Load it with a larger context for all.',
  no_tools: 'This model cannot use tools, so it answers without seeing the browser. Choose a model with tool support for that.',
  no_checkpoint:
    'The state of the folder could not be kept within {seconds} s: there is no way back to before this turn, nor before later ones. `checkpointMs` of settings.json gives it longer.',
  checkpoint_failed: 'The state of the folder could not be kept, so there is no way back to before this turn: {reason}',
  page_reloaded: 'After the changes, {host} was loaded anew.',
  page_updated: 'After the changes, {host} was updated without being loaded anew.',
  page_unchanged: 'After the changes, nothing is different in what was picked on {host}.',
  page_broken: 'After the changes, {host} shows a build error.',
  no_images: 'This model cannot see images: it gets a note in their place. Choose one with vision for that.',
} as const satisfies Readonly<Record<string, string>>;

export type NoticeCode = keyof typeof NOTICES;

/** One of the sentences, as it stands in a log: in English, and in the form that every front end can say. */
export interface Notice {
  readonly text: string;
  readonly saying: NoticeSaying;
}

type Tell = <Code extends NoticeCode>(code: Code, ...given: Given<(typeof NOTICES)[Code], SaidValue>) => Notice;

export const notice: Tell = (code: NoticeCode, values: Said['values'] = {}): Notice => ({
  text: inSentence(code, NOTICES[code], values).text,
  saying: { code, values },
});
