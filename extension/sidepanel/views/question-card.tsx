/** Questions of the agent, with choices, free text, or both. */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { toVisible } from '#protocol/foreign-name.ts';
import { DENY_WHY_KEY, formRow, optionOfKey } from '#display/request-options.ts';
import { requestTitle } from '#display/request-text.ts';
import type { Question, RequestOption } from '#protocol/requests.ts';
import { useKept, type Reply } from './kept.ts';
import { Answers, CommentField, isShortcut, RequestHead, useArmed, type CardProps } from './request-card.tsx';
import { useScene } from './scene.ts';

const emptyReply: Reply = { chosen: [], written: '' };

type Replies = ReadonlyMap<string, Reply>;

const noReplies: Replies = new Map();

export const QuestionCard = ({ request: { requestId, request }, isBusy, waiting, onDone }: CardProps): JSX.Element => {
  const { t, actions } = useScene();
  const [replies, setReplies] = useKept('replies', 'given', noReplies);
  const [reason, setReason] = useKept('words', 'reason', '');
  const [isExplaining, setExplaining] = useKept('open', 'reason', false);
  const card = useRef<HTMLElement>(null);
  const isReady = useArmed(requestId) && !isBusy;
  const questions = request.questions ?? [];
  const reject = request.options.find((option) => option.kind === 'reject');
  const isForm = questions.length > 0;

  // Only a person at this browser may answer: a script's event is not trusted.
  const answer = (event: Event, option: RequestOption | undefined, given: Replies = replies): void => {
    if (!event.isTrusted || !isReady || option === undefined) return;
    const isRejected = option.kind === 'reject';
    event.preventDefault();
    const text = reason.trim();
    void actions.answer(requestId, {
      optionId: option.optionId,
      ...(isForm && !isRejected ? { answers: toAnswers(questions, given) } : {}),
      ...(isRejected && text !== '' ? { text } : {}),
    });
    onDone(event);
  };

  const choose = (event: KeyboardEvent): void => {
    if (event.key === DENY_WHY_KEY && reject !== undefined) {
      event.preventDefault();
      setExplaining(true);
      return;
    }
    const option = optionOfKey(event.key, request.options);
    if (!isForm || option?.kind === 'reject') answer(event, option);
  };

  // Not a form: a script's click on its button would submit it with an event that counts as trusted.
  return (
    <section
      ref={card}
      class="request request-question"
      tabIndex={0}
      aria-label={t('labelled', { label: t('request_question'), text: toVisible(requestTitle(request, t)) })}
      aria-keyshortcuts="Escape"
      aria-busy={isBusy}
      onKeyDown={(event) => hear(event, card.current, choose)}
    >
      <RequestHead request={request} waiting={waiting} />
      <Questions
        questions={questions}
        title={requestTitle(request, t)}
        replies={replies}
        onReplies={setReplies}
        onComplete={(event, given) => answer(event, formRow(request, t('answer_send'))[0]?.option, given)}
      />
      {isExplaining ? (
        <CommentField
          label={t('reason')}
          comment={reason}
          isExplaining
          onComment={setReason}
          onEnter={(event) => answer(event, reject)}
          onLeave={() => {
            setExplaining(false);
            card.current?.focus();
          }}
        />
      ) : null}
      <Answers
        request={request}
        form={isForm ? { isComplete: openQuestion(questions, replies) === -1 } : null}
        isReady={isReady}
        isExplaining={isExplaining}
        onAnswer={(event, option) => answer(event, option)}
        onExplain={reject === undefined ? null : setExplaining}
      />
    </section>
  );
};

/** A key on the card: it leads through the rows, or is left for `choose`. */
const hear = (event: KeyboardEvent, card: HTMLElement | null, choose: (event: KeyboardEvent) => void): void => {
  const { key, target } = event;
  if (!event.isTrusted || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  // On the card itself Enter leads into the questions, as the terminal opens its form, and chooses nothing.
  if (key === 'ArrowUp' || key === 'ArrowDown' || (key === 'Enter' && target === card && !event.repeat)) {
    if (moveFocus(card, key === 'ArrowUp' ? -1 : 1)) event.preventDefault();
  } else if (key === 'Escape' && target instanceof HTMLInputElement) card?.focus();
  else if (!isShortcut(event) && !isLine(target)) choose(event);
};

const Questions = ({
  questions,
  title,
  replies,
  onReplies,
  onComplete,
}: {
  questions: readonly Question[];
  /** What the card asks above them. */
  title: string;
  replies: Replies;
  onReplies: (replies: Replies) => void;
  /** Enter was pressed, and each has its answer. */
  onComplete: (event: KeyboardEvent, replies: Replies) => void;
}): JSX.Element => {
  const fields = useRef<HTMLDivElement>(null);
  const reply = (question: Question, given: Reply): Replies => new Map([...replies, [question.question, given]]);
  /** As in the terminal, what is taken leads on to what has no answer yet. */
  const take = (event: KeyboardEvent, given: Replies): void => {
    event.preventDefault();
    onReplies(given);
    const next = openQuestion(questions, given);
    if (next === -1) onComplete(event, given);
    else fields.current?.querySelector<HTMLElement>(`.question:nth-of-type(${next + 1}) input`)?.focus();
  };
  return (
    <div class="request-detail questions" ref={fields}>
      {questions.map((question) => (
        <QuestionField
          key={question.question}
          question={question}
          isTitle={questions.length === 1 && question.question === title}
          reply={replies.get(question.question) ?? emptyReply}
          onReply={(given) => onReplies(reply(question, given))}
          onTake={(event, given) => take(event, reply(question, given))}
        />
      ))}
      {questions.length === 0 ? null : <KeyHint hasTicks={questions.some(({ isMultiple }) => isMultiple)} />}
    </div>
  );
};

/** The keys that stand on no button. A screen reader has its own words for these fields. */
const KeyHint = ({ hasTicks }: { hasTicks: boolean }): JSX.Element => {
  const { t } = useScene();
  return (
    <p class="muted small-text" aria-hidden="true">
      {[t('question_keys'), ...(hasTicks ? [t('question_tick')] : [])].join(' · ')}
    </p>
  );
};

/** The answer to a question: the labels that were chosen, then the user's own words. */
const toAnswer = (reply: Reply): string[] => [...reply.chosen, ...(reply.written.trim() === '' ? [] : [reply.written.trim()])];

const toAnswers = (questions: readonly Question[], replies: Replies): Record<string, string[]> =>
  Object.fromEntries(questions.map(({ question }) => [question, toAnswer(replies.get(question) ?? emptyReply)]));

/** The place of the first question without an answer; -1 when there is none. */
const openQuestion = (questions: readonly Question[], replies: Replies): number =>
  questions.findIndex(({ question }) => toAnswer(replies.get(question) ?? emptyReply).length === 0);

/** Whether keys are letters there. */
const isLine = (target: EventTarget | null): boolean => target instanceof HTMLInputElement && target.type === 'text';

/** To the row after or before this one, from elsewhere to the first; false where there are none. */
const moveFocus = (card: HTMLElement | null, step: 1 | -1): boolean => {
  const rows = [...(card?.querySelectorAll<HTMLInputElement>('.question input') ?? [])];
  const at = rows.findIndex((row) => row === document.activeElement);
  const row = rows[at === -1 ? 0 : Math.min(Math.max(0, at + step), rows.length - 1)];
  row?.focus();
  return row !== undefined;
};

const QuestionField = ({
  question,
  isTitle,
  reply,
  onReply,
  onTake,
}: {
  question: Question;
  /** The title of the card asks it already. */
  isTitle: boolean;
  reply: Reply;
  onReply: (reply: Reply) => void;
  /** Enter was pressed in a row, which makes this the reply. */
  onTake: (event: KeyboardEvent, reply: Reply) => void;
}): JSX.Element => {
  const { t } = useScene();
  const { isMultiple } = question;
  const choose = (label: string): void => {
    if (!isMultiple) onReply({ chosen: [label], written: '' });
    else if (reply.chosen.includes(label)) onReply({ ...reply, chosen: reply.chosen.filter((other) => other !== label) });
    else onReply({ ...reply, chosen: [...reply.chosen, label] });
  };
  /** Of several, what is ticked counts; where nothing is, the row itself. */
  const takeRow = (event: KeyboardEvent, label: string): void => {
    if (event.key !== 'Enter' || isShortcut(event) || !event.isTrusted) return;
    if (!isMultiple) onTake(event, { chosen: [label], written: '' });
    else onTake(event, toAnswer(reply).length === 0 ? { ...reply, chosen: [label] } : reply);
  };
  return (
    <fieldset class="question">
      <legend class={isTitle ? 'spoken' : ''}>
        {question.header === undefined ? null : <span class="tag">{question.header}</span>} {question.question}
      </legend>
      {question.options.map((option) => (
        <label key={option.label} class="choice">
          <input
            type={isMultiple ? 'checkbox' : 'radio'}
            name={question.question}
            checked={reply.chosen.includes(option.label)}
            onChange={() => choose(option.label)}
            onKeyDown={(event) => takeRow(event, option.label)}
          />
          <span>
            {option.label}
            {option.description === undefined ? null : <span class="muted">{option.description}</span>}
          </span>
        </label>
      ))}
      {question.isOpen || question.options.length === 0 ? (
        <input
          class="field"
          value={reply.written}
          placeholder={t('answer_open')}
          aria-label={t('answer_open')}
          onInput={(event) => {
            const written = event.currentTarget.value;
            onReply(isMultiple || written === '' ? { ...reply, written } : { chosen: [], written });
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !isShortcut(event) && event.isTrusted && toAnswer(reply).length > 0) onTake(event, reply);
          }}
        />
      ) : null}
    </fieldset>
  );
};
