/** What is done with projects: a folder is added, typed with completion or chosen in the dialog of the system; one is renamed, moved, forgotten. */
import type { Project } from '#protocol/api.ts';
import { draftOf } from '../editing.ts';
import { selectedKey } from '../rows.ts';
import { say, t } from '../say.ts';
import { cleanLine } from '../text.ts';
import { outcome, type FolderPurpose, type Outcome, type Overlay, type TuiState } from '../state.ts';

type Input = Extract<Overlay, { type: 'input' }>;

/** Asks for the folder of a new project. */
export const openProjectInput = (state: TuiState): Outcome =>
  outcome({ ...state, overlay: { type: 'input', purpose: 'project', title: t('Folder of the new project'), draft: draftOf('') } });

/** Asks for another name of the selected project. */
export const renameProject = (state: TuiState): Outcome => {
  const project = chosen(state);
  if (project === undefined) return outcome(state);
  const title = t('Name of the project');
  return outcome({ ...state, overlay: { type: 'input', purpose: 'project.rename', title, draft: draftOf(project.name), project } });
};

/** Asks where the folder of the selected project is now. */
export const moveProject = (state: TuiState): Outcome => askWhere(state, chosen(state));

/** Asks where the folder of the shown session's project is now. */
export const moveOwnProject = (state: TuiState): Outcome =>
  askWhere(
    state,
    state.projects.find(({ id }) => id === state.session?.projectId),
  );

const askWhere = (state: TuiState, project: Project | undefined): Outcome => {
  if (project === undefined) return outcome(state);
  const title = say('project_moved', { name: cleanLine(project.name) });
  return outcome({ ...state, overlay: { type: 'input', purpose: 'project.move', title, draft: draftOf(project.rootPath), project } });
};

/** Asks before a project is forgotten. */
export const askToForget = (state: TuiState): Outcome => {
  const project = chosen(state);
  if (project === undefined) return outcome(state);
  return outcome({
    ...state,
    overlay: {
      type: 'confirm',
      text: say('forget_project', { name: cleanLine(project.name) }),
      effect: { type: 'project.remove', projectId: project.id },
    },
  });
};

const chosen = (state: TuiState): Project | undefined => state.projects.find(({ id }) => id === selectedKey(state, 'projects'));

/** Why no folder can be completed or chosen in the input. */
export const folderDisabled = ({ overlay }: TuiState): string | null =>
  overlay?.type === 'input' && isForFolder(overlay) ? null : t('This is no path of a folder.');

const isForFolder = (input: Input): input is Input & { purpose: FolderPurpose } =>
  input.purpose === 'project' || input.purpose === 'project.move';

/** Asks for the folders that go on from what is typed. */
export const completeFolder = (state: TuiState): Outcome =>
  state.overlay?.type === 'input' && isForFolder(state.overlay)
    ? outcome(state, { type: 'folders.read', typed: state.overlay.draft.text })
    : outcome(state);

/** Opens the dialog of the system. */
export const pickFolder = (state: TuiState): Outcome =>
  state.overlay?.type === 'input' && isForFolder(state.overlay) ? outcome(state, { type: 'folder.pick' }) : outcome(state);

/** What was typed goes on as far as all folders agree; a single one is entered. What was typed meanwhile stays. */
export const takeFolders = (state: TuiState, typed: string, folders: readonly string[]): TuiState => {
  const { overlay } = state;
  const [first] = folders;
  if (overlay?.type !== 'input' || !isForFolder(overlay) || overlay.draft.text !== typed) return state;
  if (first === undefined) return { ...state, notice: { level: 'info', text: t('No folder there begins like that.'), remedy: null } };
  const common = folders.reduce(sharedBeginning);
  const text = folders.length === 1 ? `${first}/` : common;
  const names = folders.map((folder) => cleanLine(folder.slice(folder.lastIndexOf('/') + 1)));
  const notice = folders.length === 1 ? null : ({ level: 'info', text: names.join('  '), remedy: null } as const);
  return { ...state, overlay: { ...overlay, draft: draftOf(text) }, notice };
};

/** The folder that was chosen in the dialog. */
export const takeFolder = (state: TuiState, folder: string): TuiState =>
  state.overlay?.type === 'input' && isForFolder(state.overlay)
    ? { ...state, overlay: { ...state.overlay, draft: draftOf(folder) } }
    : state;

const sharedBeginning = (one: string, other: string): string => {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
};
