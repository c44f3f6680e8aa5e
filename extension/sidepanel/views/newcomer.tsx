/** Fills the whole panel while the person has not admitted this browser: what it is, and one click. */
import type { JSX } from 'preact';
import { toVisible } from '#protocol/foreign-name.ts';
import { type Admission, isAskedInOwnPanel } from '#protocol/admission.ts';
import { Attempt } from './attempt.tsx';
import { Mark } from './icons.tsx';
import { CommandText, CopyCommand, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

export const NewcomerPage = ({ admission }: { admission: Admission }): JSX.Element => {
  const { t } = useScene();
  return (
    <main class="page">
      <Mark />
      <div role="alert">
        <h1>{t(admission.state === 'denied' ? 'newcomer_denied' : 'newcomer')}</h1>
      </div>
      <Facts admission={admission} />
      {isAskedInOwnPanel(admission) ? (
        <Choice admission={admission} />
      ) : (
        <>
          <p>{t('newcomer_terminal')}</p>
          <CommandText text={`pilotfish browsers allow ${admission.id}`} />
          <CopyCommand text={`pilotfish browsers allow ${admission.id}`} />
        </>
      )}
    </main>
  );
};

const Facts = ({ admission: { name, program, pid, origin } }: { admission: Admission }): JSX.Element => {
  const { t } = useScene();
  return (
    <dl class="facts">
      <dt>{t('newcomer_program')}</dt>
      <dd>{program === null ? t('newcomer_unknown') : toVisible(program)}</dd>
      {pid === null ? null : (
        <>
          <dt>{t('newcomer_process')}</dt>
          <dd>{pid}</dd>
        </>
      )}
      <dt>{t('newcomer_profile')}</dt>
      <dd>{toVisible(name)}</dd>
      {origin === 'unknown' ? <dd class="notice notice-warning">{t('newcomer_unchecked')}</dd> : null}
    </dl>
  );
};

const Choice = ({ admission: { id } }: { admission: Admission }): JSX.Element => {
  const { t } = useScene();
  return (
    <>
      <p class="muted">{t('newcomer_how')}</p>
      <div class="buttons">
        <Decide id={id} isAllowed />
        <Decide id={id} isAllowed={false} />
      </div>
    </>
  );
};

const Decide = ({ id, isAllowed }: { id: string; isAllowed: boolean }): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <Attempt work={() => actions.decideAdmission(id, isAllowed)}>
      {(run, isBusy) => (
        <button
          type="button"
          class={isAllowed ? 'option option-allow_once' : 'option option-reject'}
          disabled={isBusy}
          // Only a person at this browser may decide: an event that a script made is not trusted.
          onClick={(event) => {
            if (event.isTrusted) run();
          }}
        >
          {isBusy ? <Spinner /> : null}
          {t(isAllowed ? 'newcomer_allow' : 'newcomer_deny')}
        </button>
      )}
    </Attempt>
  );
};
