/** How a turn ended, said in so many words, and what one can do then. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { remedyText, turnEndText } from '#display/activity.ts';
import { errorParts } from '#display/error-text.ts';
import { mendOf, type Mend } from '#display/mend.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { Project } from '#protocol/api.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import { isUnasked, type ViewTurn } from '#protocol/view.ts';
import { Icon } from './icons.tsx';
import { useUnfolded } from './kept.ts';
import { LogInButton, LogInState, useLogin } from './log-in.tsx';
import { ForkButton } from './message-actions.tsx';
import { Command, Sentence, Sheet, Spinner, useOnce } from './parts.tsx';
import { FolderForm } from './project-picker.tsx';
import { useScene } from './scene.ts';

export const TurnEnd = ({ turn, isLast }: { turn: ViewTurn; isLast: boolean }): JSX.Element | null => {
  const { t } = useScene();
  const text = turnEndText(t, turn);
  switch (turn.status) {
    case 'completed':
      return (
        <p class="turn-end">
          <Icon name="check" /> {text} <ForkButton turnId={turn.turnId} />
        </p>
      );
    case 'cancelled':
      return (
        <p class="turn-end">
          <Icon name="stop" /> {text} {isLast ? <EditAgain turn={turn} /> : null} <ForkButton turnId={turn.turnId} />
        </p>
      );
    case 'failed':
      return <Failed turn={turn} ending={text ?? ''} isLast={isLast} />;
    case 'interrupted':
      return (
        <section class="turn-failed interrupted">
          <h3>
            <Icon name="info" /> {text}
          </h3>
          {turn.error === null ? <p>{t('turn_interrupted_hint')}</p> : <Cause error={turn.error} />}
          <div class="buttons">{isLast ? <MendButton turn={turn} mend="retry" /> : null}</div>
        </section>
      );
    case 'queued':
    case 'running':
    case 'cancelling':
      return null;
  }
};

/** What failed, what to do, and one button that does it. */
const Failed = ({ turn, ending, isLast }: { turn: ViewTurn; ending: string; isLast: boolean }): JSX.Element => {
  const { t } = useScene();
  const { error } = turn;
  const mend = error === null ? 'retry' : mendOf(error.code);
  return (
    <section class="turn-failed" role="alert">
      <h3>
        <Icon name="warning" /> {error === null ? ending : <Sentence text={errorParts(error, t).title} />}
      </h3>
      {error === null ? null : <Cause error={error} />}
      <p class="muted small-text">{ending}</p>
      {isLast ? (
        <div class="buttons">
          <MendIt turn={turn} mend={mend} />
          {mend === 'edit' ? null : <EditAgain turn={turn} />}
        </div>
      ) : null}
    </section>
  );
};

const Cause = ({ error }: { error: ErrorBody }): JSX.Element => {
  const { t } = useScene();
  const { sentence, detail } = errorParts(error, t);
  const [isOpen, setOpen] = useUnfolded('more', false);
  return (
    <div class="error-text">
      <p>
        <Sentence text={remedyText(t, { ...error, remedy: sentence }, Date.now())} />
      </p>
      <details class="request-more" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t('more_about')}</summary>
        {detail === '' ? null : <p class="provider-text">{toVisible(detail)}</p>}
        <p class="code-line">{t('error_code', { code: error.code })}</p>
      </details>
    </div>
  );
};

const MendIt = ({ turn, mend }: { turn: ViewTurn; mend: Mend }): JSX.Element => {
  if (mend === 'log_in') return <LogIn turn={turn} />;
  if (mend === 'choose_folder') return <ChooseFolder turn={turn} />;
  return mend === 'choose_model' ? <ChooseModel turn={turn} /> : <MendButton turn={turn} mend={mend} />;
};

const MendButton = ({
  turn,
  mend,
  isSecond = false,
}: {
  turn: ViewTurn;
  mend: Exclude<Mend, 'log_in' | 'choose_model' | 'choose_folder'>;
  /** Another button is the one that mends it. */
  isSecond?: boolean;
}): JSX.Element | null => {
  const { t, actions, focusComposer } = useScene();
  const work: Readonly<Record<typeof mend, () => unknown>> = {
    set_up: () => actions.page.openSettings('agents'),
    new_session: () => actions.openSession(null),
    raise_limit: () => actions.showExtras(true),
    edit: () => actions.editAgain(turn.prompt).then(focusComposer),
    retry: () => actions.sendAgain(turn.prompt),
  };
  const { isBusy, run } = useOnce(work[mend]);
  if ((mend === 'retry' || mend === 'edit') && isUnasked(turn)) return null;
  return (
    <button type="button" class={isSecond ? 'link' : 'primary'} aria-busy={isBusy} onClick={run}>
      {isBusy ? <Spinner /> : null}
      {t(`mend_${mend}`)}
    </button>
  );
};

/** What logs in, on the spot. An agent that has no command for it takes a key, in the settings. */
const LogIn = ({ turn }: { turn: ViewTurn }): JSX.Element => {
  const { t, actions, shown } = useScene();
  const { engine } = shown.selected;
  if (engine?.loginCommand !== undefined) return <LogInAgent turn={turn} name={engine.name} command={engine.loginCommand} />;
  return (
    <button type="button" class="primary" onClick={() => actions.page.openSettings('agents')}>
      {t('mend_log_in')}
    </button>
  );
};

const LogInAgent = ({ turn, name, command }: { turn: ViewTurn; name: string; command: string }): JSX.Element => {
  const login = useLogin(name);
  const { state } = login;
  if (state === 'offered' || state === 'opening') return <LogInButton login={login} />;
  return (
    <div class="setup-part">
      <LogInState login={login} />
      {state === 'failed' ? <Command text={command} /> : null}
      <div class="buttons">
        <MendButton turn={turn} mend="retry" isSecond={state === 'open'} />
        {state === 'open' ? <LogInButton login={login} /> : null}
      </div>
    </div>
  );
};

/** Another model; the prompt is sent to it then. */
const ChooseModel = ({ turn }: { turn: ViewTurn }): JSX.Element => {
  const { t, actions } = useScene();
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      {isAsked ? <MendButton turn={turn} mend="retry" /> : null}
      <button
        type="button"
        class={isAsked ? 'link' : 'primary'}
        onClick={() => {
          setAsked(true);
          actions.showModels(true);
        }}
      >
        {t('mend_choose_model')}
      </button>
    </>
  );
};

/** Where the folder of the project is now; the prompt is sent again then. One that was put back is found by a retry. */
const ChooseFolder = ({ turn }: { turn: ViewTurn }): JSX.Element => {
  const { t, actions, shown } = useScene();
  const { project: current } = shown.selected;
  const [project, setProject] = useState<Project | null>(null);
  return (
    <>
      {current === null ? null : (
        <button type="button" class="primary" aria-haspopup="dialog" onClick={() => setProject(current)}>
          {t('mend_choose_folder')}
        </button>
      )}
      <MendButton turn={turn} mend="retry" isSecond={current !== null} />
      {project === null ? null : (
        <Sheet title={project.name} onClose={() => setProject(null)}>
          <FolderForm
            title={t('project_moved', { name: project.name })}
            submit={t('save')}
            initial={project.rootPath}
            onFolder={async (rootPath, allowCreate) => {
              await actions.changeProject(project, { rootPath, ...(allowCreate ? { allowCreate } : {}) });
              setProject(null);
              await actions.sendAgain(turn.prompt);
            }}
          />
        </Sheet>
      )}
    </>
  );
};

const EditAgain = ({ turn }: { turn: ViewTurn }): JSX.Element | null => {
  const { t, actions, focusComposer } = useScene();
  const { isBusy, run } = useOnce(() => actions.editAgain(turn.prompt).then(focusComposer));
  if (isUnasked(turn)) return null;
  return (
    <button type="button" class="link" aria-busy={isBusy} onClick={run}>
      {isBusy ? <Spinner /> : null}
      {t('edit_again')}
    </button>
  );
};
