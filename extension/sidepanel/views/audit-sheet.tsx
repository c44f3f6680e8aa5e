/** The audit: what was decided and done in the browser and for the person, by whom, and whether all of it is whole. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { auditLines, auditText } from '#display/audit.ts';
import type { AuditReport } from '#protocol/audit.ts';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { saveAs } from '#extension/shared/save-as.ts';
import { Attempt } from './attempt.tsx';
import { Icon } from './icons.tsx';
import { ErrorText, Quoting, Sheet, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

export const AuditSheet = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  const [report, setReport] = useState<AuditReport | null>(null);
  const [error, setError] = useState<ErrorBody | null>(null);
  useEffect(() => {
    actions.readAudit().then(setReport, (fault: unknown) => setError(toErrorBody(fault)));
  }, [actions]);
  return (
    <Sheet title={t('audit')} onClose={onClose}>
      {error === null ? null : <ErrorText error={error} />}
      {report === null && error === null ? (
        <p role="status">
          <Spinner /> {t('loading')}
        </p>
      ) : null}
      {report === null ? null : <Report report={report} />}
    </Sheet>
  );
};

const Report = ({ report }: { report: AuditReport }): JSX.Element => {
  const { t, actions } = useScene();
  const { entries, entryCount, fault, says } = report;
  return (
    <>
      {fault === null ? (
        <p class="muted">{t('audit_whole', { count: entryCount })}</p>
      ) : (
        <p class="notice notice-warning" role="alert">
          <Icon name="warning" />
          <span>{t('audit_changed', { fault: says === undefined ? fault : auditText(says, t) })}</span>
        </p>
      )}
      <Attempt work={async () => saveAs('pilotfish-audit.jsonl', toJsonLines(await actions.readAudit(entryCount)))}>
        {(run, isBusy) => (
          <button type="button" class="small" disabled={isBusy} onClick={run}>
            {t('audit_save')}
          </button>
        )}
      </Attempt>
      <ul class="list audit plain">
        {auditLines(entries, t, document.documentElement.lang).map(({ seq, time, what, where, by, result, amount }) => (
          <li key={seq}>
            <p>
              <time class="muted">{time}</time> <Quoting text={what} />
            </p>
            <p class="muted small-text">{[where, by, result, amount].filter((text) => text !== '').join(' · ')}</p>
          </li>
        ))}
      </ul>
    </>
  );
};

const toJsonLines = ({ entries }: AuditReport): Blob =>
  new Blob(
    entries.map((entry) => `${JSON.stringify(entry)}\n`),
    { type: 'application/jsonl' },
  );
