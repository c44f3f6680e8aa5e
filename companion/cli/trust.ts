import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { TrustedProject } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish trust` */
export const trust: Subcommand = {
  name: 'trust',
  summary: 'the projects whose own files may start programs, and taking that back',
  usage: ['list | revoke FOLDER [--json]', '--json  print the projects as JSON'],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { most: 2 });
    const [action = 'list', folder] = positionals;
    if (action !== 'list' && action !== 'revoke') {
      throw unknownAction('trust', action, ['list', 'revoke'], ' Trust is given on the card.');
    }
    if (action === 'revoke' && folder === undefined) throw new CompanionError('CLI_USAGE', '"trust revoke" needs a folder.');
    if (action === 'list' && folder !== undefined) throw new CompanionError('CLI_USAGE', '"trust list" takes no folder.');
    await io.client.connect({ start: true, signal: io.signal });
    let projects = await io.client.trusted.list();
    if (folder !== undefined) {
      const names = [path.resolve(folder), realOf(folder)];
      const found = projects.find((project) => names.includes(project.path));
      if (found === undefined) throw new CompanionError('INPUT_INVALID', `${path.resolve(folder)} is not a trusted project.`);
      projects = await io.client.trusted.revoke(found.path);
    }
    if (values.json === true) io.json({ projects });
    else for (const line of projects.length > 0 ? projects.map(describe) : ['No project is trusted.']) io.line(line);
    return 0;
  },
};

/** Trust is kept by real path; of a folder that was removed only the name is known. */
const realOf = (folder: string): string => {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
};

const describe = ({ path: folder, trustedAt, files }: TrustedProject): string => [folder, trustedAt, files.join(', ')].join('  ');
