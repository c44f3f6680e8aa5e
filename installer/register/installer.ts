/** The registering half of the installer as one value: what the executable hands to its command line and terminal UI. */
import { found } from '#protocol/checks.ts';
import type {
  BrowserSetup,
  ExtensionSetup,
  Finding,
  InstallReport,
  ServiceReport,
  ServiceStatus,
  SystemInstallReport,
  UninstallReport,
} from '#protocol/setup.ts';
import { readTrial } from '#companion/lib/update-trial.ts';
import { findBrowsers } from './browsers.ts';
import { commandName } from './command-link.ts';
import { examine } from './doctor.ts';
import { readExtension } from './extension.ts';
import { installing, type InstallContext } from './install.ts';
import { findBrowserProgram, LiveBrowser } from './live-browser.ts';
import { manifestProblem } from './manifest-check.ts';
import { mend } from './mend.ts';
import { installService, removeService, serviceStatus, startService, stopService, type ServiceOptions } from './service.ts';
import { finish } from './steps.ts';
import { installingForAll, systemManifestFiles, uninstallingForAll } from './system-wide.ts';
import { uninstalling } from './uninstall.ts';
import { Exchange } from './update/exchange.ts';
import { readRelease, type Release } from './update/release.ts';
import { registeredManifest } from './windows.ts';

/** Binds the room to one executable, one user and one system. */
export const createInstaller = (context: InstallContext) => ({
  /** The browsers that were found, and whether each knows our host. Changes nothing. */
  browsers: (): BrowserSetup[] =>
    findBrowsers({ env: context.env, platform: context.platform, root: context.paths.root }).map(toSetup(context.executable)),
  /** How the person's shell starts this executable: its name, or its path as long as the name does not lead to it. */
  command: (): string => commandName(context),
  /** The unpacked extension for "Load unpacked". Changes nothing. */
  extension: (): ExtensionSetup => readExtension(context.paths.extensionDir, context.extensionFiles),
  install: ({ userDataDir }: { userDataDir?: string }): InstallReport => finish(installing(context, userDataDir)),
  uninstall: ({ purge }: { purge: boolean }): UninstallReport => finish(uninstalling(context, purge)),
  system: {
    install: (): SystemInstallReport => finish(installingForAll(context.executable, systemManifestFiles(context.platform))),
    uninstall: (): UninstallReport => finish(uninstallingForAll(context.executable, systemManifestFiles(context.platform))),
  },
  service: {
    install: ({ lingers }: { lingers: boolean }): ServiceReport => finish(installService(serviceOptions(context), lingers)),
    start: (): string[] => startService(serviceOptions(context)),
    stop: (): boolean => stopService(serviceOptions(context)),
    remove: (): string[] => removeService(serviceOptions(context)),
    status: (): ServiceStatus => serviceStatus(serviceOptions(context)),
  },
  update: {
    read: (from: string, { key, signal }: { key: string | null; signal: AbortSignal }): Promise<Release> =>
      readRelease(from, { key: key ?? context.releaseKey, signal }),
    exchange: (): Exchange => new Exchange(context),
    trial: () => readTrialOf(context),
  },
  live: {
    find: (): { name: string; program: string } | null => findBrowserProgram(context),
    open: (folder: string): LiveBrowser => new LiveBrowser(context, folder),
  },
  doctor: (signal: AbortSignal): Promise<Finding[]> => examine(context, signal),
  mend: (): string[] => mend(context),
});

/** The way back belongs to the program that was replaced, and this may be another one. */
const readTrialOf = (context: InstallContext): { version: string; isCutOff: boolean; exchange: Exchange } | null => {
  const trial = readTrial(context.paths);
  if (trial === null) return null;
  const { version, isCutOff, executable } = trial;
  return { version, isCutOff, exchange: new Exchange({ ...context, executable }) };
};

const serviceOptions = ({ env, platform, executable, paths }: InstallContext): ServiceOptions => ({
  env,
  platform,
  executable,
  root: paths.root,
  portableHome: paths.isPortable ? paths.root : null,
});

const toSetup =
  (executable: string) =>
  (target: ReturnType<typeof findBrowsers>[number]): BrowserSetup => {
    const isInRegistry = target.registryKey === null || registeredManifest(target.registryKey) === target.manifestFile;
    const problem = isInRegistry ? manifestProblem(target.manifestFile, executable) : found('no_manifest');
    return {
      id: target.id,
      name: target.name,
      evidence: target.evidence ?? '',
      manifestFile: target.manifestFile,
      registration: problem === null ? 'registered' : problem.code === 'no_manifest' ? 'missing' : 'wrong',
      ...(problem === null ? {} : { problem }),
    };
  };
