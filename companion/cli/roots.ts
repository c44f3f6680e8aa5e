import path from 'node:path';
import { CompanionError } from '#protocol/errors.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish roots` */
export const roots: Subcommand = {
  name: 'roots',
  summary: 'the folders agents may work in, beside the home folder',
  usage: ['list | add FOLDER | remove FOLDER [--json]', '--json  print the folders as JSON'],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { most: 2 });
    const [action = 'list', folder] = positionals;
    await io.client.connect({ start: true, signal: io.signal });
    const folders = await change(io.client.roots, action, folder);
    if (values.json === true) io.json({ roots: folders });
    else for (const line of folders.length > 0 ? folders : ['No folder beside the home folder.']) io.line(line);
    return 0;
  },
};

const change = async (
  door: { list(): Promise<string[]>; add(path: string): Promise<string[]>; remove(path: string): Promise<string[]> },
  action: string,
  folder: string | undefined,
): Promise<string[]> => {
  if (action === 'list' && folder === undefined) return door.list();
  if (action !== 'add' && action !== 'remove') throw unknownAction('roots', action, ['list', 'add', 'remove']);
  if (folder === undefined) throw new CompanionError('CLI_USAGE', `"roots ${action}" needs a folder.`);
  const place = path.resolve(folder);
  if (action === 'remove' && !(await door.list()).includes(place)) {
    throw new CompanionError('CLI_USAGE', `${place} is none of these folders.`, { remedy: 'See them with `pilotfish roots`.' });
  }
  return door[action](place);
};
