/** A new session: which half is missing, or that all is ready. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isUsable } from '#display/engines.ts';
import { errorText } from '#display/error-text.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { Translate } from '../i18n.ts';
import { Icon, Mark } from './icons.tsx';
import { NoAgent } from './no-agent.tsx';
import { Sentence, Spinner } from './parts.tsx';
import { AddProject } from './project-picker.tsx';
import { useScene } from './scene.ts';
import { ServedProject } from './served-project.tsx';
import { CurrentPage, RecentSessions } from './starters.tsx';

export const Welcome = (): JSX.Element => {
  const { t, state, shown } = useScene();
  const { engine, project } = shown.selected;
  if (state.projects === null || state.engines === null) {
    return (
      <main class="page">
        <p role="status">
          <Spinner /> {t('checking')}
        </p>
      </main>
    );
  }
  if (state.projects.length === 0) return <FirstProject />;
  if (!state.engines.some(isUsable)) return <NoAgent engines={state.engines} isChecking={state.isCheckingEngines} />;
  return (
    <main class="page">
      <Mark />
      <h1>{t('welcome')}</h1>
      <p class="muted">{t('welcome_hint', { project: project?.name ?? '' })}</p>
      {engine !== null && engine.status !== 'ready' && engine.error !== undefined ? (
        <p class="notice notice-warning">
          <Icon name="warning" />
          <span>
            <Sentence text={toAdvice(engine.error, t)} />
          </span>
        </p>
      ) : null}
      <ServedProject />
      <CurrentPage />
      <RecentSessions />
    </main>
  );
};

const FirstProject = (): JSX.Element => {
  const { t, actions, state } = useScene();
  const [isAdding, setAdding] = useState(false);
  const path = state.defaultWorkspace;
  return (
    <main class="page">
      <Mark />
      <h1>{t('first_project')}</h1>
      <p class="muted">{t('first_project_hint')}</p>
      {path === null ? null : (
        <>
          <button type="button" class="option option-allow_once" onClick={() => void actions.startInDefault()}>
            {t('use_default')}
          </button>
          <p class="muted small-text">{path}</p>
        </>
      )}
      {isAdding ? (
        <AddProject onDone={() => setAdding(false)} />
      ) : (
        <button type="button" class="link" onClick={() => setAdding(true)}>
          {t('choose_folder')}
        </button>
      )}
    </main>
  );
};

const toAdvice = (error: ErrorBody, t: Translate): string => {
  const { message, remedy } = errorText(error, t);
  return `${message} ${remedy}`;
};
