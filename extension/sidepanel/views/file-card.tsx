/** A file that was changed: what has changed in it, and the two things one does with that. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { diffOf } from '#display/diff-lines.ts';
import type { FileChange } from '#protocol/items.ts';
import type { WentBack } from '#protocol/work.ts';
import { Attempt } from './attempt.tsx';
import { Diff } from './diff.tsx';
import { Icon } from './icons.tsx';
import { useKept } from './kept.ts';
import { Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

/** `isDone` is false while it is only proposed. */
export const FileCard = ({ change, isDone }: { change: FileChange; isDone: boolean }): JSX.Element => (
  <div class="file-card">
    <Diff change={change} canComment={isDone} />
    {isDone ? (
      <div class="buttons">
        {change.change === 'delete' ? null : <OpenInEditor path={change.movedTo ?? change.path} line={firstLine(change)} />}
        <RevertFile path={change.movedTo ?? change.path} />
      </div>
    ) : null}
  </div>
);

export const OpenInEditor = ({ path, line }: { path: string; line: number | null }): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <Attempt work={() => actions.openFile(path, line)}>
      {(run, isBusy) => (
        <button type="button" class="small" disabled={isBusy} onClick={run}>
          {isBusy ? <Spinner /> : <Icon name="open" />}
          {t('open_in_editor')}
        </button>
      )}
    </Attempt>
  );
};

/** Brings the file back to what it was where the session began, after a second press. It can be taken back itself: here, or by whom it is told. */
export const RevertFile = ({ path, onDone }: { path: string; onDone?: (gone: WentBack) => void }): JSX.Element => {
  const { t, actions } = useScene();
  const [isSure, setSure] = useState(false);
  const [reverted, setReverted] = useKept('reverted', path, null);
  const { gone, told } = reverted ?? { gone: null, told: null };
  const work = async (): Promise<void> => {
    if (gone !== null) {
      await actions.revertUndo(gone);
      setReverted(null);
    } else if (isSure) {
      setSure(false);
      const back = await actions.revertFile(path);
      if (back === null) setReverted({ told: 'revert_nothing', gone: null });
      else if (back.files.length === 0) setReverted({ told: 'revert_left', gone: null });
      else if (onDone === undefined) setReverted({ told: back.since === 'session' ? 'reverted' : 'reverted_to_commit', gone: back });
      else onDone(back);
    } else setSure(true);
  };
  return (
    <Attempt work={work}>
      {(run, isBusy) => (
        <>
          {told === null ? null : (
            <span class="muted small-text" role="status">
              {t(told)}
            </span>
          )}
          <button
            type="button"
            class={isSure ? 'small danger' : 'small'}
            disabled={isBusy}
            onClick={(event) => {
              if (event.isTrusted) run();
            }}
            onBlur={() => setSure(false)}
          >
            {isBusy ? <Spinner /> : <Icon name="retry" />}
            {t(gone !== null ? 'undo' : isSure ? 'revert_sure' : 'revert_file')}
          </button>
        </>
      )}
    </Attempt>
  );
};

/** Where an editor is opened: at the first line that is new, or where the first one was taken out. */
const firstLine = (change: FileChange): number | null =>
  diffOf(change).lines.find(({ type }) => type === 'add' || type === 'remove')?.line ?? null;
