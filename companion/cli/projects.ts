import path from 'node:path';
import type { Project } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { readToolSets, TOOL_SETS, type ToolSet } from '#protocol/tool-sets.ts';
import type { Io } from './io.ts';
import { assertFolder, projectAt } from './session-flags.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish projects` */
export const projects: Subcommand = {
  name: 'projects',
  summary: 'the projects agents work in',
  usage: [
    '[list | add FOLDER | remove PROJECT | tools PROJECT SETS] [--json]',
    'PROJECT  its folder, id or name; the folder and the sessions stay',
    `SETS     the sets of browser tools that its agents get, with commas: ${TOOL_SETS.join(', ')}`,
    '--json   print the projects as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { least: 0, most: 3 });
    const [action = 'list', which, sets] = positionals;
    if (!ACTIONS.includes(action)) {
      throw unknownAction('projects', action, ACTIONS);
    }
    if (action !== 'tools' && sets !== undefined) throw new CompanionError('CLI_USAGE', `"projects ${action}" takes no "${sets}".`);
    if (action === 'tools' && sets === undefined) throw new CompanionError('CLI_USAGE', '"projects tools" needs a project and sets.');
    const toolSets = sets === undefined ? [] : readToolSets(sets, 'CLI_USAGE');
    if (action !== 'list' && which === undefined) throw new CompanionError('CLI_USAGE', `"projects ${action}" needs a folder.`);
    await io.client.connect({ start: true, signal: io.signal });
    if (action === 'add') await projectAt(io, which ?? '.');
    if (action === 'tools') await giveTools(io, which ?? '', toolSets);
    if (action === 'remove') await io.client.projects.remove((await findProject(io, which ?? '')).id);
    const known = await io.client.projects.list();
    if (values.json === true) io.json({ projects: known });
    else for (const line of known.length > 0 ? known.map(describe) : ['There is no project yet.']) io.print(line);
    return 0;
  },
};

const ACTIONS = ['list', 'add', 'remove', 'tools'];

const giveTools = async (io: Io, which: string, toolSets: readonly ToolSet[]): Promise<void> => {
  const { id, name, rootPath } = await findProject(io, which);
  await io.client.projects.save({ id, name, rootPath, toolSets: [...toolSets] });
};

/** The one project that is meant by its id, folder or name. */
export const findProject = async ({ client }: Io, wanted: string): Promise<Project> => {
  assertFolder(wanted);
  const known = await client.projects.list();
  const found = known.filter(({ id, name, rootPath }) => id === wanted || rootPath === path.resolve(wanted) || name === wanted);
  const [only] = found;
  if (only === undefined) throw new CompanionError('PROJECT_NOT_FOUND', `"${wanted}"`, { remedy: 'See them with `pilotfish projects`.' });
  if (found.length > 1)
    throw new CompanionError('CLI_USAGE', `"${wanted}" is ${found.length} projects: ${found.map(({ rootPath }) => rootPath).join(', ')}.`);
  return only;
};

const describe = ({ id, name, rootPath, toolSets = [] }: Project): string =>
  [id, name, rootPath, ...(toolSets.length === 0 ? [] : [`tools: ${toolSets.join()}`])].join('  ');
