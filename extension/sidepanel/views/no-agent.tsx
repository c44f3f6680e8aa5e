/** Stands in the place of a conversation while no agent can answer: the one that is nearest to it, and the one thing to do for it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { commandOf, offerAgents } from '#display/engines.ts';
import { errorParts } from '#display/error-text.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CheckAgain, EngineLine, Missing } from './engine-list.tsx';
import { Mark } from './icons.tsx';
import { LogInButton, LogInState, useLogin } from './log-in.tsx';
import { CommandText, CopyCommand, Sentence, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

export const NoAgent = ({ engines, isChecking }: { engines: readonly EngineInfo[]; isChecking: boolean }): JSX.Element => {
  const { t, actions } = useScene();
  const { best, local, rest } = offerAgents(engines);
  return (
    <main class="page">
      <Mark />
      <h1>{t('no_engine')}</h1>
      {best === null ? (
        <button type="button" class="primary" onClick={() => actions.page.openSettings('agents')}>
          {t('set_up_agents')}
        </button>
      ) : (
        <Nearest key={`${best.name} ${best.status}`} engine={best} isChecking={isChecking} />
      )}
      <details class="more-help more-agents">
        <summary>{t('more_help')}</summary>
        {best?.status === 'not_logged_in' && best.loginCommand !== undefined ? <Offer engine={best} /> : null}
        {local === null ? null : (
          <>
            <p class="muted">{t('or_local')}</p>
            <Offer engine={local} />
          </>
        )}
        {rest.map((engine) => (
          <Offer key={engine.name} engine={engine} />
        ))}
        <CheckAgain isChecking={isChecking} />
      </details>
    </main>
  );
};

/** What is nearest to answering, with its one step: log in, or copy the command, and once that was done look again. */
const Nearest = ({ engine, isChecking }: { engine: EngineInfo; isChecking: boolean }): JSX.Element => {
  const { t, actions } = useScene();
  const [hasCommand, setHasCommand] = useState(false);
  const command = commandOf(engine);
  const parts = engine.error === undefined ? null : errorParts(engine.error, t);
  const line = (
    <p class="offer-agent">
      <EngineLine engine={engine} />
    </p>
  );
  if (engine.status === 'not_logged_in' && engine.loginCommand !== undefined)
    return (
      <>
        {line}
        <LogIn name={engine.name} />
      </>
    );
  const how =
    command === null
      ? (engine.fix ?? parts?.sentence ?? '')
      : t(engine.status === 'not_installed' ? 'no_engine_install' : 'no_engine_mend');
  return (
    <>
      {line}
      <p class="muted">
        <Sentence text={how} />
      </p>
      {command === null ? null : <CommandText text={command} />}
      {command === null || hasCommand ? (
        <button type="button" class="primary" disabled={isChecking} onClick={() => void actions.refreshEngines()}>
          {isChecking ? <Spinner /> : null}
          {t(isChecking ? 'checking' : 'check_again')}
        </button>
      ) : (
        <CopyCommand text={command} onCopied={() => setHasCommand(true)} />
      )}
    </>
  );
};

const LogIn = ({ name }: { name: string }): JSX.Element => {
  const login = useLogin(name);
  return (
    <>
      <LogInButton login={login} />
      <LogInState login={login} />
    </>
  );
};

/** An agent with what it needs. */
const Offer = ({ engine }: { engine: EngineInfo }): JSX.Element => (
  <div class="offer">
    <p class="offer-agent">
      <EngineLine engine={engine} />
    </p>
    <Missing engine={engine} />
  </div>
);
