/** Opens a project on the person's desktop: in a terminal, in an editor, a file at a line. Only for the person, never for an agent. */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { routes } from '#protocol/routes.ts';
import { isInside } from '#companion/lib/inside.ts';
import { checkWorkspace } from '#companion/projects/workspace.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import { findProject, folderOfSummary } from './find.ts';

type Names = 'pickDirectory' | 'openProject' | 'openSession' | 'openFile';

export const openHandlers = (deps: ServerDeps): Pick<Handlers<typeof routes>, Names> => {
  const { desktop, settings, paths } = deps;
  /** The folder as it is now: it may have been replaced by a link since the project was made. */
  const folderNow = async (found: string): Promise<string> => {
    const allowedRoots = [...settings.current().allowedRoots, paths.defaultWorkspace, paths.worktreesDir];
    return checkWorkspace(found, { allowedRoots, allowCreate: false });
  };
  const open = async (found: string, target: 'vscode' | 'editor' | 'terminal'): Promise<{ success: true }> => {
    const folder = await folderNow(found);
    if (target === 'terminal') await desktop.openTerminal(folder);
    else await desktop.openEditor({ file: folder }, folder);
    return { success: true };
  };
  return {
    pickDirectory: async (_, { gone }) => {
      try {
        const chosen = await desktop.chooseFolder(gone());
        return chosen === null ? { success: false, cancelled: true } : { success: true, path: chosen };
      } catch (thrown) {
        const { code, message, remedy, says } = toErrorBody(thrown);
        if (code !== 'DESKTOP_FAILED') throw thrown;
        return { success: false, cancelled: false, error: message, code, remedy, says };
      }
    },
    openProject: ({ params, body }) => open(findProject(deps, params.projectId).rootPath, body.target),
    openSession: async ({ params, body: { target, filePath, line } }) => {
      const found = await folderOfSummary(deps, deps.sessions.summary(params.sessionId));
      if (filePath === undefined) return open(found, target);
      const folder = await folderNow(found);
      await desktop.openEditor({ file: await fileIn(folder, filePath), line }, folder);
      return { success: true };
    },
    openFile: async ({ params, body: { filePath, line, column } }) => {
      const folder = await folderNow(findProject(deps, params.projectId).rootPath);
      const file = await fileIn(folder, filePath);
      await desktop.openEditor({ file, line, column: line === undefined ? undefined : column }, folder);
      return { success: true };
    },
  };
};

/** The real path of a file in a folder. Whether there is something outside the folder is not told. */
const fileIn = async (folder: string, filePath: string): Promise<string> => {
  const wanted = path.resolve(folder, filePath);
  const real = isInside(folder, wanted) ? await realpath(wanted).catch(() => null) : null;
  if (real === null || !isInside(folder, real)) throw new CompanionError('FILE_NOT_FOUND', explain('not_of_project', { file: filePath }));
  if (!(await stat(real)).isFile()) throw new CompanionError('FILE_NOT_FOUND', explain('is_folder', { file: filePath }));
  return real;
};
