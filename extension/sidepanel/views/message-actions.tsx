/** What one can do with a message: copy it, send it again as it was or changed, go on from it in another session. */
import type { JSX } from 'preact';
import type { LoggedPrompt } from '#protocol/events.ts';
import type { TurnId } from '#protocol/ids.ts';
import { Icon, type IconName } from './icons.tsx';
import { useCopy } from './parts.tsx';
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
      <Small name="edit" label={t('edit')} onPress={() => void actions.editSent(prompt, turnId).then(focusComposer)} />
      <Small name="retry" label={t('retry')} onPress={() => void actions.sendAgain(prompt)} />
    </div>
  );
};

/** Another session that goes on after this turn. */
export const ForkButton = ({ turnId }: { turnId: TurnId }): JSX.Element => {
  const { t, actions } = useScene();
  return <Small name="fork" label={t('fork_here')} onPress={() => void actions.fork(turnId)} />;
};

const CopyMessage = ({ text }: { text: string }): JSX.Element => {
  const { t } = useScene();
  const { isCopied, copy } = useCopy(text);
  return <Small name={isCopied ? 'check' : 'copy'} label={t(isCopied ? 'copied' : 'copy_message')} onPress={copy} />;
};

const Small = ({ name, label, onPress }: { name: IconName; label: string; onPress: () => void }): JSX.Element => (
  <button type="button" class="ghost tiny message-action" aria-label={label} title={label} onClick={onPress}>
    <Icon name={name} />
  </button>
);
