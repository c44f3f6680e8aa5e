/** What mends the connection, as the panel offers it; and folded away what else could help. */
import type { JSX } from 'preact';
import type { Status } from '#extension/sidepanel/status.ts';
import { Mend, Reason } from '#extension/sidepanel/views/connection.tsx';
import { useScene } from '#extension/sidepanel/views/scene.ts';
import { useSettings } from './scene.ts';

export const ConnectionHelp = ({ status }: { status: Status }): JSX.Element => {
  const { t, actions } = useScene();
  const { say } = useSettings();
  return (
    <>
      <div class="buttons">
        <Mend status={status} />
      </div>
      <details class="more-help">
        <summary>{t('more_help')}</summary>
        <Reason status={status} />
        <button type="button" class="link" onClick={() => actions.connectAgain()}>
          {t('try_again')}
        </button>
        <p class="muted">
          {say('doctor')} <code>pilotfish doctor</code>
        </p>
      </details>
    </>
  );
};
