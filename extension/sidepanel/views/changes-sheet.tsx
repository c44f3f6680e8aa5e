/** All that a session has changed in its folder, file by file, and the states of the folder one can go back to. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toMoment, toSize } from '#display/amounts.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { ChangedFile, Changes, Checkpoint, WentBack } from '#protocol/work.ts';
import { ChangedFileLine, Diff } from './diff.tsx';
import { OpenInEditor, RevertFile } from './file-card.tsx';
import { ErrorText, Sheet, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';
import { TrustedAct } from './trusted-act.tsx';

/** The list shows so many files; of more, nobody reads each. */
const SHOWN_FILES = 200;
const SHOWN_CHECKPOINTS = 50;

export const ChangesSheet = ({ sessionId, onClose }: { sessionId: SessionId; onClose: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  const [changes, setChanges] = useState<Changes | null>(null);
  const [error, setError] = useState<ErrorBody | null>(null);
  const [done, setDone] = useState<WentBack | null>(null);
  const read = (): Promise<void> =>
    actions.work.changes(sessionId).then(setChanges, (fault: unknown) => {
      setError(toErrorBody(fault));
    });
  useEffect(() => void read(), [sessionId, actions]);
  const tell = (gone: WentBack): void => {
    setDone(gone);
    void read();
  };
  const goBack = async (id: string): Promise<void> => tell(await actions.work.goBack(sessionId, id));
  return (
    <Sheet title={t('changes')} onClose={onClose}>
      {error === null ? null : <ErrorText error={error} />}
      {changes === null && error === null ? (
        <p role="status">
          <Spinner />
        </p>
      ) : null}
      {done === null ? null : (
        <div role="status">
          <p>{t('went_back', { count: done.files.length })}</p>
          {done.skipped.length === 0 ? null : <p>{t('went_back_left', { names: toVisible(done.skipped.join(', ')) })}</p>}
          <TrustedAct key={done.undo} label={t('undo')} hint="" work={() => goBack(done.undo)} />
        </div>
      )}
      {changes === null ? null : (
        <>
          <p class="muted">
            {changes.files.length === 0
              ? t('changes_none')
              : t(changes.since === 'session' ? 'changes_all' : 'changes_since_commit', {
                  count: changes.files.length,
                  additions: changes.additions,
                  deletions: changes.deletions,
                })}
          </p>
          {changes.files.slice(0, SHOWN_FILES).map((file) => (
            <ChangedFileView key={file.path} sessionId={sessionId} changes={changes} file={file} onReverted={tell} />
          ))}
          <Checkpoints sessionId={sessionId} done={done} onGoBack={goBack} />
        </>
      )}
    </Sheet>
  );
};

interface ChangedFileProps {
  readonly sessionId: SessionId;
  readonly changes: Changes;
  readonly file: ChangedFile;
  readonly onReverted: (gone: WentBack) => void;
}

const ChangedFileView = ({ sessionId, changes, file, onReverted }: ChangedFileProps): JSX.Element => {
  const [isOpen, setOpen] = useState(false);
  const path = `${changes.top}/${file.path}`;
  return (
    <details class="changed-file" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <ChangedFileLine file={file} />
      </summary>
      {isOpen ? <Patch key={changes.now} sessionId={sessionId} changes={changes} file={file} onReverted={onReverted} /> : null}
      <div class="buttons">
        {file.status === 'deleted' ? null : <OpenInEditor path={path} line={null} />}
        <RevertFile path={path} onDone={onReverted} />
      </div>
    </details>
  );
};

const Patch = ({ sessionId, changes, file, onReverted }: ChangedFileProps): JSX.Element => {
  const { t, actions } = useScene();
  const [patch, setPatch] = useState('');
  const [next, setNext] = useState<number | null>(0);
  const [error, setError] = useState<ErrorBody | null>(null);
  const hasLines = !file.isBinary && file.isHuge !== true;
  const readOn = async (offset: number): Promise<void> => {
    try {
      const page = await actions.work.patch(sessionId, file, changes.now, offset);
      setPatch((before) => before + page.patch);
      setNext(page.nextOffset);
    } catch (fault) {
      setError(toErrorBody(fault));
      setNext(null);
    }
  };
  useEffect(() => {
    if (hasLines) void readOn(0);
  }, []);
  const revertHunk = async (index: number): Promise<void> =>
    onReverted(await actions.work.revert(sessionId, file.path, { now: changes.now, index }));
  // What is new or gone as a whole is taken back as a whole.
  const hasParts = file.status === 'modified' || file.status === 'renamed';
  if (!hasLines) return <p class="muted">{t('no_patch', { size: toSize(file.sizeBytes) })}</p>;
  return (
    <>
      {error === null ? null : <ErrorText error={error} />}
      {patch === '' && error === null ? <Spinner /> : null}
      {patch === '' ? null : (
        <Diff
          change={{ path: file.path, change: 'update', unified: patch }}
          isWholePath
          canComment
          onRevertHunk={hasParts ? revertHunk : undefined}
        />
      )}
      {patch === '' || next === null ? null : (
        <button type="button" class="link" onClick={() => void readOn(next)}>
          {t('more_of_patch')}
        </button>
      )}
    </>
  );
};

const Checkpoints = ({
  sessionId,
  done,
  onGoBack,
}: {
  sessionId: SessionId;
  /** Each way back leaves one more. */
  done: WentBack | null;
  onGoBack: (id: string) => Promise<void>;
}): JSX.Element | null => {
  const { t, actions, shown } = useScene();
  const [checkpoints, setCheckpoints] = useState<readonly Checkpoint[]>([]);
  useEffect(() => {
    actions.work.checkpoints(sessionId).then(setCheckpoints, () => undefined);
  }, [sessionId, actions, done]);
  if (checkpoints.length === 0) return null;
  // The turn may stand on a page that is not read in.
  const promptOf = ({ turnId }: Checkpoint): string =>
    shown.selected.view?.turns.find((turn) => turn.turnId === turnId)?.prompt.text.slice(0, 80) ?? t('checkpoint_earlier');
  return (
    <>
      <h3>{t('checkpoints')}</h3>
      <ul class="list plain">
        {checkpoints.slice(0, SHOWN_CHECKPOINTS).map((checkpoint) => (
          <li key={checkpoint.id} class="checkpoint">
            <p>
              {toVisible(checkpoint.kind === 'undo' ? t('checkpoint_undo') : promptOf(checkpoint))}{' '}
              <span class="muted small-text">{toMoment(Date.parse(checkpoint.at), Date.now(), document.documentElement.lang)}</span>
            </p>
            <TrustedAct label={t('go_back')} question={t('go_back_sure')} hint="" work={() => onGoBack(checkpoint.id)} />
          </li>
        ))}
      </ul>
    </>
  );
};
