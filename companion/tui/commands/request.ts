/** Answering what the agent waits for. */
import { optionOfKey } from '#display/request-options.ts';
import type { Question, RequestAnswer, RequestOption } from '#protocol/requests.ts';
import type { ViewRequest } from '#protocol/view.ts';
import { draftOf, emptyDraft } from '../editing.ts';
import { t } from '../say.ts';
import { outcome, type Outcome, type QuestionForm, type TuiState } from '../state.ts';
import { currentRequest } from '#companion/tui/views/request.ts';

/** Answers with the option that has this key on the card. */
export const answerWithKey = (state: TuiState, key: string): Outcome => {
  const option = optionFor(state, key);
  return option === null ? outcome(state) : answer(state, { optionId: option.optionId });
};

/** Does it once a person could see the card: a key that is pressed before was meant for something else, and does nothing. */
export const onceSeen =
  (run: (state: TuiState) => Outcome) =>
  (state: TuiState): Outcome => {
    if (state.card === null || state.card.isArmed) return run(state);
    const text = t('The request has only just come. Read it, then press the key again.');
    return outcome({ ...state, notice: { level: 'info', text, remedy: null, isOf: 'request' } });
  };

/** Why this key is no answer now. */
export const keyDisabled = (state: TuiState, key: string): string | null =>
  optionFor(state, key) === null ? t('The request has no such answer.') : null;

/** Asks for a reason, which the agent gets with the refusal. */
export const denyWithReason = (state: TuiState): Outcome =>
  outcome({ ...state, overlay: { type: 'input', purpose: 'denial', title: t('Why not (the agent reads it)'), draft: draftOf('') } });

/** Refuses with the reason given. */
export const deny = (state: TuiState, reason: string): Outcome => {
  const option = currentRequest(state)?.request.options.find(({ kind }) => kind === 'reject');
  if (option === undefined) return outcome({ ...state, overlay: null });
  return answer({ ...state, overlay: null }, { optionId: option.optionId, ...(reason === '' ? {} : { text: reason }) });
};

/** Opens the form when the agent asked questions. */
export const openQuestions = (state: TuiState): Outcome => {
  const request = currentRequest(state);
  if (request === null) return outcome(state);
  return outcome({ ...state, overlay: { type: 'question', form: emptyForm(request) } });
};

/** Why there is no form to open. */
export const questionsDisabled = (state: TuiState): string | null =>
  (currentRequest(state)?.request.questions?.length ?? 0) > 0 ? null : t('The request asks nothing in words; choose one of its keys.');

/** The current question of the form, and how many there are. */
export const questionOf = (state: TuiState, form: QuestionForm): { question: Question; count: number } | null => {
  const request = state.session?.requests.find(({ requestId }) => requestId === form.requestId);
  const question = request?.request.questions?.[form.index];
  return question === undefined ? null : { question, count: request?.request.questions?.length ?? 0 };
};

/** Moves in the form; the row after the last option is for the user's own words. */
export const moveInForm = (state: TuiState, form: QuestionForm, step: number): Outcome => {
  const question = questionOf(state, form)?.question;
  if (question === undefined) return outcome({ ...state, overlay: null });
  const last = question.options.length - (question.isOpen ? 0 : 1);
  return withForm(state, { ...form, row: Math.min(Math.max(0, form.row + step), last) });
};

/** Whether typed keys go into the form. */
export const isOwnRow = (state: TuiState, form: QuestionForm): boolean => {
  const question = questionOf(state, form)?.question;
  return question !== undefined && question.isOpen && form.row === question.options.length;
};

/** Ticks or unticks a row where several answers are possible. */
export const toggleInForm = (state: TuiState, form: QuestionForm): Outcome => {
  const found = questionOf(state, form);
  const label = found?.question.options[form.row]?.label;
  if (found === null || label === undefined || !found.question.isMultiple) return outcome(state);
  const chosen = form.chosen.includes(label) ? form.chosen.filter((other) => other !== label) : [...form.chosen, label];
  return withForm(state, { ...form, chosen });
};

/** Takes the answer to this question; after the last question all answers are sent. */
export const submitForm = (state: TuiState, form: QuestionForm): Outcome => {
  const found = questionOf(state, form);
  const request = state.session?.requests.find(({ requestId }) => requestId === form.requestId);
  if (found === null || request === undefined) return outcome({ ...state, overlay: null });
  const label = found.question.options[form.row]?.label;
  const chosen = isOwnRow(state, form)
    ? [...form.chosen, form.draft.text.trim()].filter((text) => text !== '')
    : form.chosen.length === 0 && label !== undefined
      ? [label]
      : [...form.chosen];
  if (chosen.length === 0)
    return outcome({ ...state, notice: { level: 'warning', text: t('Choose an answer or write one.'), remedy: null } });
  const answers = { ...form.answers, [found.question.question]: chosen };
  if (form.index + 1 < found.count) return withForm(state, { ...emptyForm(request), index: form.index + 1, answers });
  const option = request.request.options.find(({ kind }) => kind !== 'reject');
  return answer({ ...state, overlay: null }, { optionId: option?.optionId ?? 'answer', answers });
};

/** Puts the changed form on the screen. */
export const withForm = (state: TuiState, form: QuestionForm): Outcome => outcome({ ...state, overlay: { type: 'question', form } });

const emptyForm = ({ requestId }: ViewRequest): QuestionForm => ({
  requestId,
  index: 0,
  row: 0,
  chosen: [],
  draft: emptyDraft,
  answers: {},
});

const optionFor = (state: TuiState, key: string): RequestOption | null => {
  const request = currentRequest(state)?.request;
  if (request === undefined) return null;
  const option = optionOfKey(key, request.options) ?? null;
  // A question is answered in its form, never by a key that allows.
  return option !== null && (request.questions?.length ?? 0) > 0 && option.kind !== 'reject' ? null : option;
};

const answer = (state: TuiState, given: RequestAnswer): Outcome => {
  const request = currentRequest(state);
  if (request === null || state.session === null) return outcome(state);
  const { optionId, text, answers } = given;
  return outcome(state, {
    type: 'request.answer',
    sessionId: state.session.sessionId,
    requestId: request.requestId,
    answer: { optionId, ...(text === undefined ? {} : { text }), ...(answers === undefined ? {} : { answers }) },
  });
};
