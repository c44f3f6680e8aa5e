/** The agents of this machine: which work, and what the others still need. */
import type { JSX } from 'preact';
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
  const sorted = engines.toSorted((one, other) => Number(other.status === 'ready') - Number(one.status === 'ready'));
  return (
    <>
      <ul class="list">
        {sorted.map((engine) => (
          <li key={engine.name} class={engine.name === current ? 'current' : ''}>
            <button type="button" class="list-item" aria-current={engine.name === current} onClick={() => onChoose(engine.name)}>
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
              {engine.name === current ? <Icon name="check" /> : null}
            </button>
            {engine.status === 'ready' || engine.status === 'unchecked' ? null : <Missing engine={engine} />}
          </li>
        ))}
      </ul>
      <button type="button" class="wide" disabled={isChecking} onClick={() => void actions.refreshEngines()}>
        {isChecking ? <Spinner /> : null}
        {t(isChecking ? 'checking' : 'check_again')}
      </button>
    </>
  );
};

const Missing = ({ engine }: { engine: EngineInfo }): JSX.Element => (
  <div class="missing">
    {engine.error === undefined ? null : (
      <p>
        <Sentence text={engine.error.message} />
      </p>
    )}
    {engine.fix === undefined ? (
      engine.error === undefined ? null : (
        <p class="remedy">
          <Sentence text={engine.error.remedy} />
        </p>
      )
    ) : (
      <Command text={engine.fix} />
    )}
  </div>
);
