/** What one can do with a message: copy it, send it again as it was or changed, go on from it in another session. */
import type { JSX } from 'preact';
import type { LoggedPrompt } from '#protocol/events.ts';
import type { TurnId } from '#protocol/ids.ts';
import { Icon, type IconName } from './icons.tsx';
import { Spinner, useCopy, useOnce } from './parts.tsx';
import { useScene } from './scene.ts';

/** For the words of an agent. */
export const AnswerActions = ({ text }: { text: string }): JSX.Element => (
  <div class="message-actions">
    <CopyMessage text={text} />
  </div>
);

/** For the words of the person. */
export const PromptActions = ({ prompt, turnId }: { prompt: LoggedPrompt; turnId: TurnId }): JSX.Element => {
  const { t, actions, focusComposer } = useScene();
  return (
    <div class="message-actions">
      <CopyMessage text={prompt.displayText ?? prompt.text} />
      <Small name="edit" label={t('edit')} onPress={() => actions.editSent(prompt, turnId).then(focusComposer)} />
      <Small name="retry" label={t('retry')} onPress={() => actions.sendAgain(prompt, turnId)} />
    </div>
  );
};

/** Another session that goes on after this turn. */
export const ForkButton = ({ turnId }: { turnId: TurnId }): JSX.Element => {
  const { t, actions } = useScene();
  return <Small name="fork" label={t('fork_here')} onPress={() => actions.fork(turnId)} />;
};

const CopyMessage = ({ text }: { text: string }): JSX.Element => {
  const { t } = useScene();
  const { isCopied, copy } = useCopy(text);
  return <Small name={isCopied ? 'check' : 'copy'} label={t(isCopied ? 'copied' : 'copy_message')} onPress={copy} />;
};

const Small = ({ name, label, onPress }: { name: IconName; label: string; onPress: () => unknown }): JSX.Element => {
  const { isBusy, run } = useOnce(onPress);
  return (
    <button type="button" class="ghost tiny message-action" aria-label={label} title={label} aria-busy={isBusy} onClick={run}>
      {isBusy ? <Spinner /> : <Icon name={name} />}
    </button>
  );
};
