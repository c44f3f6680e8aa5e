/** How a turn ended, said in so many words. */
import type { JSX } from 'preact';
import { turnEndText } from '#display/activity.ts';
import { isUnasked, type ViewTurn } from '#protocol/view.ts';
import { Icon } from './icons.tsx';
import { ErrorText } from './parts.tsx';
import { useScene } from './scene.ts';

/** Errors that a setting of the session mends. */
const limits: ReadonlySet<string> = new Set(['ENGINE_BUDGET_REACHED', 'ENGINE_TURN_TOO_LONG', 'ENGINE_HUNG']);

export const TurnEnd = ({ turn, isLast }: { turn: ViewTurn; isLast: boolean }): JSX.Element | null => {
  const { t, actions, focusComposer } = useScene();
  const text = turnEndText(t, turn);
  const again =
    isLast && !isUnasked(turn) ? (
      <button type="button" class="link" onClick={() => void actions.editAgain(turn.prompt).then(focusComposer)}>
        {t('edit_again')}
      </button>
    ) : null;
  switch (turn.status) {
    case 'completed':
      return (
        <p class="turn-end">
          <Icon name="check" /> {text}
        </p>
      );
    case 'cancelled':
      return (
        <p class="turn-end">
          <Icon name="stop" /> {text} {again}
        </p>
      );
    case 'failed':
      return (
        <section class="turn-failed" role="alert">
          <h3>
            <Icon name="warning" /> {text}
          </h3>
          {turn.error === null ? null : <ErrorText error={turn.error} />}
          {isLast ? (
            <div class="buttons">
              {turn.error !== null && limits.has(turn.error.code) ? (
                <button type="button" class="link" onClick={() => actions.showExtras(true)}>
                  {t('session_settings')}
                </button>
              ) : null}
              {again}
            </div>
          ) : null}
        </section>
      );
    case 'interrupted':
      return (
        <section class="turn-failed interrupted">
          <h3>
            <Icon name="info" /> {text}
          </h3>
          {turn.error === null ? <p>{t('turn_interrupted_hint')}</p> : <ErrorText error={turn.error} />}
          {again}
        </section>
      );
    case 'queued':
    case 'running':
    case 'cancelling':
      return null;
  }
};
