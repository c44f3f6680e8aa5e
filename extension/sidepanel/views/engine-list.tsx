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

/** Working ones first, then those a command would mend, then what is not here at all. */
const order: readonly EngineInfo['status'][] = ['ready', 'not_logged_in', 'too_old', 'failed', 'unchecked', 'not_installed'];

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
  const sorted = engines.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
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
  const { t } = useScene();
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
        <span class={`dot engine-${engine.status}`} aria-hidden="true" />
        <span class="list-text">
          <span class="list-title">
            {engine.label} <span class="muted">{engine.version ?? ''}</span>
          </span>
          <span class="muted">
            {t(statusKeys[engine.status])}
            {engine.account === undefined ? '' : ` · ${engine.account}`}
          </span>
        </span>
        {canRun ? isCurrent ? <Icon name="check" /> : null : <Icon name="chevron" />}
      </button>
      {canRun || !isOpen ? null : <Missing engine={engine} />}
    </li>
  );
};

const Missing = ({ engine }: { engine: EngineInfo }): JSX.Element => {
  const { fix, error } = engine;
  // Not every remedy is a command: some are a sentence.
  const isCommand = fix !== undefined && !fix.endsWith('.');
  return (
    <div class="missing">
      {error === undefined || (isCommand && engine.status !== 'failed') ? null : (
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
