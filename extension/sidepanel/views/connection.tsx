/** What keeps the panel from the companion: one sentence, one action. */
import type { JSX } from 'preact';
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
          {isWaiting ? <Spinner /> : null} {t(status.kind)}
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
  if (status.kind === 'connected' || status.kind === 'starting') return null;
  return (
    <div class={`banner banner-${status.kind}`} role="status">
      <p>
        {status.kind === 'reconnecting' ? <Spinner /> : <Icon name="warning" />} {t(status.kind)}
      </p>
      {status.kind === 'reconnecting' ? null : (
        <details>
          <summary>{t('what_to_do')}</summary>
          <Help status={status} />
        </details>
      )}
      {status.kind === 'reconnecting' ? null : <Again />}
    </div>
  );
};

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
