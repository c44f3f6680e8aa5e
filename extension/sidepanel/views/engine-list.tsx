/** The agents of this machine: which work, and what the others still need. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { byStatus, commandOf, engineStatusText, isUsable, labelText } from '#display/engines.ts';
import { errorParts } from '#display/error-text.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { Icon } from './icons.tsx';
import { LogInButton, LogInState, useLogin } from './log-in.tsx';
import { Command, Sentence, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

export const EngineList = ({
  engines,
  current,
  isChecking,
  onChoose,
}: {
  engines: readonly EngineInfo[];
  current: string | null;
  isChecking: boolean;
  onChoose: (name: string) => void;
}): JSX.Element => {
  const sorted = engines.toSorted(byStatus);
  return (
    <>
      <ul class="list">
        {sorted.map((engine) => (
          <EngineRow key={engine.name} engine={engine} isCurrent={engine.name === current} onChoose={onChoose} />
        ))}
      </ul>
      <CheckAgain isChecking={isChecking} />
    </>
  );
};

/** What is done once an agent was installed or logged in, and the way to all that can be set for them. */
export const CheckAgain = ({ isChecking }: { isChecking: boolean }): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <>
      <button type="button" class="wide" disabled={isChecking} onClick={() => void actions.refreshEngines()}>
        {isChecking ? <Spinner /> : null}
        {t(isChecking ? 'checking' : 'check_again')}
      </button>
      <button type="button" class="link" onClick={() => actions.page.openSettings('agents')}>
        {t('set_up_agents')}
      </button>
    </>
  );
};

/** An engine that works is chosen by a click; one that does not shows what it needs. */
const EngineRow = ({
  engine,
  isCurrent,
  onChoose,
}: {
  engine: EngineInfo;
  isCurrent: boolean;
  onChoose: (name: string) => void;
}): JSX.Element => {
  const canRun = isUsable(engine);
  const [isOpen, setOpen] = useState(engine.status !== 'not_installed');
  return (
    <li class={isCurrent && canRun ? 'current' : ''}>
      <button
        type="button"
        class="list-item"
        aria-current={isCurrent}
        aria-expanded={canRun ? undefined : isOpen}
        title={engine.path}
        onClick={() => (canRun ? onChoose(engine.name) : setOpen(!isOpen))}
      >
        <EngineLine engine={engine} />
        {canRun ? isCurrent ? <Icon name="check" /> : null : <Icon name="chevron" />}
      </button>
      {canRun || !isOpen ? null : <Missing engine={engine} />}
    </li>
  );
};

/** Its name and state. */
export const EngineLine = ({ engine, isDisabled = false }: { engine: EngineInfo; isDisabled?: boolean }): JSX.Element => {
  const { t } = useScene();
  return (
    <>
      <span class={`dot engine-${isDisabled ? 'unchecked' : engine.status}`} aria-hidden="true" />
      <span class="list-text">
        <span class="list-title">
          {labelText(engine, t)} <span class="muted">{engine.version ?? ''}</span>
        </span>
        <span class="muted">
          {isDisabled ? t('switched_off') : engineStatusText(t, engine)}
          {engine.account === undefined || isDisabled ? '' : ` · ${engine.account}`}
          {engine.capabilities.hasShell ? '' : ` · ${t('browser_only')}`}
        </span>
      </span>
    </>
  );
};

/** What keeps it from working, and the command that mends it. What only an expert looks at is folded away. */
export const Missing = ({ engine }: { engine: EngineInfo }): JSX.Element => {
  const { t } = useScene();
  const { fix, error } = engine;
  const command = commandOf(engine);
  const parts = error === undefined ? null : errorParts(error, t);
  // Its state already says that it is not there.
  const isSaid = engine.status === 'not_installed' || (command !== null && engine.status === 'not_logged_in');
  return (
    <div class="missing">
      {parts === null || isSaid ? null : (
        <p>
          <Sentence text={parts.title} />
        </p>
      )}
      {engine.status === 'not_logged_in' && engine.loginCommand !== undefined ? <LogIn name={engine.name} /> : null}
      {command !== null ? (
        <Command text={command} />
      ) : (
        <p class="remedy">
          <Sentence text={fix ?? parts?.sentence ?? ''} />
        </p>
      )}
      {parts === null || parts.detail === '' || (command !== null && isSaid) ? null : (
        <details class="request-more">
          <summary>{t('more_about')}</summary>
          <p class="provider-text">{toVisible(parts.detail)}</p>
        </details>
      )}
    </div>
  );
};

/** One press instead of the command that stands below it. */
const LogIn = ({ name }: { name: string }): JSX.Element => {
  const login = useLogin(name);
  return (
    <>
      <div class="buttons">
        <LogInButton login={login} />
      </div>
      <LogInState login={login} />
    </>
  );
};
