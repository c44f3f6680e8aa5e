/** What is kept on this machine: sessions, attached files, pictures of what agents did. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { sessionTitle } from '#display/attention.ts';
import { toSize } from '#display/amounts.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { routes } from '#protocol/routes.ts';
import { countPictures, forgetPictures } from '#extension/shared/act-pictures.ts';
import { Choice, Fault, useLoaded } from './fields.tsx';
import { type ImportProgress, importSession } from './import-session.ts';
import { useSettings } from './scene.ts';
import { sessionsIn } from './session-files.ts';
import { Sessions } from './sessions.tsx';

export const Data = (): JSX.Element => (
  <>
    <Sessions />
    <SessionImport />
    <Retention />
    <Attachments />
    <ActPictures />
  </>
);

const Attachments = (): JSX.Element => {
  const { call, say } = useSettings();
  const stats = useLoaded(() => call(routes.attachmentStats, {}));
  const { value } = stats;
  return (
    <>
      <h3>{say('attachments')}</h3>
      {value === null ? null : (
        <p>{say('attachmentsKept', { count: value.totalFiles, size: toSize(value.totalBytes), limit: toSize(value.limitBytes) })}</p>
      )}
      <Clear
        sure={say('clearYes')}
        isEmpty={value === null || value.totalFiles === 0}
        onClear={() =>
          stats.take(async () => {
            await call(routes.removeAttachments, { body: {} });
            return call(routes.attachmentStats, {});
          })
        }
      />
      <Fault error={stats.error} />
    </>
  );
};

/** Pictures of pages before and after what agents did, which this browser keeps where the person wanted that. */
const ActPictures = (): JSX.Element => {
  const { say } = useSettings();
  const count = useLoaded(countPictures);
  return (
    <>
      <h3>{say('actPictures')}</h3>
      <p>{say('actPicturesKept', { count: count.value ?? 0 })}</p>
      <Clear
        sure={say('clearPicturesYes')}
        isEmpty={(count.value ?? 0) === 0}
        onClear={() =>
          count.take(async () => {
            await forgetPictures();
            return countPictures();
          })
        }
      />
      <Fault error={count.error} />
    </>
  );
};

/** What is gone for good is asked for twice. */
const Clear = ({ sure, isEmpty, onClear }: { sure: string; isEmpty: boolean; onClear: () => void }): JSX.Element => {
  const { say } = useSettings();
  const [isSure, setSure] = useState(false);
  return (
    <div class="buttons">
      {isSure ? (
        <>
          <button
            type="button"
            class="option option-danger"
            onClick={() => {
              setSure(false);
              onClear();
            }}
          >
            {sure}
          </button>
          <button type="button" onClick={() => setSure(false)}>
            {say('cancel')}
          </button>
        </>
      ) : (
        <button type="button" disabled={isEmpty} onClick={() => setSure(true)}>
          {say('clear')}
        </button>
      )}
    </div>
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

/** A file becomes a session again. */
const SessionImport = (): JSX.Element => {
  const { call, say } = useSettings();
  const imported = useLoaded<readonly SessionSummary[]>(async () => []);
  const [progress, setProgress] = useState<ImportProgress | null>(null);
  const [running, setRunning] = useState<{ readonly name: string; readonly stop: AbortController } | null>(null);
  const [isGivenUp, setGivenUp] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const read = async (file: File): Promise<readonly SessionSummary[]> => {
    const stop = new AbortController();
    const { signal } = stop;
    setRunning({ name: file.name, stop });
    setGivenUp(false);
    const made: SessionSummary[] = [];
    try {
      const parts = await sessionsIn(file);
      for (const [index, part] of parts.entries()) {
        if (parts.length > 1) setRunning({ name: say('importPart', { name: file.name, part: index + 1, count: parts.length }), stop });
        const session = await importSession(call, part, { signal, onProgress: setProgress });
        if (session !== null) made.push(session);
        if (signal.aborted) break;
      }
      return made;
    } finally {
      setGivenUp(signal.aborted);
      setRunning(null);
      setProgress(null);
    }
  };
  const ending = (): string => {
    if (running !== null || imported.error !== null) return '';
    const [first, ...more] = imported.value ?? [];
    if (first === undefined) return isGivenUp ? say('importGivenUp') : '';
    return more.length === 0
      ? say('imported', { name: sessionTitle(first) || say('unnamed') })
      : say('importedMany', { count: more.length + 1 });
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
        accept="application/json,.json,.jsonl"
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
