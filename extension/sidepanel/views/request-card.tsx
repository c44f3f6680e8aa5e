/** Asks for what only the user can give: a permission, consent for a page, trust, the approval of a plan. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { toVisible } from '#display/plain-text.ts';
import { toDetailParts } from '#display/detail-parts.ts';
import { ARM_MS, DENY_WHY_KEY, keyedOptions, optionOfKey } from '#display/request-options.ts';
import { optionLabel, requestDetail, requestTitle, requestWhere } from '#display/request-text.ts';
import type { RequestBody, RequestOption } from '#protocol/requests.ts';
import type { ViewRequest } from '#protocol/view.ts';
import { Diff } from './diff.tsx';
import { Icon } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import { Output } from './output.tsx';
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

export const RequestCard = ({ request: { requestId, request }, isBusy }: { request: ViewRequest; isBusy: boolean }): JSX.Element => {
  const { t, actions, focusComposer } = useScene();
  const [comment, setComment] = useState('');
  const [isExplaining, setExplaining] = useState(false);
  const isReady = useArmed(requestId) && !isBusy;
  const reject = request.options.find((option) => option.kind === 'reject');
  const canExplain = reject !== undefined && hasReason(request.kind);
  const keyed = keyedOptions(request.options).filter(({ option }) => !isExplaining || option.kind === 'reject');

  // Only a person at this browser may answer: a script's event is not trusted.
  const answer = (event: Event, option: RequestOption | undefined): void => {
    if (!event.isTrusted || !isReady || option === undefined) return;
    event.preventDefault();
    const text = comment.trim();
    void actions.answer(requestId, { optionId: option.optionId, ...(text === '' ? {} : { text }) });
    focusComposer();
  };

  return (
    <section
      class={`request request-${request.kind}`}
      tabIndex={0}
      aria-label={`${t(`request_${request.kind}`)}: ${toVisible(requestTitle(request, t))}`}
      aria-busy={isBusy}
      onKeyDown={(event) => {
        if (event.target instanceof HTMLInputElement || isShortcut(event)) return;
        if (event.key === DENY_WHY_KEY && canExplain) {
          event.preventDefault();
          setExplaining(true);
        } else answer(event, optionOfKey(event.key, request.options));
      }}
    >
      <RequestHead request={request} />
      <Detail request={request} />
      {isExplaining || request.kind === 'plan' ? (
        <input
          class="field"
          value={comment}
          placeholder={t(request.kind === 'plan' ? 'comment' : 'reason')}
          aria-label={t(request.kind === 'plan' ? 'comment' : 'reason')}
          onInput={(event) => setComment(event.currentTarget.value)}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.isComposing) return;
            if (event.key === 'Escape') setExplaining(false);
            if (event.key === 'Enter' && isExplaining) answer(event, reject);
          }}
        />
      ) : null}
      <div class="buttons">
        {keyed.map(({ key, option }) => (
          <button
            key={option.optionId}
            type="button"
            class={`option option-${option.kind}`}
            aria-keyshortcuts={key}
            disabled={!isReady}
            onClick={(event) => answer(event, option)}
          >
            {toVisible(optionLabel(option, t))}
            <kbd aria-hidden="true">{key}</kbd>
          </button>
        ))}
        {canExplain ? (
          <button type="button" class="link" aria-keyshortcuts={DENY_WHY_KEY} onClick={() => setExplaining(!isExplaining)}>
            {isExplaining ? t('cancel') : t('deny_why')}
            {isExplaining ? null : <kbd aria-hidden="true">{DENY_WHY_KEY}</kbd>}
          </button>
        ) : null}
      </div>
      <p class="keys-hint">{t('keys_hint')}</p>
    </section>
  );
};

/** A held key, a key of an input method and any shortcut choose nothing. */
const isShortcut = (event: KeyboardEvent): boolean => event.isComposing || event.repeat || event.ctrlKey || event.metaKey || event.altKey;

/** Whether somebody hears why it was rejected: a plan has its comment, and before trust there is no agent yet. */
const hasReason = (kind: RequestBody['kind']): boolean => kind !== 'plan' && kind !== 'trust';

const Detail = ({ request }: { request: RequestBody }): JSX.Element => {
  const { t } = useScene();
  const { shown, folded } = useMemo(() => requestDetail(request, t), [request, t]);
  return (
    <>
      {shown.trim() === '' ? null : (
        <div class="request-detail">
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

/** Kind, what is wanted, and where: the part that tells one request from the next. */
export const RequestHead = ({ request }: { request: RequestBody }): JSX.Element => {
  const { t } = useScene();
  const where = requestWhere(request);
  return (
    <>
      <p class="request-kind">
        <Icon name={request.kind === 'question' ? 'info' : request.kind === 'plan' ? 'list' : 'shield'} />
        {t(`request_${request.kind}`)}
      </p>
      {request.title === request.detail ? null : <h3>{toVisible(requestTitle(request, t))}</h3>}
      {where === undefined ? null : (
        <p class="request-where">
          <span class="muted">{t('where')}</span> <bdi>{toVisible(where)}</bdi>
        </p>
      )}
    </>
  );
};
