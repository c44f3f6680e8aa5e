/** Chooses the folder the agent works in, or adds one. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Project } from '#protocol/api.ts';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { toShortPath } from '../text.ts';
import { Icon } from './icons.tsx';
import { ErrorText, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

export const ProjectPicker = ({
  projects,
  current,
  onDone,
}: {
  projects: readonly Project[];
  current: string | null;
  onDone: () => void;
}): JSX.Element => {
  const { actions } = useScene();
  return (
    <>
      {projects.length === 0 ? null : (
        <ul class="list">
          {projects.map((project) => (
            <li key={project.id} class={project.id === current ? 'current' : ''}>
              <button
                type="button"
                class="list-item"
                aria-current={project.id === current}
                title={project.rootPath}
                onClick={() => {
                  void actions.chooseProject(project.id);
                  onDone();
                }}
              >
                <Icon name="folder" />
                <span class="list-text">
                  <span class="list-title">{project.name}</span>
                  <span class="muted">{toShortPath(project.rootPath, 44)}</span>
                </span>
                {project.id === current ? <Icon name="check" /> : null}
              </button>
            </li>
          ))}
        </ul>
      )}
      <AddProject onDone={onDone} />
    </>
  );
};

/** A path typed by hand: the browser cannot tell an extension where a folder lies. */
export const AddProject = ({ onDone }: { onDone: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  const [path, setPath] = useState('');
  const [error, setError] = useState<ErrorBody | null>(null);
  const [isBusy, setBusy] = useState(false);

  const add = async (allowCreate: boolean): Promise<void> => {
    if (path.trim() === '') return;
    setBusy(true);
    setError(null);
    try {
      await actions.addProject(path.trim(), allowCreate);
      onDone();
    } catch (thrown) {
      setError(toErrorBody(thrown));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      class="add-project"
      onSubmit={(event) => {
        event.preventDefault();
        void add(false);
      }}
    >
      <h3>{t('add_project')}</h3>
      <div class="field-row">
        <input
          class="field"
          value={path}
          placeholder="/home/me/project"
          aria-label={t('path')}
          aria-invalid={error !== null}
          spellcheck={false}
          onInput={(event) => {
            setPath(event.currentTarget.value);
            setError(null);
          }}
        />
        <button type="submit" disabled={isBusy || path.trim() === ''}>
          {isBusy ? <Spinner /> : null}
          {t('add')}
        </button>
      </div>
      {error === null ? null : (
        <div class="field-error" role="alert">
          <ErrorText error={error} />
          {error.code === 'WORKSPACE_NOT_FOUND' ? (
            <button type="button" onClick={() => void add(true)}>
              {t('create_folder')}
            </button>
          ) : null}
        </div>
      )}
    </form>
  );
};
