import { counted } from '#protocol/counted.ts';
import type { AttachmentCount, AttachmentStats } from '#protocol/attachments.ts';
import { CompanionError } from '#protocol/errors.ts';
import { findProject } from './projects.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish attachments` */
export const attachments: Subcommand = {
  name: 'attachments',
  summary: 'what is kept of attached files and pictures, and clearing it away',
  usage: [
    '[list | remove PROJECT | remove --all] [--json]',
    'PROJECT  its folder, id or name, or the id of one that was forgotten; the conversations stay',
    '--all    those of all projects',
    '--json   print what is kept or was removed as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { all: { type: 'boolean' }, json: { type: 'boolean' } }, { most: 2 });
    const [action = 'list', wanted] = positionals;
    if (action !== 'list' && action !== 'remove') {
      throw unknownAction('attachments', action, ['list', 'remove']);
    }
    if (action === 'remove' && (wanted === undefined) !== (values.all === true)) {
      throw new CompanionError('CLI_USAGE', '"attachments remove" needs a project or --all.');
    }
    await io.client.connect({ start: true, signal: io.signal });
    const stats = await io.client.attachments.stats();
    if (action === 'list') {
      if (values.json === true) io.json(stats);
      else for (const line of describe(stats)) io.print(line);
      return 0;
    }
    const forgotten = stats.projects.find(({ projectId }) => projectId === wanted);
    const projectId = wanted === undefined ? undefined : (forgotten?.projectId ?? (await findProject(io, wanted)).id);
    const removed = await io.client.attachments.remove(projectId === undefined ? undefined : [projectId]);
    if (values.json === true) io.json(removed);
    else io.print(`Removed ${counted(removed.removedFiles, 'file')}, ${toMib(removed.removedBytes)}.`);
    return 0;
  },
};

const describe = ({ projects, totalFiles, totalBytes, limitBytes }: AttachmentStats): string[] => [
  ...projects.map(describeProject),
  `${counted(totalFiles, 'file')}, ${toMib(totalBytes)} of ${toMib(limitBytes)}`,
];

const describeProject = ({ projectId, projectName, existsInDb, fileCount, totalBytes }: AttachmentCount): string => {
  const name = projectName ?? (projectId === '' ? 'no project' : existsInDb ? projectId : `${projectId} (forgotten)`);
  return `${name}  ${counted(fileCount, 'file')}  ${toMib(totalBytes)}`;
};

const toMib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
