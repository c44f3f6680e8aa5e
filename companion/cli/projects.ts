import path from 'node:path';
import type { Project } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';
import { projectAt } from './session-flags.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish projects` */
export const projects: Subcommand = {
  name: 'projects',
  summary: 'the projects agents work in',
  usage: [
    '[list | add FOLDER | remove PROJECT] [--json]',
    'PROJECT  its folder, id or name; the folder and the sessions stay',
    '--json   print the projects as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { least: 0, most: 2 });
    const [action = 'list', which] = positionals;
    if (action !== 'list' && action !== 'add' && action !== 'remove') {
      throw unknownAction('projects', action, ['list', 'add', 'remove']);
    }
    if (action !== 'list' && which === undefined) throw new CompanionError('CLI_USAGE', `"projects ${action}" needs a folder.`);
    await io.client.connect({ start: true, signal: io.signal });
    if (action === 'add') await projectAt(io, which ?? '.');
    if (action === 'remove') await io.client.projects.remove((await findProject(io, which ?? '')).id);
    const known = await io.client.projects.list();
    if (values.json === true) io.json({ projects: known });
    else for (const line of known.length > 0 ? known.map(describe) : ['There is no project yet.']) io.print(line);
    return 0;
  },
};

/** The one project that is meant by its id, folder or name. */
export const findProject = async ({ client }: Io, wanted: string): Promise<Project> => {
  const known = await client.projects.list();
  const found = known.filter(({ id, name, rootPath }) => id === wanted || rootPath === path.resolve(wanted) || name === wanted);
  const [only] = found;
  if (only === undefined) throw new CompanionError('PROJECT_NOT_FOUND', `"${wanted}"`, { remedy: 'See them with `pilotfish projects`.' });
  if (found.length > 1)
    throw new CompanionError('CLI_USAGE', `"${wanted}" is ${found.length} projects: ${found.map(({ rootPath }) => rootPath).join(', ')}.`);
  return only;
};

const describe = ({ id, name, rootPath }: Project): string => `${id}  ${name}  ${rootPath}`;
