/** The browsers and programs from outside that may use the browser tools, those that wait or were turned away, and changing that. */
import type { JSX } from 'preact';
import type { Admission } from '#protocol/admission.ts';
import { useScene } from '#extension/sidepanel/views/scene.ts';
import { TrustedAct } from '#extension/sidepanel/views/trusted-act.tsx';

export const Admissions = ({ admissions }: { admissions: readonly Admission[] }): JSX.Element | null => {
  const { t } = useScene();
  if (admissions.length === 0) return null;
  return (
    <>
      <h3>{t('admissions')}</h3>
      <p class="muted">{t('admissions_how')}</p>
      <ul class="list">
        {admissions.map((admission) => (
          <Row key={admission.id} admission={admission} />
        ))}
      </ul>
    </>
  );
};

const Row = ({ admission: { id, kind, name, program, pid, folder, origin, state } }: { admission: Admission }): JSX.Element => {
  const { t, actions } = useScene();
  const isOrdinary = origin === 'browser' || (kind === 'client' && origin === 'program');
  const facts = [program ?? t('newcomer_unknown'), pid === null ? null : `${t('newcomer_process')} ${pid}`, folder];
  return (
    <li class="setup">
      <p class="setup-name">
        {name} <span class="muted small-text">{t(`admission_${kind}`)}</span>
      </p>
      <p class="muted small-text">{facts.filter((fact) => fact !== null).join(' · ')}</p>
      {isOrdinary ? null : <p class="muted small-text">{t(`admission_${origin}`)}</p>}
      <TrustedAct
        label={t(state === 'allowed' ? 'admission_forget' : 'newcomer_allow')}
        hint={t(`admission_${state}`)}
        work={() => (state === 'allowed' ? actions.engines.forgetAdmission(id) : actions.engines.allowAdmission(id))}
      />
    </li>
  );
};
