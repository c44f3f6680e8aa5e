/** What is kept on this machine: sessions, attached files, the audit. */
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { sessionTitle } from '#display/attention.ts';
import { toSize } from '#display/amounts.ts';
import type { RemovedSession, SessionSummary } from '#protocol/api.ts';
import type { AttachmentStats } from '#protocol/attachments.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { routes } from '#protocol/routes.ts';
import type { ExportFormat } from '#protocol/session-export.ts';
import type { SessionId } from '#protocol/ids.ts';
import { saveAs } from '#extension/shared/save-as.ts';
import { Choice, Fault, useLoaded } from './fields.tsx';
import { type ImportProgress, importSession } from './import-session.ts';
import { offerSessions, OFFERED_SESSIONS } from './offered-sessions.ts';
import { useSettings } from './scene.ts';

export const Data = (): JSX.Element => (
  <>
    <Attachments />
    <Removed />
    <Retention />
    <SessionExport />
    <SessionImport />
  </>
);

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
            <button type="button" class="option option-danger" onClick={() => stats.take(clear)}>
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
      <ul class="list plain">
        {removed.value?.map(({ session }) => (
          <li key={session.id} class="row">
            <span class="row-text">{sessionTitle(session) || say('unnamed')}</span>
            <button type="button" onClick={() => removed.take(() => restore(session.id))}>
              {say('restore')}
            </button>
          </li>
        ))}
      </ul>
      <Fault error={removed.error} />
    </>
  );
};

const NEVER = 'never';
const OFFERED_DAYS = [30, 90, 180, 365];

/** After how long sessions that nobody touches are deleted. */
const Retention = (): JSX.Element => {
  const { call, say } = useSettings();
  const preferences = useLoaded(() => call(routes.readPreferences, {}));
  const keepDays = preferences.value?.keepDays ?? null;
  const days = [...new Set([...OFFERED_DAYS, ...(keepDays === null ? [] : [keepDays])])].toSorted((one, other) => one - other);
  return (
    <>
      <h3>{say('retention')}</h3>
      <p class="muted">{say('retentionHow')}</p>
      <div class="choices">
        <Choice
          label={say('keepSessions')}
          value={String(keepDays ?? NEVER)}
          options={[[NEVER, say('keepAlways')], ...days.map((count) => [String(count), say('keepFor', { count })] as const)]}
          onChoose={(chosen) =>
            preferences.take(() => call(routes.changePreferences, { body: { keepDays: chosen === NEVER ? null : Number(chosen) } }))
          }
        />
      </div>
      <Fault error={preferences.error} />
    </>
  );
};

/** One session as a file. */
const SessionExport = (): JSX.Element | null => {
  const { readBytes, state, say } = useSettings();
  const sessions = state.sessions ?? [];
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState<SessionId | null>(null);
  const [format, setFormat] = useState<ExportFormat>('markdown');
  const saved = useLoaded<null>(async () => null);
  const offered = useMemo(() => offerSessions(sessions, words), [sessions, words]);
  const session = offered.find(({ id }) => id === chosen) ?? offered[0];
  if (sessions.length === 0) return null;
  const save = async ({ id }: SessionSummary): Promise<null> => {
    const bytes = await readBytes(routes.exportSession, { params: { sessionId: id }, query: { format } });
    saveAs(`${id}.${format === 'json' ? 'json' : 'md'}`, bytes);
    return null;
  };
  return (
    <>
      <h3>{say('export')}</h3>
      <div class="choices">
        {sessions.length <= OFFERED_SESSIONS ? null : (
          <label class="pick">
            {say('exportFind')}
            <input class="field" type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
          </label>
        )}
        <Choice
          label={say('exportWhich')}
          value={session?.id ?? ''}
          options={offered.map((each) => [each.id, sessionTitle(each).slice(0, SHOWN_CHARS) || say('unnamed')] as const)}
          onChoose={(id) => setChosen(id === '' ? null : id)}
        />
        <Choice
          label={say('exportForm')}
          value={format}
          options={[
            ['markdown', say('exportMarkdown')],
            ['json', say('exportJson')],
          ]}
          onChoose={setFormat}
        />
      </div>
      <div class="buttons">
        <button
          type="button"
          disabled={session === undefined}
          onClick={() => (session === undefined ? undefined : saved.take(() => save(session)))}
        >
          {say('exportSave')}
        </button>
      </div>
      <Fault error={saved.error} />
    </>
  );
};

const SHOWN_CHARS = 80;

/** A file becomes a session again. */
const SessionImport = (): JSX.Element => {
  const { call, say } = useSettings();
  const imported = useLoaded<SessionSummary | null>(async () => null);
  const [progress, setProgress] = useState<ImportProgress | null>(null);
  const [running, setRunning] = useState<{ readonly name: string; readonly stop: AbortController } | null>(null);
  const [isGivenUp, setGivenUp] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const read = async (file: File): Promise<SessionSummary | null> => {
    const stop = new AbortController();
    setRunning({ name: file.name, stop });
    setGivenUp(false);
    try {
      return await importSession(call, file, { signal: stop.signal, onProgress: setProgress });
    } finally {
      setGivenUp(stop.signal.aborted);
      setRunning(null);
      setProgress(null);
    }
  };
  const ending = (): string => {
    if (running !== null || imported.error !== null) return '';
    if (imported.value !== null) return say('imported', { name: sessionTitle(imported.value) || say('unnamed') });
    return isGivenUp ? say('importGivenUp') : '';
  };
  return (
    <>
      <h3>{say('import')}</h3>
      <p class="muted">{say('importHow')}</p>
      {/* The browser's own field speaks the browser's language, and names no file while one is read. */}
      <input
        ref={picker}
        type="file"
        hidden
        accept="application/json,.json"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) void imported.take(() => read(file));
          event.currentTarget.value = '';
        }}
      />
      {running === null ? (
        <div class="buttons">
          <button type="button" onClick={() => picker.current?.click()}>
            {say('importFile')}
          </button>
        </div>
      ) : (
        <Importing name={running.name} progress={progress} onCancel={() => running.stop.abort()} />
      )}
      <p class="muted" role="status">
        {ending()}
      </p>
      <Fault error={imported.error} />
    </>
  );
};

const Importing = ({ name, progress, onCancel }: { name: string; progress: ImportProgress | null; onCancel: () => void }): JSX.Element => {
  const { say } = useSettings();
  const share = progress?.share ?? 0;
  return (
    <div class="importing">
      <p>{toVisible(name)}</p>
      <progress max={1} value={share} aria-label={name} />
      <p class="muted">
        {say(progress?.step === 'read' ? 'importReading' : 'importSending')} {Math.floor(share * 100)} %
      </p>
      <button type="button" onClick={onCancel}>
        {say('cancel')}
      </button>
    </div>
  );
};
