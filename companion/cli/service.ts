import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';
import { stopDaemon } from './stop.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish service` */
export const service: Subcommand = {
  name: 'service',
  summary: 'start the daemon with your login, so that it is there before the browser is',
  usage: [
    'install|status|remove [--linger] [--json]',
    'install   from your next login on, and now; a daemon that runs makes room for it',
    'status    whether it is installed and runs; the exit code is 1 when it does not run',
    'remove    as before: a daemon is started when it is wanted, and ends when it is not',
    '--linger  it stays when you log out, where the system allows it',
    '--json    print the report as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(
      args,
      { linger: { type: 'boolean' }, json: { type: 'boolean' } },
      { needs: 'install, status or remove', most: 1 },
    );
    const [action = ''] = positionals;
    const isJson = values.json === true;
    if (values.linger === true && action !== 'install') throw new CompanionError('CLI_USAGE', '--linger belongs to "service install".');
    if (action === 'install') return install(io, values.linger === true, isJson);
    if (action === 'status') return status(io, isJson);
    if (action === 'remove') return remove(io, isJson);
    throw unknownAction('service', action, ['install', 'status', 'remove']);
  },
};

const install = async (io: Io, lingers: boolean, isJson: boolean): Promise<number> => {
  const report = io.installer.service.install({ lingers });
  // Two daemons never run: the one of before makes room, and the one of the service has the place.
  const wasRunning = report.notes.length === 0 && (await stopDaemon(io));
  const notes = [...report.notes, ...(report.notes.length === 0 ? io.installer.service.start() : [])];
  const isStarted = notes.length === 0;
  if (isJson) io.json({ ...report, notes, isStarted, wasRunning });
  else {
    io.print(`${report.file} is ${report.state === 'written' ? 'written' : 'there already'}.`);
    for (const note of notes) io.note(note);
    io.print(
      isStarted ? 'The daemon runs as a service of your login.' : 'It could not be started as a service; one is started when it is wanted.',
    );
  }
  return isStarted ? 0 : 1;
};

const status = (io: Io, isJson: boolean): number => {
  const found = io.installer.service.status();
  if (isJson) io.json(found);
  else if (!found.isInstalled) io.print('It is not installed: `pilotfish service install`.');
  else io.print(`${found.isRunning ? 'It runs' : 'It is installed and does not run'}: ${found.file}`);
  return found.isRunning ? 0 : 1;
};

const remove = (io: Io, isJson: boolean): number => {
  const removed = io.installer.service.remove();
  if (isJson) io.json({ removed });
  else io.print(removed.length === 0 ? 'There was none.' : `Removed ${removed.join(', ')}`);
  return 0;
};
