/** What keeps the panel from the companion: one sentence, one action. */
import type { JSX } from 'preact';
import { preparingWords } from '#display/preparing.ts';
import { isChinese } from '#display/words.ts';
import type { Translate } from '../i18n.ts';
import type { Status } from '../status.ts';
import { Icon, Mark } from './icons.tsx';
import { Command, ErrorText, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

/** The connection's state when it fills the whole panel, because there is nothing else to show. */
export const ConnectionPage = ({ status }: { status: Status }): JSX.Element => {
  const { t } = useScene();
  const isWaiting = status.kind === 'starting' || status.kind === 'reconnecting';
  return (
    <main class="page">
      <Mark />
      <div role={isWaiting ? 'status' : 'alert'}>
        <h1>
          {isWaiting ? <Spinner /> : null} {sentenceOf(status, t)}
        </h1>
      </div>
      <Help status={status} />
      {status.kind === 'starting' ? null : <Again />}
    </main>
  );
};

/** A line above a conversation that stays on screen. */
export const ConnectionBanner = ({ status }: { status: Status }): JSX.Element | null => {
  const { t } = useScene();
  if (status.kind === 'connected' || (status.kind === 'starting' && status.preparing === undefined)) return null;
  const isWaiting = status.kind === 'reconnecting' || status.kind === 'starting';
  return (
    <div class={`banner banner-${status.kind}`} role="status">
      <p>
        {isWaiting ? <Spinner /> : <Icon name="warning" />} {sentenceOf(status, t)}
      </p>
      {isWaiting ? null : (
        <details>
          <summary>{t('what_to_do')}</summary>
          <Help status={status} />
        </details>
      )}
      {isWaiting ? null : <Again />}
    </div>
  );
};

const sentenceOf = ({ kind, preparing }: Status, t: Translate): string =>
  preparing === undefined ? t(kind) : preparingWords(preparing, isChinese(t) ? 'zh' : 'en');

/** What a person does about it. */
export const Help = ({ status: { kind, error } }: { status: Status }): JSX.Element | null => {
  const { t } = useScene();
  if (kind === 'host_missing') {
    return (
      <>
        <p>{t('host_missing_how')}</p>
        <Command text="npm start" />
        <Command text="pilotfish install" />
      </>
    );
  }
  return error === null ? null : <ErrorText error={error} hasCode={kind !== 'host_forbidden' && kind !== 'link_lost'} />;
};

const Again = (): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <>
      <button type="button" class="option option-allow_once" onClick={() => actions.connectAgain()}>
        {t('try_again')}
      </button>
      <button type="button" class="link" onClick={() => actions.page.openSettings('check')}>
        {t('check_chain')}
      </button>
    </>
  );
};
