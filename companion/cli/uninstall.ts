import { existsSync } from 'node:fs';
import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';
import { isDaemonThere, stopDaemon } from './stop.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish uninstall` */
export const uninstall: Subcommand = {
  name: 'uninstall',
  summary: 'remove everything install made; history and settings stay unless --purge',
  usage: [
    '[--purge] [--system] [--json]',
    "--purge   remove history, settings and the keys in the system's keychain too; projects and worktrees stay",
    '--system  as the administrator: only what `install --system` wrote for all users',
    '--json    print the report as JSON',
  ],
  run: async (args, io) => {
    const { values } = readArgs(args, { purge: { type: 'boolean' }, system: { type: 'boolean' }, json: { type: 'boolean' } });
    const purge = values.purge === true;
    if (values.system === true) {
      if (purge) throw new CompanionError('CLI_USAGE', '--purge is of one user, and --system of all.');
      return uninstallForAll(io, values.json === true);
    }
    const wasRunning = await isDaemonThere(io);
    // The keys may need a daemon, which is started for them and is none that the person had running.
    const forgotten = purge ? await forgetKeys(io) : [];
    await stopDaemon(io);
    const report = io.installer.uninstall({ purge });
    const removed = [...forgotten, ...report.removed];
    if (values.json === true) {
      io.json({ ...report, removed, wasRunning });
    } else {
      if (wasRunning) io.print('Stopped the daemon');
      for (const place of removed) io.print(`Removed ${place}`);
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

const uninstallForAll = (io: Io, isJson: boolean): number => {
  const report = io.installer.system.uninstall();
  if (isJson) io.json(report);
  else {
    for (const place of report.removed) io.print(`Removed ${place}`);
    for (const { error } of report.failed) io.print(`${error.message} ${error.remedy}`);
    if (report.isComplete && report.removed.length === 0) io.print('There was nothing for all users.');
  }
  return report.isComplete ? 0 : 1;
};

/** Only the daemon opens the keychain. When it cannot be asked, uninstalling goes on. */
const forgetKeys = async ({ client, paths, signal, note }: Io): Promise<string[]> => {
  // Without a settings file nothing was ever put into the keychain.
  if (!existsSync(paths.settingsFile)) return [];
  const forgotten: string[] = [];
  try {
    await client.connect({ start: true, signal });
    for (const { engine, secrets } of (await client.engines.setups()).engines) {
      for (const { name } of secrets.filter(({ place }) => place === 'keychain')) {
        await client.engines.setSecret(engine.name, name, null);
        forgotten.push(`the key ${name} of ${engine.name}`);
      }
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    note(`Keys in the system's keychain may be left: ${reason} Remove the entries named pilotfish there by hand.`);
  }
  return forgotten;
};
