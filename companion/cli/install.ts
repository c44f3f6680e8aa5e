import { CompanionError } from '#protocol/errors.ts';
import type { InstallReport, StepState, SystemInstallReport } from '#protocol/setup.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish install` */
export const install: Subcommand = {
  name: 'install',
  summary: 'register with every browser found, unpack the extension, add a menu entry and the command',
  usage: [
    '[--user-data-dir FOLDER] [--system] [--json]',
    '--user-data-dir FOLDER  also register for one Chromium profile folder',
    '--system                as the administrator: register with the browsers of all users, and nothing else',
    '--json                  print the report as JSON',
  ],
  run: async (args, io) => {
    const { values } = readArgs(args, { 'user-data-dir': { type: 'string' }, system: { type: 'boolean' }, json: { type: 'boolean' } });
    const folder = values['user-data-dir'];
    if (values.system === true) {
      if (folder !== undefined) throw new CompanionError('CLI_USAGE', '--user-data-dir is of one user, and --system of all.');
      const forAll = io.installer.system.install();
      if (values.json === true) io.json(forAll);
      else for (const line of describeForAll(forAll)) io.print(line);
      return forAll.isComplete ? 0 : 1;
    }
    const report = io.installer.install(folder === undefined ? {} : { userDataDir: folder });
    if (values.json === true) io.json({ ...report, warnings: report.warnings.map(({ text }) => text) });
    else for (const line of describeInstall(report)) io.print(line);
    return report.isComplete ? 0 : 1;
  },
};

/** The report as a person reads it. */
const describeInstall = ({ executable, command, extension, browsers, menuEntry, warnings }: InstallReport): string[] => [
  `Pilotfish is ${executable}`,
  ...(extension.error === undefined
    ? [`${words[extension.state]} the extension ${extension.version ?? ''} at ${extension.path}`]
    : [extension.error.message, `  ${extension.error.remedy}`]),
  ...browsers.flatMap(({ name, manifestFile, state, error }) =>
    error === undefined ? [`${registered[state]} with ${name}: ${manifestFile}`] : [`${name}: ${error.message}`, `  ${error.remedy}`],
  ),
  ...describeFile('the menu entry', menuEntry),
  ...describeFile('the command', command),
  ...warnings.map(({ text }) => `Warning: ${text}`),
  ...(extension.version === null
    ? []
    : [`In the browser: open chrome://extensions, switch on "Developer mode", press "Load unpacked" and choose ${extension.path}`]),
];

const describeForAll = ({ executable, manifests, isComplete }: SystemInstallReport): string[] => [
  `Pilotfish is ${executable}`,
  ...manifests.flatMap(({ path, state, error }) =>
    error === undefined ? [`${registered[state]} for all users: ${path}`] : [error.message, `  ${error.remedy}`],
  ),
  ...(isComplete ? ['Each user runs `pilotfish install` once, for the extension and the menu entry.'] : []),
];

const describeFile = (name: string, file: InstallReport['menuEntry']): string[] => {
  if (file === null) return [];
  return file.error === undefined ? [`${words[file.state]} ${name} ${file.path}`] : [file.error.message, `  ${file.error.remedy}`];
};

const words: Readonly<Record<StepState, string>> = { written: 'Wrote', unchanged: 'Kept', failed: 'Could not write' };
const registered: Readonly<Record<StepState, string>> = {
  written: 'Registered',
  unchanged: 'Already registered',
  failed: 'Could not register',
};
