import path from 'node:path';
import { toMoment } from '#display/amounts.ts';
import { projectUse } from '#display/projects.ts';
import { inLanguage, words } from '#display/words.ts';
import type { Project, SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { countsOf } from '#protocol/project-counts.ts';
import { readToolSets, TOOL_SETS, type ToolSet } from '#protocol/tool-sets.ts';
import type { Io } from './io.ts';
import { assertFolder, projectAt } from './session-flags.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

const english = inLanguage(words, 'en');

/** `pilotfish projects` */
export const projects: Subcommand = {
  name: 'projects',
  summary: 'the projects agents work in',
  usage: [
    '[list | add FOLDER | remove PROJECT | rename PROJECT NAME | move PROJECT FOLDER | tools PROJECT SETS] [--json]',
    'PROJECT  its folder, id or name; to remove it leaves the folder and the sessions',
    'NAME     what it is called from now on',
    'FOLDER   where it lies, or has been moved to',
    `SETS     the sets of browser tools that its agents get, with commas: ${TOOL_SETS.join(', ')}`,
    '--json   print the projects as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { most: 3 });
    const [action = 'list', which, change] = positionals;
    if (!ACTIONS.includes(action)) {
      throw unknownAction('projects', action, ACTIONS);
    }
    const secondOf = CHANGES.get(action);
    if (secondOf === undefined && change !== undefined) throw new CompanionError('CLI_USAGE', `"projects ${action}" takes no "${change}".`);
    if (secondOf !== undefined && change === undefined) {
      throw new CompanionError('CLI_USAGE', `"projects ${action}" needs a project and ${secondOf}.`);
    }
    const toolSets = action === 'tools' ? readToolSets(change ?? '', 'CLI_USAGE') : [];
    if (action !== 'list' && which === undefined) throw new CompanionError('CLI_USAGE', `"projects ${action}" needs a folder.`);
    await io.client.connect({ start: true, signal: io.signal });
    if (action === 'add') await projectAt(io, which ?? '.');
    if (action === 'tools') await changeProject(io, which ?? '', { toolSets });
    if (action === 'rename') await changeProject(io, which ?? '', { name: change ?? '' });
    if (action === 'move') await changeProject(io, which ?? '', { rootPath: path.resolve(change ?? '') });
    if (action === 'remove') await io.client.projects.remove((await findProject(io, which ?? '')).id);
    const [known, sessions] = await Promise.all([io.client.projects.list(), io.client.sessions.list()]);
    if (values.json === true) io.json({ projects: known.map((project) => ({ ...project, ...countsOf(project.id, sessions) })) });
    else if (known.length === 0) io.print('There is no project yet.');
    else for (const project of known) io.line(describe(project, sessions));
    return 0;
  },
};

/** What changes a project, and what it needs beside the project. */
const CHANGES: ReadonlyMap<string, string> = new Map([
  ['tools', 'sets'],
  ['rename', 'a name'],
  ['move', 'a folder'],
]);

const ACTIONS = ['list', 'add', 'remove', ...CHANGES.keys()];

const changeProject = async (
  io: Io,
  which: string,
  change: { readonly name?: string; readonly rootPath?: string; readonly toolSets?: readonly ToolSet[] },
): Promise<void> => {
  const { id, name, rootPath } = await findProject(io, which);
  const { toolSets, ...rest } = change;
  await io.client.projects.save({ id, name, rootPath, ...rest, ...(toolSets === undefined ? {} : { toolSets: [...toolSets] }) });
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

const describe = (project: Project, sessions: readonly SessionSummary[]): string => {
  const { id, name, rootPath, toolSets = [] } = project;
  const use = projectUse(english, project, sessions, (date) => toMoment(date.getTime(), Date.now()));
  return [id, name, rootPath, use, ...(toolSets.length === 0 ? [] : [`tools: ${toolSets.join()}`])].join('  ');
};
