/** Where agents may work: real folders inside the allowed roots, whatever links and dots the given path has. */
import { access, constants, realpath, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { isInside } from '#companion/lib/inside.ts';
import { makeDir } from '#companion/lib/make-dir.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';

/** The real path of a project's folder, or why agents may not work there. `allowedRoots` come on top of the home and temporary folders. */
export const checkWorkspace = async (
  rootPath: string,
  options: { readonly allowedRoots: readonly string[]; readonly allowCreate: boolean },
): Promise<string> => {
  const wanted = toAbsolute(rootPath);
  const found = await realOrNull(wanted);
  if (found !== null) return checkFolder(found, wanted, options.allowedRoots);
  if (!options.allowCreate) throw new CompanionError('WORKSPACE_NOT_FOUND', wanted);
  await checkNewWorkspace(rootPath, options.allowedRoots);
  try {
    makeDir(wanted, 0o777);
  } catch (error) {
    throw notMade(wanted, path.dirname(wanted), error);
  }
  // It is checked again, because a link may have been put there meanwhile.
  return checkFolder(await realpath(wanted), wanted, options.allowedRoots);
};

/** Throws when a folder may not be made there. Nothing is made before the parent folder is known to be allowed. */
export const checkNewWorkspace = async (rootPath: string, allowedRoots: readonly string[]): Promise<void> => {
  const wanted = toAbsolute(rootPath);
  const parent = await nearestExisting(path.dirname(wanted));
  // Whatever is made there belongs to this user.
  if (parent === (await realOrNull(tmpdir()))) return;
  await checkFolder(parent, wanted, allowedRoots);
  await access(parent, constants.W_OK).catch((error: unknown) => {
    throw notMade(wanted, parent, error);
  });
};

const notMade = (wanted: string, parent: string, cause: unknown): CompanionError =>
  new CompanionError('WORKSPACE_NOT_FOUND', explain('folder_not_made', { folder: wanted }), {
    cause,
    remedy: explain('choose_or_check_folder', { folder: parent }),
  });

const toAbsolute = (given: string): string => {
  if (given.includes('\0')) throw new CompanionError('INPUT_INVALID', explain('nul_in_path'));
  const expanded = given === '~' || given.startsWith('~/') ? path.join(homedir(), given.slice(1)) : given;
  if (!path.isAbsolute(expanded)) throw new CompanionError('INPUT_INVALID', explain('not_absolute', { path: JSON.stringify(given) }));
  return path.resolve(expanded);
};

const checkFolder = async (real: string, wanted: string, allowedRoots: readonly string[]): Promise<string> => {
  const found = await stat(real);
  if (!found.isDirectory()) throw new CompanionError('WORKSPACE_NOT_A_DIRECTORY', wanted);
  for (const root of [homedir(), ...allowedRoots]) {
    const realRoot = await realOrNull(root);
    if (realRoot !== null && isInside(realRoot, real)) return real;
  }
  const temporary = await realOrNull(tmpdir());
  // The temporary folder is shared: only what this user made there counts as the user's.
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  if (temporary !== null && real !== temporary && isInside(temporary, real) && isOurs) return real;
  throw new CompanionError('WORKSPACE_OUTSIDE_ROOTS', real === wanted ? wanted : explain('leads_to', { folder: wanted, place: real }), {
    remedy: explain('allow_folder', { command: `pilotfish roots add ${JSON.stringify(real)}` }),
  });
};

const nearestExisting = async (folder: string): Promise<string> => {
  const real = await realOrNull(folder);
  if (real !== null) return real;
  const parent = path.dirname(folder);
  if (parent === folder) throw new CompanionError('WORKSPACE_NOT_FOUND', folder);
  return nearestExisting(parent);
};

const realOrNull = async (file: string): Promise<string | null> => {
  try {
    return await realpath(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw new CompanionError('WORKSPACE_NOT_FOUND', explain('not_reachable', { file }), { cause: error });
  }
};
