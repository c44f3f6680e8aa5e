/** A session's worktree: how it is ended, and what is done with a prompt when another agent works in the folder. */
import type { SessionId } from '#protocol/ids.ts';
import type { FinishAction } from '#protocol/work.ts';
import { emptyDraft } from '../editing.ts';
import { say, t } from '../say.ts';
import { attachedTo, outcome, type Choice, type Outcome, type TuiState } from '../state.ts';

/** Why there is no worktree to end. */
export const worktreeDisabled = ({ session }: TuiState): string | null =>
  session === null ? t('No session is open.') : session.worktree?.state === 'open' ? null : t('This session has no worktree.');

/** Chooses what becomes of the session's worktree. */
export const pickWorktreeEnd = (state: TuiState): Outcome => {
  const branch = state.session?.worktree?.branch ?? '';
  const choices: Choice[] = [
    {
      value: 'merge',
      label: say('worktree_merge', { branch: state.session?.worktree?.baseBranch ?? '' }),
      detail: say('worktree_merge_hint'),
    },
    { value: 'keep', label: say('worktree_keep'), detail: branch },
    { value: 'discard', label: say('worktree_discard'), detail: say('worktree_discard_hint') },
    { value: 'restore', label: say('worktree_restore'), detail: say('worktree_restore_hint') },
  ];
  const title = `${say('worktree')} ${branch}`;
  return outcome({ ...state, overlay: { type: 'picker', purpose: 'worktree', title, choices, index: 0, filter: '', engine: null } });
};

/** What is discarded is asked for twice, although it could be brought back. */
export const endWorktree = (state: TuiState, action: FinishAction): Outcome => {
  const { session } = state;
  if (session === null) return outcome(state);
  const effect = { type: 'worktree.finish', sessionId: session.sessionId, action } as const;
  if (action !== 'discard') return outcome(state, effect);
  return outcome({
    ...state,
    overlay: {
      type: 'confirm',
      text: `${say('aside', { text: say('worktree_discard'), aside: session.worktree?.branch ?? '' })}?`,
      effect,
    },
  });
};

/** Another agent works in the folder: the person chooses. The prompt is in the composer again. */
export const offerChoices = (state: TuiState, sessionId: SessionId, title: string): Outcome => {
  if (state.session?.sessionId !== sessionId || state.overlay !== null) return outcome(state);
  const choices: Choice[] = [
    { value: 'queue', label: say('taken_queue'), detail: '' },
    { value: 'worktree', label: say('taken_worktree'), detail: '' },
    { value: 'anyway', label: say('taken_anyway'), detail: '' },
  ];
  return outcome({ ...state, overlay: { type: 'picker', purpose: 'taken', title, choices, index: 0, filter: '', engine: null } });
};

/** Sends the prompt in the way that was chosen. */
export const sendTaken = (state: TuiState, choice: string): Outcome => {
  const { session } = state;
  const text = session === null ? '' : (state.drafts[session.sessionId]?.text.trim() ?? '');
  if (session === null || text === '') return outcome(state);
  const { sessionId } = session;
  const files = attachedTo(state, sessionId);
  const along = files.length === 0 ? {} : { attached: files };
  const next = { ...state, drafts: { ...state.drafts, [sessionId]: emptyDraft }, attached: { ...state.attached, [sessionId]: [] } };
  if (choice === 'worktree') return outcome(next, { type: 'session.apart', sessionId, text, ...along });
  return outcome(next, {
    type: 'turn.start',
    sessionId,
    text,
    delivery: 'queue',
    ifTaken: choice === 'queue' ? 'queue' : 'anyway',
    ...along,
  });
};
