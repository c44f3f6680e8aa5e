/** The agents of this machine: which work, and what the others still need. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { EngineInfo } from '#protocol/engines.ts';
import type { TextKey } from '../i18n.ts';
import { Icon } from './icons.tsx';
import { Command, Sentence, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

const statusKeys = {
  ready: 'ready',
  not_installed: 'not_installed',
  too_old: 'too_old',
  not_logged_in: 'not_logged_in',
  failed: 'engine_failed',
  unchecked: 'unchecked',
} as const satisfies Record<EngineInfo['status'], TextKey>;

/** What runs inside the companion has nothing to install: it wants a server. */
const statusKey = ({ status, capabilities }: EngineInfo): TextKey =>
  status === 'not_installed' && capabilities.mcp.includes('bridge') ? 'no_server' : statusKeys[status];

/** Working ones first, then those a command would mend, then what is not here at all. */
const order: readonly EngineInfo['status'][] = ['ready', 'not_logged_in', 'too_old', 'failed', 'unchecked', 'not_installed'];

export const byStatus = (one: EngineInfo, other: EngineInfo): number => order.indexOf(one.status) - order.indexOf(other.status);

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
  const { t, actions } = useScene();
  const sorted = engines.toSorted(byStatus);
  return (
    <>
      <ul class="list">
        {sorted.map((engine) => (
          <EngineRow key={engine.name} engine={engine} isCurrent={engine.name === current} onChoose={onChoose} />
        ))}
      </ul>
      <button type="button" class="wide" disabled={isChecking} onClick={() => void actions.refreshEngines()}>
        {isChecking ? <Spinner /> : null}
        {t(isChecking ? 'checking' : 'check_again')}
      </button>
      <button type="button" class="link" onClick={() => void actions.openEngineSetups()}>
        {t('set_up_agents')}
      </button>
    </>
  );
};

/** One that works is chosen by a click; one that does not says what it needs. */
const EngineRow = ({
  engine,
  isCurrent,
  onChoose,
}: {
  engine: EngineInfo;
  isCurrent: boolean;
  onChoose: (name: string) => void;
}): JSX.Element => {
  const canRun = engine.status === 'ready' || engine.status === 'unchecked';
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

/** Its name and how it stands. */
export const EngineLine = ({ engine, isDisabled = false }: { engine: EngineInfo; isDisabled?: boolean }): JSX.Element => {
  const { t } = useScene();
  return (
    <>
      <span class={`dot engine-${isDisabled ? 'unchecked' : engine.status}`} aria-hidden="true" />
      <span class="list-text">
        <span class="list-title">
          {engine.label} <span class="muted">{engine.version ?? ''}</span>
        </span>
        <span class="muted">
          {t(isDisabled ? 'switched_off' : statusKey(engine))}
          {engine.account === undefined || isDisabled ? '' : ` · ${engine.account}`}
          {engine.capabilities.hasShell ? '' : ` · ${t('browser_only')}`}
        </span>
      </span>
    </>
  );
};

/** What is in its way, and the command that mends it. */
export const Missing = ({ engine }: { engine: EngineInfo }): JSX.Element => {
  const { fix, error } = engine;
  // Not every remedy is a command: some are a sentence.
  const isCommand = fix !== undefined && !fix.endsWith('.');
  return (
    <div class="missing">
      {error === undefined || (isCommand && engine.status !== 'failed' && engine.status !== 'too_old') ? null : (
        <p>
          <Sentence text={error.message} />
        </p>
      )}
      {isCommand ? (
        <Command text={fix} />
      ) : (
        <p class="remedy">
          <Sentence text={fix ?? error?.remedy ?? ''} />
        </p>
      )}
    </div>
  );
};
