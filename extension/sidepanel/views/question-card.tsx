/** Questions of the agent, with choices, free text, or both. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toVisible } from '#protocol/foreign-name.ts';
import { optionLabel, requestTitle } from '#display/request-text.ts';
import type { Question, RequestOption } from '#protocol/requests.ts';
import { RequestHead, useArmed, type CardProps } from './request-card.tsx';
import { useScene } from './scene.ts';

interface Reply {
  readonly chosen: readonly string[];
  readonly written: string;
}

const emptyReply: Reply = { chosen: [], written: '' };

export const QuestionCard = ({ request: { requestId, request }, isBusy, waiting, onDone }: CardProps): JSX.Element => {
  const { t, actions } = useScene();
  const [replies, setReplies] = useState<ReadonlyMap<string, Reply>>(new Map());
  const isReady = useArmed(requestId) && !isBusy;
  const questions = request.questions ?? [];
  const answers = Object.fromEntries(questions.map(({ question }) => [question, toAnswer(replies.get(question) ?? emptyReply)]));
  const isComplete = Object.values(answers).every((texts) => texts.length > 0);
  const reject = request.options.find((option) => option.kind === 'reject');
  const accept = request.options.find((option) => option.kind !== 'reject');

  const answer = (event: Event, option: RequestOption | undefined, withAnswers: boolean): void => {
    if (!event.isTrusted || !isReady) return;
    event.preventDefault();
    void actions.answer(requestId, { optionId: option?.optionId ?? 'answer', ...(withAnswers ? { answers } : {}) });
    onDone(event);
  };

  // Not a form: a script's click on its button would submit it with an event that counts as trusted.
  return (
    <section
      class="request request-question"
      tabIndex={0}
      aria-label={t('labelled', { label: t('request_question'), text: toVisible(requestTitle(request, t)) })}
      aria-keyshortcuts="Escape"
      aria-busy={isBusy}
    >
      <RequestHead request={request} waiting={waiting} />
      <div class="request-detail questions">
        {questions.map((question) => (
          <QuestionField
            key={question.question}
            question={question}
            isTitle={questions.length === 1 && question.question === requestTitle(request, t)}
            reply={replies.get(question.question) ?? emptyReply}
            onReply={(reply) => setReplies(new Map([...replies, [question.question, reply]]))}
            onEnter={(event) => {
              if (isComplete) answer(event, accept, true);
            }}
          />
        ))}
      </div>
      <div class="answers">
        <div class="buttons">
          {questions.length > 0 ? (
            <button
              type="button"
              class="option option-allow_once"
              disabled={!isReady || !isComplete}
              onClick={(event) => answer(event, accept, true)}
            >
              {accept === undefined ? t('answer_send') : toVisible(optionLabel(accept, t))}
            </button>
          ) : (
            request.options
              .filter((option) => option.kind !== 'reject')
              .map((option) => (
                <button
                  key={option.optionId}
                  type="button"
                  class="option"
                  disabled={!isReady}
                  onClick={(event) => answer(event, option, false)}
                >
                  {toVisible(optionLabel(option, t))}
                </button>
              ))
          )}
          {reject === undefined ? null : (
            <button type="button" class="option option-reject" disabled={!isReady} onClick={(event) => answer(event, reject, false)}>
              {toVisible(optionLabel(reject, t))}
            </button>
          )}
        </div>
      </div>
    </section>
  );
};

/** The answer to a question: the labels that were chosen, then the user's own words. */
const toAnswer = (reply: Reply): string[] => [...reply.chosen, ...(reply.written.trim() === '' ? [] : [reply.written.trim()])];

const QuestionField = ({
  question,
  isTitle,
  reply,
  onReply,
  onEnter,
}: {
  question: Question;
  /** The title of the card asks it already. */
  isTitle: boolean;
  reply: Reply;
  onReply: (reply: Reply) => void;
  onEnter: (event: KeyboardEvent) => void;
}): JSX.Element => {
  const { t } = useScene();
  const choose = (label: string): void => {
    if (!question.isMultiple) onReply({ chosen: [label], written: '' });
    else if (reply.chosen.includes(label)) onReply({ ...reply, chosen: reply.chosen.filter((other) => other !== label) });
    else onReply({ ...reply, chosen: [...reply.chosen, label] });
  };
  return (
    <fieldset class="question">
      <legend class={isTitle ? 'spoken' : ''}>
        {question.header === undefined ? null : <span class="tag">{question.header}</span>} {question.question}
      </legend>
      {question.options.map((option) => (
        <label key={option.label} class="choice">
          <input
            type={question.isMultiple ? 'checkbox' : 'radio'}
            name={question.question}
            checked={reply.chosen.includes(option.label)}
            onChange={() => choose(option.label)}
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
            onReply(question.isMultiple || written === '' ? { ...reply, written } : { chosen: [], written });
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.isComposing) onEnter(event);
          }}
        />
      ) : null}
    </fieldset>
  );
};
