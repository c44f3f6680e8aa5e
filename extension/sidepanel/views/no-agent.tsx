/** Stands in the place of a conversation while no agent can answer: the one that is nearest to it, and what to do. */
import type { JSX } from 'preact';
import { offerAgents } from '#display/engines.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CheckAgain, EngineLine, Missing } from './engine-list.tsx';
import { Mark } from './icons.tsx';
import { useScene } from './scene.ts';

export const NoAgent = ({ engines, isChecking }: { engines: readonly EngineInfo[]; isChecking: boolean }): JSX.Element => {
  const { t } = useScene();
  const { best, local, rest } = offerAgents(engines);
  return (
    <main class="page">
      <Mark />
      <h1>{t('no_engine')}</h1>
      <p class="muted">{t('no_engine_hint')}</p>
      {best === null ? null : <Offer engine={best} />}
      {local === null ? null : (
        <>
          <p class="muted">{t('or_local')}</p>
          <Offer engine={local} />
        </>
      )}
      {rest.length === 0 ? null : (
        <details class="more-agents">
          <summary>{t('more_agents', { count: rest.length })}</summary>
          {rest.map((engine) => (
            <Offer key={engine.name} engine={engine} />
          ))}
        </details>
      )}
      <CheckAgain isChecking={isChecking} />
    </main>
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
