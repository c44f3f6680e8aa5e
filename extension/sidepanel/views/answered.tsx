/** What became of a request. */
import type { JSX } from 'preact';
import { toVisible } from '#protocol/foreign-name.ts';
import type { AnsweredRequest } from '#protocol/view.ts';
import { answeredBy, optionLabel, requestTitle } from '#display/request-text.ts';
import { Icon } from './icons.tsx';
import { Quoting } from './parts.tsx';
import { useScene } from './scene.ts';

export const AnsweredLine = ({ answered, hasTitle = false }: { answered: AnsweredRequest; hasTitle?: boolean }): JSX.Element => {
  const { t } = useScene();
  const { request, outcome, optionId, text, answers, by } = answered;
  const option = request.options.find((candidate) => candidate.optionId === optionId);
  const words = Object.values(answers ?? {}).flat();
  return (
    <p class={`answered ${outcome}`}>
      <Icon name={outcome === 'allowed' || outcome === 'answered' ? 'check' : 'close'} />
      <span>
        {hasTitle ? (
          <span class="answered-title">
            <Quoting text={toVisible(requestTitle(request, t))} /> ·{' '}
          </span>
        ) : null}
        {outcome === 'withdrawn' ? (
          t('labelled', { label: t('answered_withdrawn'), text: answeredBy(by, t) })
        ) : (
          <>
            {words.length > 0 ? words.join(', ') : option === undefined ? t(`answered_${outcome}`) : toVisible(optionLabel(option, t))}
            {text === null || text === '' ? null : ` – ${text}`} <span class="muted">{answeredBy(by, t)}</span>
          </>
        )}
      </span>
    </p>
  );
};
