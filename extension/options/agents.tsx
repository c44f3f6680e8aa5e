/** The agents of this machine, and which of them a project begins with. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { isUsable } from '#display/engines.ts';
import type { Project } from '#protocol/api.ts';
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
  const { call, state, say } = useSettings();
  const saved = useLoaded(async () => project);
  const engines = (state.engines ?? []).filter((engine) => isUsable(engine) || engine.name === project.preferredCli);
  const models = engines.find(({ name }) => name === project.preferredCli)?.models ?? [];
  const save = (change: { preferredCli?: string; selectedModel?: string }): void => {
    const { id, name, rootPath } = project;
    saved.take(call(routes.saveProject, { body: { id, name, rootPath, ...change } }).then((answer) => answer.project));
  };
  return (
    <fieldset class="project-defaults">
      <legend title={project.rootPath}>{project.name}</legend>
      <Choice
        label={say('agent')}
        value={project.preferredCli ?? ANY}
        options={[
          ...(project.preferredCli === undefined ? [[ANY, say('firstReady')] as const] : []),
          ...engines.map(({ name, label }) => [name, label] as const),
        ]}
        onChoose={(preferredCli) => save({ preferredCli })}
      />
      {models.length === 0 ? null : (
        <Choice
          label={say('model')}
          value={project.selectedModel ?? ANY}
          options={[
            ...(project.selectedModel === undefined ? [[ANY, say('itsDefault')] as const] : []),
            ...models.map(({ modelId, label }) => [modelId, label] as const),
          ]}
          onChoose={(selectedModel) => save({ selectedModel })}
        />
      )}
      <Fault error={saved.error} />
    </fieldset>
  );
};
