/** The worktree of a session: where it works, what has changed in it, and how it is brought to an end. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { finishedWords, worktreeWords } from '#display/work-words.ts';
import { isChinese } from '#display/words.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { Changes, FinishAction, Worktree } from '#protocol/work.ts';
import { ChangedFileLine } from './diff.tsx';
import { Sheet, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';
import { TrustedAct } from './trusted-act.tsx';

/** The list shows so many files; the rest is counted. */
const SHOWN_FILES = 100;

export const WorktreeSheet = ({
  sessionId,
  worktree,
  onClose,
}: {
  sessionId: SessionId;
  worktree: Worktree;
  onClose: () => void;
}): JSX.Element => {
  const { t, actions } = useScene();
  const language = isChinese(t) ? 'zh' : 'en';
  const [end, setEnd] = useState<string | null>(null);
  const finish = async (action: FinishAction): Promise<void> =>
    setEnd(finishedWords(await actions.work.finish(sessionId, action), language));
  return (
    <Sheet title={t('worktree')} onClose={onClose}>
      <p>{end ?? worktreeWords(worktree, language)}</p>
      {worktree.state === 'open' && end === null ? (
        <>
          <ChangedFiles sessionId={sessionId} />
          <TrustedAct
            label={t('worktree_merge', { branch: worktree.baseBranch ?? '' })}
            hint={t('worktree_merge_hint')}
            work={() => finish('merge')}
          />
          <TrustedAct label={t('worktree_keep')} hint={worktree.branch} work={() => finish('keep')} />
          <TrustedAct label={t('worktree_discard')} hint={t('worktree_discard_hint')} work={() => finish('discard')} />
        </>
      ) : null}
    </Sheet>
  );
};

const ChangedFiles = ({ sessionId }: { sessionId: SessionId }): JSX.Element => {
  const { t, actions } = useScene();
  const [changes, setChanges] = useState<Changes | null>(null);
  useEffect(() => {
    let isShown = true;
    actions.work.changes(sessionId).then(
      (found) => (isShown ? setChanges(found) : undefined),
      // What keeps it from being read is told by the buttons below.
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [sessionId, actions]);
  if (changes === null) return <Spinner />;
  return (
    <details class="request-more">
      <summary>
        {t('changed_files', { count: changes.files.length })}
        {changes.files.length === 0 ? '' : ` (+${changes.additions} −${changes.deletions})`}
      </summary>
      <ul class="list small-text">
        {changes.files.slice(0, SHOWN_FILES).map((file) => (
          <li key={file.path}>
            <ChangedFileLine file={file} />
          </li>
        ))}
      </ul>
    </details>
  );
};
