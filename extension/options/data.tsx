/** What is kept on this machine: sessions, attached files, the audit. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { sessionTitle } from '#display/attention.ts';
import { toSize } from '#display/amounts.ts';
import type { RemovedSession } from '#protocol/api.ts';
import type { AttachmentStats } from '#protocol/attachments.ts';
import { routes } from '#protocol/routes.ts';
import { Command } from '#extension/sidepanel/views/parts.tsx';
import { Fault, useLoaded } from './fields.tsx';
import { useSettings } from './scene.ts';

export const Data = (): JSX.Element => {
  const { say } = useSettings();
  return (
    <>
      <Attachments />
      <Removed />
      <h3>{say('export')}</h3>
      <p class="muted">{say('exportHow')}</p>
      <Command text="pilotfish export SESSION --output FILE" />
      <p class="muted">{say('retention')}</p>
    </>
  );
};

const Attachments = (): JSX.Element => {
  const { call, say } = useSettings();
  const stats = useLoaded(() => call(routes.attachmentStats, {}));
  const [isSure, setSure] = useState(false);
  const clear = async (): Promise<AttachmentStats> => {
    setSure(false);
    await call(routes.removeAttachments, { body: {} });
    return call(routes.attachmentStats, {});
  };
  const { value } = stats;
  return (
    <>
      <h3>{say('attachments')}</h3>
      {value === null ? null : (
        <p>{say('attachmentsKept', { count: value.totalFiles, size: toSize(value.totalBytes), limit: toSize(value.limitBytes) })}</p>
      )}
      <div class="buttons">
        {isSure ? (
          <>
            <button type="button" class="option option-danger" onClick={() => stats.take(clear())}>
              {say('clearYes')}
            </button>
            <button type="button" onClick={() => setSure(false)}>
              {say('cancel')}
            </button>
          </>
        ) : (
          <button type="button" disabled={value === null || value.totalFiles === 0} onClick={() => setSure(true)}>
            {say('clear')}
          </button>
        )}
      </div>
      <Fault error={stats.error} />
    </>
  );
};

/** Sessions that were deleted within the last hour. */
const Removed = (): JSX.Element | null => {
  const { call, say } = useSettings();
  const removed = useLoaded(async () => (await call(routes.listRemovedSessions, {})).sessions);
  const restore = async (sessionId: RemovedSession['session']['id']): Promise<RemovedSession[]> => {
    await call(routes.restoreSession, { params: { sessionId } });
    return (await call(routes.listRemovedSessions, {})).sessions;
  };
  if ((removed.value ?? []).length === 0) return <Fault error={removed.error} />;
  return (
    <>
      <h3>{say('removedSessions')}</h3>
      <ul class="list">
        {removed.value?.map(({ session }) => (
          <li key={session.id} class="row">
            <span class="row-text">{sessionTitle(session) || say('unnamed')}</span>
            <button type="button" onClick={() => removed.take(restore(session.id))}>
              {say('restore')}
            </button>
          </li>
        ))}
      </ul>
      <Fault error={removed.error} />
    </>
  );
};
