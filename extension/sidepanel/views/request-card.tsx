/** Asks for what only the user can give: a permission, consent for a page, trust, the approval of a plan. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { toVisible } from '#protocol/foreign-name.ts';
import { toDetailParts } from '#display/detail-parts.ts';
import { answerRow, ARM_MS, DENY_WHY_KEY, formRow, optionOfKey, type KeyedOption } from '#display/request-options.ts';
import { optionLabel, requestDetail, requestSentence, requestTitle, requestWhere } from '#display/request-text.ts';
import type { RequestBody, RequestOption } from '#protocol/requests.ts';
import type { ViewRequest } from '#protocol/view.ts';
import { Diff } from './diff.tsx';
import { Icon } from './icons.tsx';
import { useKept } from './kept.ts';
import { Markdown } from './markdown.tsx';
import { Output } from './output.tsx';
import { Quoting } from './parts.tsx';
import { useScene } from './scene.ts';

/** True once the user has had time to read what is asked. */
export const useArmed = (requestId: string): boolean => {
  const [armed, setArmed] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(requestId), ARM_MS);
    return () => clearTimeout(timer);
  }, [requestId]);
  return armed === requestId;
};

export interface CardProps {
  readonly request: ViewRequest;
  /** What the agent says it is for; empty when it says nothing. */
  readonly purpose: string;
  /** Whether its answer is on its way. */
  readonly isBusy: boolean;
  /** How many requests wait in all. */
  readonly waiting: number;
  /** It was answered here, by this event. */
  readonly onDone: (event: Event) => void;
}

export const RequestCard = ({ request: { requestId, request }, purpose, isBusy, waiting, onDone }: CardProps): JSX.Element => {
  const { t, actions } = useScene();
  const [comment, setComment] = useKept('words', 'comment', '');
  const [isExplaining, setExplaining] = useKept('open', 'comment', false);
  const isReady = useArmed(requestId) && !isBusy;
  const reject = request.options.find((option) => option.kind === 'reject');
  const canExplain = reject !== undefined && hasReason(request.kind);

  // Only a person at this browser may answer: a script's event is not trusted.
  const answer = (event: Event, option: RequestOption | undefined): void => {
    if (!event.isTrusted || !isReady || option === undefined) return;
    event.preventDefault();
    const text = comment.trim();
    void actions.answer(requestId, { optionId: option.optionId, ...(text === '' ? {} : { text }) });
    onDone(event);
  };

  return (
    <section
      class={`request request-${request.kind}`}
      tabIndex={0}
      aria-label={t('labelled', { label: t(`request_${request.kind}`), text: toVisible(requestTitle(request, t)) })}
      aria-keyshortcuts="Escape"
      aria-busy={isBusy}
      onKeyDown={(event) => {
        if (event.target instanceof HTMLInputElement || isShortcut(event)) return;
        if (event.key === DENY_WHY_KEY && canExplain) {
          event.preventDefault();
          setExplaining(true);
        } else answer(event, optionOfKey(event.key, request.options));
      }}
    >
      <RequestHead request={request} waiting={waiting} />
      {purpose === '' ? null : <p class="request-where muted">{t('agent_says', { text: toVisible(purpose) })}</p>}
      <Detail request={request} />
      {isExplaining || request.kind === 'plan' ? (
        <CommentField
          label={t(request.kind === 'plan' ? 'comment' : 'reason')}
          comment={comment}
          isExplaining={isExplaining}
          onComment={setComment}
          onEnter={(event) => answer(event, reject)}
          onLeave={() => setExplaining(false)}
        />
      ) : null}
      <Answers
        request={request}
        isReady={isReady}
        isExplaining={isExplaining}
        onAnswer={answer}
        onExplain={canExplain ? setExplaining : null}
      />
    </section>
  );
};

interface CommentProps {
  readonly label: string;
  readonly comment: string;
  /** Whether it is the reason for a refusal, which Enter sends, and not a comment to any answer. */
  readonly isExplaining: boolean;
  readonly onComment: (comment: string) => void;
  readonly onEnter: (event: Event) => void;
  readonly onLeave: () => void;
}

/** A line for the agent that goes with the answer. */
export const CommentField = ({ label, comment, isExplaining, onComment, onEnter, onLeave }: CommentProps): JSX.Element => {
  const field = useRef<HTMLInputElement>(null);
  // Once: whatever else is drawn then, a person who has gone on to the composer writes there.
  useLayoutEffect(() => {
    if (isExplaining) field.current?.focus();
  }, [isExplaining]);
  return (
    <input
      ref={field}
      class="field"
      dir="auto"
      value={comment}
      placeholder={label}
      aria-label={label}
      onInput={(event) => onComment(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.isComposing) return;
        if (event.key === 'Escape') onLeave();
        if (event.key === 'Enter' && isExplaining) onEnter(event);
      }}
    />
  );
};

interface AnswersProps {
  readonly request: RequestBody;
  /** For a card with questions, which are answered together; null for any other. */
  readonly form?: { readonly isComplete: boolean } | null;
  readonly isReady: boolean;
  /** Whether the reason for a refusal is being written: then one can only refuse. */
  readonly isExplaining: boolean;
  readonly onAnswer: (event: Event, option: RequestOption) => void;
  /** Null where nobody would hear the reason. */
  readonly onExplain: ((isExplaining: boolean) => void) | null;
}

/** One row: yes once, what allows for longer behind a caret, no. */
export const Answers = ({ request, form = null, isReady, isExplaining, onAnswer, onExplain }: AnswersProps): JSX.Element => {
  const { t } = useScene();
  const [isOpen, setOpen] = useState(false);
  const { row, more } = form === null ? answerRow(request) : { row: formRow(request, t('answer_send')), more: [] };
  const toButton = ({ key, option }: KeyedOption): JSX.Element => (
    <button
      key={option.optionId}
      type="button"
      class={`option option-${form !== null && option.kind !== 'reject' ? 'allow_once' : option.kind}`}
      aria-keyshortcuts={key}
      disabled={!isReady || (form?.isComplete === false && option.kind !== 'reject')}
      onClick={(event) => onAnswer(event, option)}
    >
      {toVisible(optionLabel(option, t))}
      <kbd aria-hidden="true">{key === 'Enter' ? '↵' : key}</kbd>
    </button>
  );
  const isNo = ({ option }: KeyedOption): boolean => option.kind === 'reject';
  if (isExplaining) {
    return (
      <div class="answers">
        <div class="buttons">
          {row.filter(isNo).map(toButton)}
          <button type="button" class="link" onClick={() => onExplain?.(false)}>
            {t('cancel')}
          </button>
        </div>
      </div>
    );
  }
  return (
    <div class="answers">
      {isOpen ? (
        <div class="more-answers">
          {more.map(toButton)}
          {onExplain === null ? null : (
            <button type="button" class="option" aria-keyshortcuts={DENY_WHY_KEY} onClick={() => onExplain(true)}>
              {t('deny_why')}
              <kbd aria-hidden="true">{DENY_WHY_KEY}</kbd>
            </button>
          )}
        </div>
      ) : null}
      <div class="buttons">
        {row.filter((keyed) => !isNo(keyed)).map(toButton)}
        {more.length === 0 && onExplain === null ? null : (
          <button
            type="button"
            class="more-answers-button"
            aria-label={t('more_answers')}
            title={t('more_answers')}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="chevron" />
          </button>
        )}
        {row.filter(isNo).map(toButton)}
      </div>
    </div>
  );
};

/** A held key, a key of an input method and any shortcut choose nothing. */
export const isShortcut = (event: KeyboardEvent): boolean =>
  event.isComposing || event.repeat || event.ctrlKey || event.metaKey || event.altKey;

/** Whether somebody hears why it was rejected: a plan has its comment, and before trust there is no agent yet. */
const hasReason = (kind: RequestBody['kind']): boolean => kind !== 'plan' && kind !== 'trust';

const Detail = ({ request }: { request: RequestBody }): JSX.Element => {
  const { t } = useScene();
  const { shown, folded } = useMemo(() => requestDetail(request, t), [request, t]);
  return (
    <>
      {shown.trim() === '' ? null : (
        <div class="request-detail" tabIndex={-1}>
          {request.kind === 'plan' ? <Markdown text={shown} isComplete /> : <Parts text={shown} label={request.title} />}
        </div>
      )}
      {folded.trim() === '' ? null : (
        <details class="request-more">
          <summary>{t('more_about')}</summary>
          <Parts text={folded} label={t('more_about')} />
        </details>
      )}
    </>
  );
};

const Parts = ({ text, label }: { text: string; label: string }): JSX.Element => {
  const parts = useMemo(() => toDetailParts(toVisible(text)), [text]);
  return (
    <>
      {parts.map((part, index) =>
        part.type === 'diff' ? (
          <Diff key={index} change={part.change} isWholePath />
        ) : (
          <Output key={index} text={part.text} label={label} />
        ),
      )}
    </>
  );
};

/** Kind, its place in the queue, what is wanted, and where: the part that tells one request from the next. */
export const RequestHead = ({ request, waiting }: { request: RequestBody; waiting: number }): JSX.Element => {
  const { t } = useScene();
  const where = requestWhere(request);
  return (
    <>
      <p class="request-kind">
        <Icon name={request.kind === 'question' ? 'info' : request.kind === 'plan' ? 'list' : 'shield'} />
        {t(`request_${request.kind}`)}
        {waiting > 1 ? <span class="tag">{t('queue_place', { count: waiting })}</span> : null}
        <span class="spacer" />
        <kbd title={t('reach_request')} aria-hidden="true">
          Esc
        </kbd>
      </p>
      <h3>
        <Quoting text={toVisible(requestSentence(request, t))} />
      </h3>
      {where === undefined ? null : (
        <p class="request-where">
          <span class="muted">{t('where')}</span> <bdi>{toVisible(where)}</bdi>
        </p>
      )}
    </>
  );
};
