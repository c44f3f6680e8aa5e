/** Chooses the folder the agent works in, or adds one. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { projectUse } from '#display/projects.ts';
import type { Project } from '#protocol/api.ts';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { toShortPath, toWhen } from '../text.ts';
import { Icon } from './icons.tsx';
import { ErrorText, Spinner } from './parts.tsx';
import { closeByEscape, MoreButton, Rename } from './row-menu.tsx';
import { useScene } from './scene.ts';

export const ProjectPicker = ({ current, onDone }: { current: string | null; onDone: () => void }): JSX.Element => {
  const { projects } = useScene().state;
  return (
    <>
      {projects === null || projects.length === 0 ? null : (
        <ul class="list">
          {projects.map((project) => (
            <ProjectRow key={project.id} project={project} isCurrent={project.id === current} onDone={onDone} />
          ))}
        </ul>
      )}
      <AddProject onDone={onDone} />
    </>
  );
};

const ProjectRow = ({ project, isCurrent, onDone }: { project: Project; isCurrent: boolean; onDone: () => void }): JSX.Element => {
  const { t, actions, state } = useScene();
  const [editing, setEditing] = useState<'menu' | 'rename' | 'forget' | null>(null);
  return (
    <li onKeyDown={editing === null ? undefined : closeByEscape(() => setEditing(null))} class={isCurrent ? 'current' : ''}>
      <div class="list-row">
        <button
          type="button"
          class="list-item"
          aria-current={isCurrent}
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
            <span class="muted">{projectUse(t, project, state.sessions ?? [], toWhen)}</span>
          </span>
          {isCurrent ? <Icon name="check" /> : null}
        </button>
        <MoreButton name={project.name} isOpen={editing !== null} onPress={() => setEditing(editing === null ? 'menu' : null)} />
      </div>
      {editing === 'menu' ? (
        <div class="buttons row-menu">
          <button type="button" onClick={() => setEditing('rename')}>
            {t('rename')}
          </button>
          <button type="button" class="option-danger" onClick={() => setEditing('forget')}>
            {t('remove_key')}
          </button>
        </div>
      ) : null}
      {editing === 'rename' ? (
        <Rename
          name={project.name}
          maxLength={200}
          onRename={(next) => void actions.renameProject(project, next)}
          onDone={() => setEditing(null)}
        />
      ) : null}
      {editing === 'forget' ? (
        <div class="row-menu" role="alertdialog" aria-label={project.name}>
          <p>{t('forget_project', { name: project.name })}</p>
          <div class="buttons">
            <button type="button" class="option-danger" onClick={() => void actions.forgetProject(project.id)}>
              {t('remove_key')}
            </button>
            <button type="button" onClick={() => setEditing(null)}>
              {t('cancel')}
            </button>
          </div>
        </div>
      ) : null}
    </li>
  );
};

export const AddProject = ({ onDone }: { onDone: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <FolderForm
      title={t('add_project')}
      submit={t('add')}
      onFolder={async (path, allowCreate) => {
        await actions.addProject(path, allowCreate);
        onDone();
      }}
    />
  );
};

/** A folder, chosen in the dialog of the system, or typed by hand: the browser cannot tell an extension where a folder lies. */
export const FolderForm = ({
  title,
  submit,
  initial = '',
  onFolder,
}: {
  title: string;
  submit: string;
  initial?: string;
  /** What it rejects with is shown in the form. */
  onFolder: (path: string, allowCreate: boolean) => Promise<void>;
}): JSX.Element => {
  const { t, actions } = useScene();
  const [path, setPath] = useState(initial);
  const [error, setError] = useState<ErrorBody | null>(null);
  const [isBusy, setBusy] = useState(false);
  /** What is being typed, until it is taken. */
  const [typed, setTyped] = useState('');
  const type = (text: string): void => {
    setPath(text);
    setTyped(text);
    setError(null);
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setTyped('');
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (thrown) {
      setError(toErrorBody(thrown));
    } finally {
      setBusy(false);
    }
  };
  const take = (allowCreate: boolean): Promise<void> => attempt(() => onFolder(path.trim(), allowCreate));
  const choose = (): Promise<void> =>
    attempt(async () => {
      const picked = await actions.pickFolder();
      if (picked === null) return;
      setPath(picked);
      await onFolder(picked, false);
    });
  return (
    <form
      class="add-project"
      onSubmit={(event) => {
        event.preventDefault();
        if (path.trim() !== '') void take(false);
      }}
    >
      <h3>{title}</h3>
      <div class="field-row">
        <input
          class="field"
          value={path}
          placeholder="/home/me/project"
          aria-label={t('path')}
          aria-invalid={error !== null}
          spellcheck={false}
          onInput={(event) => type(event.currentTarget.value)}
        />
        <button type="submit" disabled={isBusy || path.trim() === ''}>
          {isBusy ? <Spinner /> : null}
          {submit}
        </button>
      </div>
      <Offered typed={typed} onChoose={(folder) => type(`${folder}/`)} />
      <button type="button" disabled={isBusy} onClick={() => void choose()}>
        <Icon name="folder" />
        {t('browse_folders')}
      </button>
      {error === null ? null : <WrongFolder error={error} onCreate={() => void take(true)} />}
    </form>
  );
};

const WrongFolder = ({ error, onCreate }: { error: ErrorBody; onCreate: () => void }): JSX.Element => {
  const { t } = useScene();
  return (
    <div class="field-error" role="alert">
      <ErrorText error={error} />
      {error.code === 'WORKSPACE_NOT_FOUND' ? (
        <button type="button" onClick={onCreate}>
          {t('create_folder')}
        </button>
      ) : null}
    </div>
  );
};

/** So many folders are offered below what is typed. */
const OFFERED = 6;
const NONE: readonly string[] = [];

/** The folders that go on from what is being typed. */
const Offered = ({ typed, onChoose }: { typed: string; onChoose: (folder: string) => void }): JSX.Element | null => {
  const { actions } = useScene();
  const [folders, setFolders] = useState(NONE);
  useEffect(() => {
    if (!/[/\\]/.test(typed)) {
      setFolders(NONE);
      return undefined;
    }
    let isWanted = true;
    void actions.foldersLike(typed).then((found) => {
      if (isWanted) setFolders(found.filter((folder) => folder !== typed).slice(0, OFFERED));
    });
    return () => {
      isWanted = false;
    };
  }, [typed, actions]);
  if (folders.length === 0) return null;
  return (
    <ul class="list">
      {folders.map((folder) => (
        <li key={folder}>
          <button type="button" class="list-item" title={folder} onClick={() => onChoose(folder)}>
            <Icon name="folder" />
            <span class="list-text">{toShortPath(folder, 44)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
};
