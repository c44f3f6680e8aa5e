/** The agents of this machine, and which of them a project begins with. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { isUsable, labelText } from '#display/engines.ts';
import type { Project, ProjectInput } from '#protocol/api.ts';
import { routes } from '#protocol/routes.ts';
import { Spinner } from '#extension/sidepanel/views/parts.tsx';
import { useScene } from '#extension/sidepanel/views/scene.ts';
import { EngineSetups } from './engine-setup.tsx';
import { Choice, Fault, useLoaded } from './fields.tsx';
import { useSettings } from './scene.ts';

export const Agents = (): JSX.Element => {
  const { t, actions } = useScene();
  const { state, say } = useSettings();
  useEffect(() => void actions.engines.openEngineSetups(), [actions]);
  return (
    <>
      {state.engineSetups === null ? <Spinner /> : <EngineSetups state={state} />}
      <div class="buttons">
        <button type="button" disabled={state.isCheckingEngines} onClick={() => void actions.refreshEngines()}>
          {t(state.isCheckingEngines ? 'checking' : 'check_again')}
        </button>
      </div>
      {(state.projects ?? []).length === 0 ? null : (
        <>
          <h3>{say('projectDefaults')}</h3>
          <p class="muted">{say('projectDefaultsHow')}</p>
          {state.projects?.map((project) => (
            <ProjectDefaults key={project.id} project={project} />
          ))}
        </>
      )}
    </>
  );
};

const ANY = '';

const ProjectDefaults = ({ project }: { project: Project }): JSX.Element => {
  const { t } = useScene();
  const { call, state, say } = useSettings();
  const saved = useLoaded(async () => project);
  const engines = (state.engines ?? []).filter((engine) => isUsable(engine) || engine.name === project.preferredCli);
  const models = engines.find(({ name }) => name === project.preferredCli)?.models ?? [];
  const modes = (engines.find(({ name }) => name === project.preferredCli)?.modes ?? []).filter(({ isDangerous }) => !isDangerous);
  const save = (change: Pick<ProjectInput, 'preferredCli' | 'selectedModel' | 'selectedMode'>): Promise<void> => {
    const { id, name, rootPath } = project;
    return saved.take(async () => (await call(routes.saveProject, { body: { id, name, rootPath, ...change } })).project);
  };
  return (
    <fieldset class="project-defaults">
      <legend title={project.rootPath}>{project.name}</legend>
      <Choice
        label={say('agent')}
        value={project.preferredCli ?? ANY}
        options={[[ANY, say('firstReady')], ...engines.map((engine) => [engine.name, labelText(engine, t)] as const)]}
        // Another agent has other models and modes.
        onChoose={(name) => save({ preferredCli: name === ANY ? null : name, selectedModel: null, selectedMode: null })}
      />
      {models.length === 0 ? null : (
        <Choice
          label={say('model')}
          value={project.selectedModel ?? ANY}
          options={[[ANY, say('itsDefault')], ...models.map(({ modelId, label }) => [modelId, label] as const)]}
          onChoose={(model) => save({ selectedModel: model === ANY ? null : model })}
        />
      )}
      {modes.length === 0 ? null : (
        <Choice
          label={t('mode')}
          value={modes.some(({ modeId }) => modeId === project.selectedMode) ? (project.selectedMode ?? ANY) : ANY}
          options={[[ANY, say('itsDefault')], ...modes.map((mode) => [mode.modeId, labelText(mode, t)] as const)]}
          onChoose={(mode) => save({ selectedMode: mode === ANY ? null : mode })}
        />
      )}
      <Fault error={saved.error} />
    </fieldset>
  );
};
