/** Writing and sending. */
import { runningTurn } from '#protocol/view.ts';
import { draftOf, emptyDraft, insert, moveLine, type Draft } from '../editing.ts';
import { currentDraft } from '../layout.ts';
import { t } from '../say.ts';
import { attachedTo, canSteer, outcome, type Outcome, type TuiState } from '../state.ts';

/** How many prompts are remembered for the up key. */
const MAX_SENT = 100;

/** Sends the draft. While a turn runs it waits until the end of the turn, or is added to it with `steer`. */
export const send = (state: TuiState, delivery: 'queue' | 'steer'): Outcome => {
  const { session } = state;
  const text = currentDraft(state)?.text.trim() ?? '';
  if (session === null || text === '') return outcome(state);
  const attached = attachedTo(state, session.sessionId);
  const next = withDraft(
    {
      ...state,
      attached: { ...state.attached, [session.sessionId]: [] },
      sent: [...state.sent, text].slice(-MAX_SENT),
      scroll: { ...state.scroll, conversation: null },
    },
    emptyDraft,
  );
  return outcome(next, {
    type: 'turn.start',
    sessionId: session.sessionId,
    text,
    delivery,
    ...(attached.length === 0 ? {} : { attached }),
  });
};

/** Why a message cannot go into the running turn. */
export const steerDisabled = (state: TuiState): string | null => {
  if (state.session === null || runningTurn(state.session) === undefined) return t('Nothing is running; <composer enter> sends.');
  return canSteer(state) ? null : t('This agent takes no message while it works; <composer enter> queues it.');
};

/** A line break. */
export const newLine = (state: TuiState): Outcome => change(state, (draft) => insert(draft, '\n'));

/** Up and down move in the text, and beyond its ends through the prompts that were sent. */
export const moveUpDown = (state: TuiState, step: -1 | 1): Outcome =>
  change(state, (draft) => moveLine(draft, step) ?? recall(state, draft, step));

/** Applies an edit to the shown session's draft. */
export const change = (state: TuiState, edit: (draft: Draft) => Draft | null): Outcome => {
  const draft = currentDraft(state);
  const next = draft === null ? null : edit(draft);
  return outcome(next === null ? state : withDraft(state, next));
};

const recall = ({ sent }: TuiState, draft: Draft, step: -1 | 1): Draft | null => {
  const index = draft.text === '' ? sent.length : sent.lastIndexOf(draft.text);
  // A draft is never replaced by an old prompt.
  if (index < 0) return null;
  const found = sent[index + step];
  return found === undefined ? (step === 1 ? emptyDraft : null) : draftOf(found);
};

const withDraft = (state: TuiState, draft: Draft): TuiState =>
  state.session === null ? state : { ...state, drafts: { ...state.drafts, [state.session.sessionId]: draft } };
