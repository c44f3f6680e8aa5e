import { stopDaemon } from './stop.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish uninstall` */
export const uninstall: Subcommand = {
  name: 'uninstall',
  summary: 'remove everything install made; history and settings stay unless --purge',
  usage: [
    '[--purge] [--json]',
    "--purge  remove history and settings too; projects and keys in the system's keychain stay",
    '--json   print the report as JSON',
  ],
  run: async (args, io) => {
    const { values } = readArgs(args, { purge: { type: 'boolean' }, json: { type: 'boolean' } });
    const wasRunning = await stopDaemon(io);
    const report = io.installer.uninstall({ purge: values.purge === true });
    if (values.json === true) {
      io.json({ ...report, wasRunning });
    } else {
      if (wasRunning) io.print('Stopped the daemon');
      for (const place of report.removed) io.print(`Removed ${place}`);
      for (const place of report.kept) io.print(`Kept ${place}`);
      for (const { error } of report.failed) io.print(`${error.message} ${error.remedy}`);
      io.print(
        report.isComplete
          ? 'The browsers no longer know Pilotfish. Remove the extension at chrome://extensions.'
          : 'Something could not be removed; see above.',
      );
    }
    return report.isComplete ? 0 : 1;
  },
};
