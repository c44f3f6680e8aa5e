/** What the user said: sent, queued, or not sent yet. */
import type { ComponentChildren, JSX } from 'preact';
import type { ErrorCode } from '#protocol/errors.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { ViewTurn } from '#protocol/view.ts';
import type { Unsent } from '../outbox.ts';
import { isPicture } from '../pictures.ts';
import { sizeOfBase64 } from '#extension/shared/base64.ts';
import { beginningOf } from '../text.ts';
import { AttachmentChip } from './attachment-chip.tsx';
import { Icon } from './icons.tsx';
import { useUnfolded } from './kept.ts';
import { ErrorText, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';
import { SentPicture } from './sent-picture.tsx';

/** Longer prompts are folded: what was pasted is rarely read again. */
const FOLD_UNITS = 900;

interface NamedFile {
  readonly kind: AttachmentRef['kind'];
  readonly name: string;
  readonly sizeBytes: number;
}

export const Prompt = ({
  text,
  attachments,
  sent = [],
  children,
}: {
  text: string;
  attachments: readonly NamedFile[];
  /** The same files where they were sent: their pictures are shown. */
  sent?: readonly AttachmentRef[];
  children?: ComponentChildren;
}): JSX.Element => {
  const { t } = useScene();
  const [isWhole, setWhole] = useUnfolded('all', false);
  const isLong = text.length > FOLD_UNITS;
  return (
    <article class="prompt" aria-label={t('you')}>
      <div class="bubble">
        <p class="prompt-text" dir="auto">
          {isLong && !isWhole ? `${beginningOf(text, FOLD_UNITS)}…` : text}
        </p>
        {isLong ? (
          <button type="button" class="link" onClick={() => setWhole(!isWhole)}>
            {t(isWhole ? 'show_less' : 'show_more')}
          </button>
        ) : null}
        {attachments.length === 0 ? null : (
          <ul class="chips">
            {attachments.map((file, index) => {
              const picture = sent[index];
              return picture !== undefined && isPicture(picture) ? (
                <SentPicture key={index} file={picture} />
              ) : (
                <AttachmentChip key={index} kind={file.kind} name={file.name} sizeBytes={file.sizeBytes} />
              );
            })}
          </ul>
        )}
      </div>
      {children}
    </article>
  );
};

export const Queued = ({ turn }: { turn: ViewTurn }): JSX.Element => {
  const { t, actions, focusComposer, shown } = useScene();
  const text = turn.prompt.displayText ?? turn.prompt.text;
  return (
    <Prompt text={text} attachments={turn.prompt.attachments} sent={turn.prompt.attachments}>
      <p class="prompt-state">
        <span class="tag">{t('queued')}</span>
        {shown.selected.engine?.capabilities.canSteer === true ? (
          <button type="button" class="link" onClick={() => void actions.steerQueued(turn)}>
            {t('steer')}
          </button>
        ) : null}
        <button type="button" class="link" onClick={() => void actions.editQueued(turn).then(focusComposer)}>
          {t('edit')}
        </button>
        <button type="button" class="link" onClick={() => void actions.unqueue(turn.turnId)}>
          {t('unqueue')}
        </button>
      </p>
    </Prompt>
  );
};

const toFiles = (unsent: Unsent): NamedFile[] =>
  unsent.attachments.map(({ kind, name, dataBase64 }) => ({ kind, name, sizeBytes: sizeOfBase64(dataBase64) }));

export const UnsentPrompt = ({ unsent }: { unsent: Unsent }): JSX.Element => {
  const { t, actions, focusComposer } = useScene();
  return (
    <Prompt text={unsent.displayText ?? unsent.text} attachments={toFiles(unsent)}>
      {unsent.state === 'failed' ? (
        <section class="not-sent" role="alert">
          <h3>
            <Icon name="warning" /> {t('not_sent')}
          </h3>
          {unsent.error === null ? null : <ErrorText error={unsent.error} />}
          <div class="buttons">
            {unsent.error?.code === 'FOLDER_TAKEN' || (noWorktree.has(unsent.error?.code) && unsent.sessionId !== null) ? (
              <TakenChoices turnId={unsent.turnId} canWorkApart={unsent.error?.code === 'FOLDER_TAKEN'} />
            ) : noWorktree.has(unsent.error?.code) ? (
              <button type="button" class="option option-allow_once" onClick={() => void actions.sendInFolder(unsent.turnId)}>
                {t('send_in_folder')}
              </button>
            ) : (
              <button type="button" class="option option-allow_once" onClick={() => void actions.resend(unsent.turnId)}>
                {t('retry')}
              </button>
            )}
            <button type="button" class="link" onClick={() => void actions.editUnsent(unsent).then(focusComposer)}>
              {t('edit')}
            </button>
            <button type="button" class="link" onClick={() => void actions.discard(unsent.turnId)}>
              {t('discard')}
            </button>
          </div>
        </section>
      ) : (
        <p class="prompt-state">
          <Spinner /> {t('sending')}
        </p>
      )}
    </Prompt>
  );
};

/** Why a session can have no worktree in its project: a new one, or one that was to go on apart because its folder is taken. */
const noWorktree: ReadonlySet<ErrorCode | undefined> = new Set(['GIT_NOT_FOUND', 'GIT_TOO_OLD', 'GIT_NO_REPOSITORY', 'GIT_NO_COMMIT']);

/** Another agent works in the folder: the ways to go on. */
const TakenChoices = ({ turnId, canWorkApart }: { turnId: string; canWorkApart: boolean }): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <>
      <button type="button" class="option option-allow_once" onClick={() => void actions.resend(turnId, 'queue')}>
        {t('taken_queue')}
      </button>
      {canWorkApart ? (
        <button type="button" class="option" onClick={() => void actions.sendApart(turnId)}>
          {t('taken_worktree')}
        </button>
      ) : null}
      <button type="button" class="option" onClick={() => void actions.resend(turnId, 'anyway')}>
        {t('taken_anyway')}
      </button>
    </>
  );
};
